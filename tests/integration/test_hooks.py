"""--after-collection-start and --after-report-ready: commands of the user, with nsys's environment variables."""
import os
import signal
import subprocess
import sys
import time

import pytest
from profiling import PROF, Report, prof, program, source_of
from sessions import numbers, sessions  # noqa: F401

TRACE = ("-t", "nvtx", "-s", "none", "--cpuctxsw=none")
WRITES = 'echo "$NSYS_CALLBACK_NAME $NSYS_SESSION_NAME ${NSYS_REPORT_PATH##*/} $PROF_CALLBACK_NAME" >> hooks'


def said(folder, count):
    """What the commands wrote, when there are that many lines: prof does not wait for those of a start."""
    path = folder / "hooks"
    deadline = time.monotonic() + 60
    while not path.exists() or len(path.read_text().splitlines()) < count:
        assert time.monotonic() < deadline, path.read_text() if path.exists() else "nothing"
        time.sleep(0.02)
    return [line.split(" ") for line in path.read_text().splitlines()]


@pytest.mark.parametrize("options", [(), ("-y", "0.05"), ("-d", "10")])
def test_a_whole_recording(tmp_path, options):
    done = prof("profile", *TRACE, *options, "-o", "r", f"--after-collection-start={WRITES}", "--after-report-ready", WRITES,
                program("numbered_ranges"), 0.3, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    begun, ready = sorted(said(tmp_path, 2))
    assert begun[0] == begun[3] == "after-collection-start" and begun[2] == ""
    assert ready[0] == ready[3] == "after-report-ready" and ready[2] == "r.db"
    assert begun[1] == ready[1] and begun[1].startswith("profile-")
    assert numbers(tmp_path / "r.db")


def test_the_command_finds_a_whole_report_and_exports(tmp_path):
    looks = ("test -s r.sqlite && sqlite=$NSYS_REPORT_PATH && test \"$PROF_REPORT_PATH\" = \"$sqlite\" && "
             f"{sys.executable} -c 'import sqlite3, os; print(sqlite3.connect(os.environ[\"NSYS_REPORT_PATH\"])"
             ".execute(\"PRAGMA integrity_check\").fetchone()[0], os.read(0, 9), os.environ.get(\"LD_PRELOAD\"))' >> hooks")
    done = prof("profile", *TRACE, "-o", "r", "--export=sqlite", "--after-report-ready", looks, "true", cwd=tmp_path,
                input="for the program\n")
    assert done.returncode == 0 and (tmp_path / "hooks").read_text() == "ok b'' None\n", done.stderr


def test_each_range_has_a_begin_and_a_report(tmp_path):
    done = prof("profile", *TRACE, "-c", "nvtx", "-p", "epoch", "--capture-range-end=repeat:2:sync", "-o", "r",
                "--after-collection-start", WRITES, "--after-report-ready", WRITES,
                sys.executable, source_of("nvtx_epochs.py"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert sorted(line[2] for line in said(tmp_path, 4)) == ["", "", "r.1.db", "r.2.db"]


def test_a_command_that_fails_is_said_and_the_status_is_the_programs(tmp_path):
    done = prof("profile", *TRACE, "-o", "r", "--after-collection-start=exit 5", "--after-report-ready=exit 4",
                "sh", "-c", "exit 3", cwd=tmp_path)
    assert done.returncode == 3 and "prof: --after-report-ready ended with status 4\n" in done.stderr
    assert Report(tmp_path / "r.db").value("PRAGMA integrity_check") == "ok"
    assert prof("profile", *TRACE, "-o", "e", "--after-report-ready=", "true", cwd=tmp_path).returncode == 0


def diagnostics(path):
    return [row["text"] for row in Report(path).query("SELECT text FROM DIAGNOSTIC_EVENT")]


def test_a_command_that_fails_is_in_the_report(tmp_path):
    begun = tmp_path / "begun"
    done = prof("profile", *TRACE, "-o", "r", f"--after-collection-start=touch {begun}; exit 5", "--after-report-ready=exit 4",
                "sh", "-c", f"while [ ! -e {begun} ]; do sleep 0.01; done; sleep 0.5; exit 3", cwd=tmp_path)
    assert done.returncode == 3
    for line in ("--after-collection-start ended with status 5", "--after-report-ready ended with status 4"):
        assert f"prof: {line}\n" in done.stderr and diagnostics(tmp_path / "r.db").count(line) == 1
    shown = prof("info", tmp_path / "r.db").stdout
    assert "--after-collection-start ended with status 5" in shown and "--after-report-ready ended with status 4" in shown
    assert sorted(os.listdir(tmp_path)) == ["begun", "r.db"]


def test_a_command_that_takes_too_long_is_ended_with_its_children(tmp_path):
    hangs = "trap '' TERM; sleep 600 & echo $! >> pids; wait; sleep 600"
    done = prof("profile", *TRACE, "-o", "r", "--hook-timeout=0.5", "--after-report-ready", hangs,
                "sh", "-c", "exit 3", cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    line = "--after-report-ready was ended after 0.5 s (--hook-timeout)"
    assert f"prof: {line}\n" in done.stderr and line in diagnostics(tmp_path / "r.db")
    deadline = time.monotonic() + 60
    while any(os.path.exists(f"/proc/{pid}") and open(f"/proc/{pid}/stat", encoding="ascii").read().split()[2] != "Z"
              for pid in (tmp_path / "pids").read_text().split()):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_command_has_a_process_group_and_no_preloaded_library(tmp_path):
    writes = 'echo "[$LD_PRELOAD] $MINE $(cut -d" " -f5 /proc/$$/stat) $$" >> hooks'
    done = prof("profile", *TRACE, "-o", "r", "--after-collection-start", writes, "--after-report-ready", writes,
                "sleep", "0.2", cwd=tmp_path, env=os.environ | {"LD_PRELOAD": "libm.so.6", "MINE": "kept"})
    assert done.returncode == 0, done.stderr
    for preload, mine, group, pid in said(tmp_path, 2):
        assert (preload, mine, group) == ("[]", "kept", pid)


def test_an_interrupt_ends_the_command_and_not_the_report(tmp_path):
    process = subprocess.Popen([str(PROF), "profile", *TRACE, "-o", "r", "--after-report-ready", "touch here; exec sleep 600",
                                "sh", "-c", "exit 3"], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not (tmp_path / "here").exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 3 and "--after-report-ready was ended, because prof was asked to end" in err
    assert Report(tmp_path / "r.db").value("PRAGMA integrity_check") == "ok"


def test_recover_runs_the_command(tmp_path):
    process = subprocess.Popen([str(PROF), "profile", *TRACE, "-o", "r", "sh", "-c", "echo ready; exec sleep 600"], cwd=tmp_path,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True)
    assert process.stdout.readline() == "ready\n"
    process.kill()
    process.wait()
    done = prof("recover", "r.db.spool", "--after-report-ready", f"{WRITES}; exit 6", cwd=tmp_path)
    os.killpg(process.pid, signal.SIGKILL)
    assert done.returncode == 0 and "prof: --after-report-ready ended with status 6\n" in done.stderr
    assert [line[0:3:2] for line in said(tmp_path, 1)] == [["after-report-ready", "r.db"]]
    assert "--after-report-ready ended with status 6" in diagnostics(tmp_path / "r.db")


def test_the_command_knows_rank_node_and_status(tmp_path):
    writes = 'echo "$PROF_RANK $PROF_NODE $PROF_EXIT_STATUS" >> hooks'
    done = prof("profile", *TRACE, "-o", "r", "--after-report-ready", writes, "sh", "-c", "exit 3", cwd=tmp_path,
                env=os.environ | {"RANK": "5", "OMPI_COMM_WORLD_RANK": "7"})
    assert done.returncode == 3, done.stderr
    assert said(tmp_path, 1) == [["5", os.uname().nodename, "3"]]


def test_in_a_session_they_stay_until_others_come(sessions, tmp_path):
    sessions.running(*TRACE[:2], program("numbered_ranges"), 60, cwd=tmp_path)
    hooks = (f"--after-collection-start=cd {tmp_path}; {WRITES}", f"--after-report-ready=cd {tmp_path}; {WRITES}")
    for name, options in (("a", hooks), ("b", ()), ("c", ("--after-report-ready=",)), ("d", ("--after-collection-start", ""))):
        sessions.works("start", "-o", tmp_path / name, *options)
        sessions.works("stop")
    found = said(tmp_path, 5)
    assert sorted(line[2] for line in found) == ["", "", "", "a.db", "b.db"] and {line[1] for line in found} == {"[default]"}
    sessions.works("shutdown", "--kill=sigkill")


def test_options_of_a_later_start_are_kept(sessions, tmp_path):
    """prof profile --start-later: prof start needs no options, and its own win."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    launched = sessions.background("profile", *TRACE, "--start-later=True", "--session-new=later", "-o", "mine-%n",
                                   "--after-report-ready", WRITES, "--delay=5", program("numbered_ranges"), 60, cwd=tmp_path)
    sessions.wait_for(lambda states: states.get("later") == "Launched" and sessions.described("later")["programs"])
    for options in ((), (), ("-o", "other")):
        sessions.works("start", "--session=later", *options, cwd=folder)
        sessions.works("stop", "--session=later", cwd=folder)
    assert {path.name for path in tmp_path.glob("*.db")} == {"mine-1.db", "mine-2.db"}
    assert [path.name for path in folder.glob("*.db")] == ["other.db"]
    sessions.works("shutdown", "--session=later", "--kill=sigkill")
    assert "prof: --delay: no effect with --start-later" in launched.communicate(timeout=60)[1]
