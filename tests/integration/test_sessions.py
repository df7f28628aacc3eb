"""Sessions on demand: collections begin and end while programs run."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from profiling import HAS_SANITIZER, Report, children, program, source_of, wait_until
from sessions import Sessions, consecutive, numbers, sessions, wait_until_ended, wait_until_joined  # noqa: F401

TRACE = "-t", "nvtx,osrt"
# A sanitized prof takes a second to start on a slow machine.
COLLECTIONS, SESSIONS = (20, 4) if HAS_SANITIZER else (100, 10)
NOBODY = 65534


def test_the_transcript_of_nsys(sessions, tmp_path):
    """The commands of a session of nsys, in their order, with prof's states and statuses."""
    listed = sessions.works("sessions", "list")
    assert listed.stdout.split() == ["ID", "TIME", "STATE", "LAUNCH", "NAME"]
    launched = sessions.running("--session-new=one", *TRACE, program("numbered_ranges"), 60, name="one")
    row = sessions.works("sessions", "list", "-p", "false").stdout.split()
    assert row[2:] == ["Launched", "1", "one"] and ":" in row[1] and int(row[0]) > 0
    sessions.works("start", "--session=one", "-o", tmp_path / "first", "-f", "true")
    assert sessions.states() == {"one": "Collection"}
    assert sessions.refuses("start", "--session=one") == "the session one is collecting already; prof stop ends that"
    stopped = sessions.works("stop", "--session=one")
    assert stopped.stderr == f"Generated:\n\t{tmp_path}/first.db\n"
    assert sessions.states() == {"one": "Launched"} and launched.poll() is None
    assert sessions.refuses("stop", "--session=one") == "the session one is not collecting"
    # A cancel that works, and a failure where the session does not exist.
    sessions.works("start", "--session=one", "-o", tmp_path / "second")
    sessions.works("cancel", "--session=one")
    assert sessions.states() == {"one": "Launched"}
    assert sessions.refuses("cancel", "--session=one") == "the session one is not collecting"
    assert sessions.refuses("start", "--session=two") == "there is no session two (sessions: one)"
    assert sessions.refuses("stop", "--session=ones") == "there is no session ones; did you mean one? (sessions: one)"
    assert sessions.refuses("stop") == "there is no session [default]; choose one with --session: one"
    sessions.works("shutdown", "--session=one", "--kill", "sigterm")
    launched.wait(60)
    assert launched.returncode == 128 + signal.SIGTERM
    sessions.wait_for(lambda states: not states)
    assert sessions.refuses("stop") == "there are no active sessions (prof launch starts one)"
    assert [path.name for path in tmp_path.iterdir()] == ["first.db"]


def test_start_before_launch(sessions, tmp_path):
    sessions.works("start", "--session-new=two", "-o", tmp_path / "third")
    assert sessions.states() == {"two": "Started"} and sessions.described("two")["launches"] == 0
    assert "waits for prof launch" in sessions.refuses("stop", "--session=two")
    done = sessions.works("launch", "--session=two", *TRACE, program("numbered_ranges"), 0.3)
    # The collection has the program from its start to its end, and the session is over with it.
    assert numbers(tmp_path / "third.db") == list(range(int(done.stdout)))
    assert done.stderr == f"Generated:\n\t{tmp_path}/third.db\n"
    assert not sessions.list()


def test_a_started_session_can_be_cancelled(sessions, tmp_path):
    sessions.works("start", "-o", tmp_path / "r")
    sessions.works("cancel")
    assert not sessions.list() and not list(tmp_path.iterdir())


def test_the_default_session(sessions, tmp_path):
    launched = sessions.running(*TRACE, program("numbered_ranges"), 60)
    sessions.works("start", cwd=tmp_path)
    time.sleep(0.1)
    sessions.works("stop")
    sessions.works("start", cwd=tmp_path)
    sessions.works("stop")
    assert {path.name for path in tmp_path.iterdir()} == {"report1.db", "report2.db"}
    sessions.works("shutdown", "--kill=none")
    sessions.wait_for(lambda states: not states)
    assert launched.poll() is None  # the program goes on


def test_each_collection_has_its_ranges_and_all_names(sessions, tmp_path):
    """Domains, categories, texts, threads and functions that were named before the collection are named in it."""
    launched = sessions.running("--osrt-threshold=0", *TRACE, program("numbered_ranges"), 60)
    found = []
    for i in range(3):
        time.sleep(0.1)
        sessions.works("start", "-o", tmp_path / f"r{i}")
        time.sleep(0.2)
        sessions.works("stop")
        found.append(consecutive(numbers(tmp_path / f"r{i}.db")))
        report = Report(tmp_path / f"r{i}.db")
        ranges = [row for row in report.nvtx(59) if row["int64Value"] is not None]
        assert {(row["name"], row["domain"]) for row in ranges} == {("request", "server")}
        assert [row["name"] for row in report.nvtx(33)] == ["numbered"]
        assert "the loop" in [row["name"] for row in report.nvtx(39)]
        assert report.calls()["usleep"] > 10
        assert report.value("SELECT min(start) FROM OSRT_API") >= 0
        duration = report.value("SELECT duration FROM ANALYSIS_DETAILS")
        # The last call of the thread may be in progress at the end.
        assert report.value("SELECT max(start) FROM OSRT_API") <= duration
        assert report.value(f"SELECT count(*) FROM OSRT_API WHERE end > {duration}") <= 1
        program_row, = [row for row in report.query("SELECT name FROM PROCESSES")]
        assert program_row["name"].endswith("numbered_ranges")
        assert not [text for text in report.diagnostics() if "dropped" in text or "amaged" in text]
        assert not report.query("SELECT 1 FROM META_DATA_CAPTURE WHERE name = 'PROCESS_0:EXIT_STATUS'")  # it goes on
    # Nothing twice, and a gap in between.
    assert all(before[-1] + 1 < after[0] for before, after in zip(found, found[1:]))
    sessions.works("shutdown")
    launched.wait(60)


def test_children_of_all_times(sessions, tmp_path):
    sessions.running(*TRACE, program("numbered_ranges"), 60, "forks")
    sessions.works("start", "-o", tmp_path / "r")
    time.sleep(0.5)
    sessions.works("stop")
    report = Report(tmp_path / "r.db")
    children = [row for row in report.nvtx(59) if row["name"] == "in a child"]
    assert len(children) >= 3 and len({row["pid"] for row in children}) >= len(children) - 1
    sessions.works("shutdown", "--kill=sigkill")


def test_keep_the_last_part(sessions, tmp_path):
    sessions.running(*TRACE, program("numbered_ranges"), 60)
    sessions.works("start", "-o", tmp_path / "r")
    time.sleep(1.5)
    sessions.works("stop", "--keep", "0.5")
    report = Report(tmp_path / "r.db")
    duration = report.value("SELECT duration FROM ANALYSIS_DETAILS")
    assert 400_000_000 <= duration <= 600_000_000
    kept = consecutive(numbers(tmp_path / "r.db"))
    assert kept[0] > 0
    assert report.value("SELECT min(end) FROM NVTX_EVENTS WHERE int64Value IS NOT NULL") >= 0
    sessions.works("shutdown")


def growth_of(pid):
    """What must not grow with the number of collections."""
    proc = Path(f"/proc/{pid}")
    status = dict(line.split(":", 1) for line in (proc / "status").read_text().splitlines())
    return {"threads": int(status["Threads"]), "descriptors": len(list((proc / "fd").iterdir())),
            "mappings": (proc / "maps").read_text().count("\n")}, int(status["VmRSS"].split()[0])


def test_many_collections_leave_nothing(sessions, tmp_path):
    sessions.running(*TRACE, program("numbered_ranges"), 600)
    described = sessions.described()
    pids = described["id"], described["programs"][0]
    found = []
    after_ten = None
    for i in range(COLLECTIONS):
        if i == 10:
            after_ten = [growth_of(pid) for pid in pids]
        sessions.works("start", "-f", "true", "-o", tmp_path / "r", *(("--sample=none", "--cpuctxsw=none") if i % 2 else ()))
        sessions.works("stop")
        found += numbers(tmp_path / "r.db")
    assert found == sorted(set(found)) and found
    # A mapping more or less: malloc's.
    for pid, (counts, memory) in zip(pids, after_ten):
        now, memory_now = growth_of(pid)
        assert now["threads"] == counts["threads"] and now["descriptors"] <= counts["descriptors"] + 1
        # A sanitizer's malloc keeps what was freed for a while.
        if not HAS_SANITIZER:
            assert now["mappings"] <= counts["mappings"] + 8, pid
            assert memory_now < memory + 8192, pid
    sessions.works("shutdown")


def test_many_sessions_at_once(sessions, tmp_path):
    names = [f"s{i}" for i in range(SESSIONS)]
    for name in names:
        sessions.launch(f"--session-new={name}", *TRACE, program("numbered_ranges"), 1000)
    sessions.wait_for(lambda states: len(states) == SESSIONS)
    for name in names:
        sessions.wait_for(lambda states, name=name: sessions.described(name)["programs"])
        wait_until_joined(sessions.described(name)["programs"][0])
        sessions.works("start", f"--session={name}", "-o", tmp_path / name)
    assert set(sessions.states().values()) == {"Collection"}
    time.sleep(0.2)
    for name in names:
        sessions.works("stop", f"--session={name}")
        consecutive(numbers(tmp_path / f"{name}.db"))
        assert len(Report(tmp_path / f"{name}.db").pids()) == 1
    for name in names:
        sessions.works("shutdown", f"--session={name}", "--kill=sigkill")


def test_two_programs_in_a_session(sessions, tmp_path):
    first = sessions.running("--session-new=both", *TRACE, program("numbered_ranges"), 60, name="both")
    second = sessions.launch("--session=both", *TRACE, program("numbered_ranges"), 60)
    sessions.wait_for(lambda states: sessions.described("both")["launches"] == 2)
    wait_until_joined(sessions.described("both")["programs"][1])
    assert "traces with other options" in sessions.refuses("launch", "--session=both", "-t", "osrt", "true")
    sessions.works("start", "--session=both", "-o", tmp_path / "r")
    time.sleep(0.2)
    sessions.works("stop", "--session=both")
    report = Report(tmp_path / "r.db")
    assert {row["pid"] for row in report.nvtx(59)} == set(sessions.described("both")["programs"])
    sessions.works("shutdown", "--session=both")
    assert first.wait(60) == second.wait(60) == 128 + signal.SIGTERM


def test_capture_ranges_in_a_session(sessions, tmp_path):
    """A collection that the program's ranges begin and end. Others follow."""
    sessions.works("start", "-o", tmp_path / "r", "-c", "nvtx", "--capture-range-end=repeat:2")
    done = sessions.works("launch", *TRACE, "-p", "epoch", sys.executable, source_of("nvtx_epochs.py"))
    assert done.stdout == "done\n"
    assert {path.name for path in tmp_path.iterdir()} == {"r.1.db", "r.2.db"}
    for i in (1, 2):
        marks = [row["name"] for row in Report(tmp_path / f"r.{i}.db").nvtx(34)]
        assert marks == [f"in {i - 1}"]


def test_a_range_that_never_begins(sessions, tmp_path):
    sessions.works("start", "-o", tmp_path / "r", "-c", "nvtx")
    done = sessions.works("launch", *TRACE, "-p", "no such range", program("numbered_ranges"), 0.1)
    assert "never entered the capture range" in done.stderr and not numbers(tmp_path / "r.db")
    assert "-c nvtx: the range of prof launch -p did not begin" in done.stderr


@pytest.mark.parametrize("traced, begins, why", [
    (("-t", "nvtx,osrt"), "nvtx", "-c nvtx: prof launch has named no range"),
    (("-t", "osrt", "-p", "x"), "nvtx", "-c nvtx: prof launch does not trace NVTX"),
    (("-t", "nvtx,osrt"), "cudaProfilerApi", "-c cudaProfilerApi: prof launch does not trace CUDA")])
def test_a_range_that_cannot_begin_records_everything(sessions, tmp_path, traced, begins, why):
    sessions.running(*traced, program("numbered_ranges"), 60)
    done = sessions.works("start", "-o", tmp_path / "r", "-c", begins, "--capture-range-end=repeat:2")
    assert done.stderr.startswith(f"prof: {why}") and done.stderr.count("\n") == 1
    time.sleep(0.1)
    sessions.works("stop")
    assert Report(tmp_path / "r.db").calls()["usleep"]
    sessions.works("shutdown", "--kill=sigkill")


def test_samples_of_a_running_program(sessions, tmp_path):
    sessions.running(*TRACE, sys.executable, "-c",
                     "import time\nend = time.time() + 60\nwhile time.time() < end: sum(range(1000))")
    sessions.works("start", "-o", tmp_path / "r")
    time.sleep(1)
    sessions.works("stop")
    report = Report(tmp_path / "r.db")
    says = " ".join(report.diagnostics())
    assert "CPU samples" in says or report.value("SELECT count(*) FROM COMPOSITE_EVENTS") > 20
    assert "Python is not sampled" in says or report.value("SELECT count(*) FROM PROF_PYTHON_SAMPLES") > 20
    sessions.works("shutdown", "--kill=sigkill")


def test_options_that_contradict(sessions, tmp_path):
    assert "--session-new" in sessions.refuses("launch", "--session=a", "--session-new=b", "true")
    assert "begins with a letter" in sessions.refuses("launch", "--session-new=1a", "true")
    assert "no program" in sessions.refuses("launch", "--session-new=a")
    (tmp_path / "there.db").write_text("mine")
    assert "there.db exists" in sessions.refuses("start", "--session-new=x", "-o", tmp_path / "there.db")
    sessions.wait_for(lambda states: not states, 30)
    assert (tmp_path / "there.db").read_text() == "mine"


def test_a_name_is_taken_once(sessions):
    sessions.running("--session-new=a", *TRACE, program("numbered_ranges"), 60, name="a")
    assert sessions.refuses("launch", "--session-new=a", "true").startswith("there is a session a already")


def test_a_program_that_cannot_run(sessions):
    done = sessions.command("launch", "/no/such/program")
    assert done.returncode != 0 and done.stderr.count("\n") == 1
    sessions.wait_for(lambda states: not states, 30)


def test_the_exit_status_is_the_programs(sessions):
    assert sessions.command("launch", *TRACE, "sh", "-c", "exit 7").returncode == 7
    assert sessions.command("launch", *TRACE, "sh", "-c", "kill -9 $$").returncode == 137
    sessions.wait_for(lambda states: not states)


def rows_of(path):
    return len(numbers(path))


def test_a_killed_launcher(sessions, tmp_path):
    """The program and the session go on."""
    launched = sessions.running(*TRACE, program("numbered_ranges"), 60)
    os.kill(launched.pid, signal.SIGKILL)
    sessions.works("start", "-o", tmp_path / "r")
    time.sleep(0.1)
    sessions.works("stop")
    assert rows_of(tmp_path / "r.db") > 10
    sessions.works("shutdown", "--kill=sigkill")


def test_a_killed_program(sessions, tmp_path):
    """Its collection becomes a report with all that it recorded."""
    launched = sessions.running(*TRACE, program("numbered_ranges"), 60)
    sessions.works("start", "-o", tmp_path / "r")
    time.sleep(0.2)
    os.kill(sessions.described()["programs"][0], signal.SIGKILL)
    _, errors = launched.communicate(timeout=60)
    assert launched.returncode == 128 + signal.SIGKILL and errors == f"Generated:\n\t{tmp_path}/r.db\n"
    consecutive(numbers(tmp_path / "r.db"))
    assert not sessions.list()


def test_a_killed_collector(sessions, tmp_path):
    """The program goes on. prof recover makes the report of the collection."""
    launched = sessions.running(*TRACE, program("numbered_ranges"), 60)
    sessions.works("start", "-o", tmp_path / "r")
    time.sleep(0.3)
    collector = sessions.described()["id"]
    os.kill(collector, signal.SIGKILL)
    sessions.wait_for(lambda states: not states)
    assert sessions.refuses("stop").startswith("there are no active sessions")
    assert launched.poll() is None
    wait_until_ended(collector)
    done = sessions.works("recover", tmp_path / "r.db.spool")
    assert rows_of(tmp_path / "r.db") > 10, done.stderr
    # The next session removes the folder of the killed one.
    sessions.works("launch", *TRACE, "true")


def test_a_terminated_collector_writes_the_report(sessions, tmp_path):
    sessions.running(*TRACE, program("numbered_ranges"), 60)
    sessions.works("start", "-o", tmp_path / "r")
    time.sleep(0.2)
    os.kill(sessions.described()["id"], signal.SIGTERM)
    sessions.wait_for(lambda states: not states)
    consecutive(numbers(tmp_path / "r.db"))


def test_shutdown_writes_the_report(sessions, tmp_path):
    launched = sessions.running(*TRACE, program("numbered_ranges"), 60)
    sessions.works("start", "-o", tmp_path / "r")
    time.sleep(0.2)
    assert "Generated" in sessions.works("shutdown").stderr
    consecutive(numbers(tmp_path / "r.db"))
    assert launched.wait(60) == 128 + signal.SIGTERM


def test_a_stopped_command_leaves_the_report(sessions, tmp_path):
    """prof stop is killed while it waits. The collector's writer goes on."""
    sessions.running(*TRACE, program("numbered_ranges"), 60)
    sessions.works("start", "-o", tmp_path / "r")
    time.sleep(0.2)
    stop = sessions.background("stop")
    sessions.wait_for(lambda states: states.get("[default]") != "Collection")  # it has been asked to stop
    stop.kill()
    wait_until((tmp_path / "r.db").exists)
    sessions.wait_for(lambda states: states == {"[default]": "Launched"})
    consecutive(numbers(tmp_path / "r.db"))
    sessions.works("shutdown")


def test_another_user_has_other_sessions(sessions):
    """The folder of sessions and their sockets are the user's alone."""
    sessions.running(*TRACE, program("numbered_ranges"), 60)
    folder = sessions.folder / "prof"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert all(socket.stat().st_mode & 0o777 == 0o600 for socket in folder.iterdir())
    folder.chmod(0o755)  # others could have put something there
    try:
        assert not sessions.list()
    finally:
        folder.chmod(0o700)
    assert sessions.list()


def test_a_killed_writer_of_the_report(sessions, tmp_path):
    """The command says how to make the report, and the session goes on."""
    sessions.running(*TRACE, program("numbered_ranges"), 60)
    collector = sessions.described()["id"]
    sessions.works("start", "-o", tmp_path / "r")
    time.sleep(0.3)
    stop = sessions.background("stop")
    while not (writers := children(collector)):
        assert stop.poll() is None
    os.kill(writers[0], signal.SIGKILL)
    _, errors = stop.communicate(timeout=60)
    assert stop.returncode == 1 and errors.count("\n") == 1 and f"prof recover {tmp_path}/r.db.spool" in errors, errors
    assert sessions.states() == {"[default]": "Launched"} and not (tmp_path / "r.db").exists()
    sessions.works("recover", tmp_path / "r.db.spool")
    consecutive(numbers(tmp_path / "r.db"))
    sessions.works("start", "-o", tmp_path / "next")
    sessions.works("stop")
    assert {path.name for path in tmp_path.iterdir()} == {"r.db", "next.db"}
    sessions.works("shutdown")


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="needs root and setpriv")
def test_two_users(sessions, tmp_path):
    """Sessions of the same name, collecting at once. Neither user sees the other's."""
    home = Path(tempfile.mkdtemp(prefix="prof-u-", dir="/tmp"))
    os.chown(home, NOBODY, NOBODY)
    other = Sessions(home, ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"))
    reports = home / "reports"
    reports.mkdir()
    os.chown(reports, NOBODY, NOBODY)
    done = other.command("status")
    if done.returncode != 0:  # the build is in a folder that only root reads
        shutil.rmtree(home)
        pytest.skip("another user cannot run prof from here")
    try:
        pids = {}
        for each, folder in ((sessions, tmp_path), (other, reports)):
            each.running("--session-new=same", *TRACE, program("numbered_ranges"), 60, name="same")
            pids[each] = each.described("same")["programs"]
            each.works("start", "--session=same", "-o", folder / "r")
        time.sleep(0.2)
        path = other.described("same")["commands"]
        # Where folders did not part them, the sockets would.
        for each, folder, user in ((sessions, tmp_path, 0), (other, reports, NOBODY)):
            found, = each.list()
            assert found["name"] == "same" and found["programs"] == pids[each]
            each.works("stop", "--session=same")
            consecutive(numbers(folder / "r.db"))
            assert {row["pid"] for row in Report(folder / "r.db").nvtx(59)} == set(pids[each])
            assert (folder / "r.db").stat().st_uid == user
        assert Path(path).stat().st_uid == NOBODY and Path(path).stat().st_mode & 0o777 == 0o600
        refused = subprocess.run([*other.prefix, sys.executable, "-c",
                                  "import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])",
                                  sessions.described("same")["commands"]], stderr=subprocess.PIPE, text=True, check=False)
        assert "PermissionError" in refused.stderr
        other.works("shutdown", "--session=same")
        assert sessions.states() == {"same": "Launched"}
        sessions.works("shutdown", "--session=same")
    finally:
        shutil.rmtree(reports, ignore_errors=True)
        other.end()


def test_options_of_nsys_without_effect(sessions, tmp_path):
    """Python writes booleans in capitals; nsys has other names for what prof prints or does anyway."""
    sessions.running(*TRACE, program("numbered_ranges"), 60)
    sessions.works("start", "-o", tmp_path / "r", "--stop-on-exit=True", "--discard-environment=true", "--gpuctxsw=False")
    listed = json.loads(sessions.works("sessions", "list", "-f", "json").stdout)
    assert "[default]" in [each["name"] for each in listed] and "NAME" in sessions.works("sessions", "list", "--output-format=plain").stdout
    assert sessions.works("status", "--all", "-n").stderr == ""
    sessions.works("stop", "--defer-report")
    assert numbers(tmp_path / "r.db")
    sessions.works("shutdown", "--kill=true")


def test_prof_launch_can_say_how_collections_sample(sessions, tmp_path):
    sessions.running(*TRACE, "-s", "none", "--cpuctxsw=none", program("numbered_ranges"), 60)
    for options in ((), ("--sample=process-tree", "-o", "b")):
        sessions.works("start", *options, cwd=tmp_path)  # the folder of the start
        sessions.works("stop")
    asked = [[row["value"] for row in Report(tmp_path / f"{name}.db").query(
        "SELECT value FROM META_DATA_CAPTURE WHERE name = 'SAMPLING_OPTIONS:SCOPE'")] for name in ("report1", "b")]
    assert asked == [[], ["process-tree"]]
    sessions.works("shutdown", "--kill=sigkill")
