"""prof follows the process tree, and programs behave as they do without prof."""
import os
import re
import shutil
import subprocess
import sys
import time

import pytest
from profiling import PROF, Report, prof, profile, program, source_of

EVERYTHING = ["--osrt-threshold", "0"]


def test_close_all_descriptors(tmp_path):
    report = profile(tmp_path, program("close_all_fds"), options=EVERYTHING)
    assert report.calls()["read"] == 100


def test_fork_without_exec(tmp_path):
    report = profile(tmp_path, program("fork_no_exec"), options=EVERYTHING)
    pids = report.expected()
    assert report.pids() == set(pids.values())
    assert report.calls(pids["parent"])["write"] == 5
    assert report.calls(pids["child"])["write"] == 11  # ten, and one to the pipe
    assert report.calls(pids["grandchild"])["write"] == 15


def test_fork_from_a_thread(tmp_path):
    report = profile(tmp_path, program("fork_from_thread"), options=EVERYTHING)
    writes = {row["pid"]: row["count"] for row in report.query(
        "SELECT globalTid >> 24 & 0xffffff AS pid, count(*) AS count FROM OSRT_API "
        "JOIN StringIds ON id = nameId WHERE value = 'write' GROUP BY 1")}
    assert [writes[child] for child in report.expected()["children"]] == [50] * 20


def test_raw_clone(tmp_path):
    report = profile(tmp_path, program("raw_clone"), options=EVERYTHING)
    pids = report.expected()
    assert report.calls(pids["parent"])["write"] == 5
    assert report.calls(pids["child"])["write"] == 25


def test_vfork_spawn_system_popen(tmp_path):
    report = profile(tmp_path, program("vfork_exec"), options=EVERYTHING)
    pids = report.expected()
    assert {pids["parent"], pids["vforked"], pids["spawned"]} <= report.pids()
    assert len(report.pids()) >= 5  # and the children of system and popen
    calls = report.calls(pids["parent"])
    assert calls["write"] == 50
    assert calls["posix_spawn"] == calls["system"] == calls["popen"] == calls["pclose"] == 1


def test_python_subprocess(tmp_path):
    report = profile(tmp_path, sys.executable, source_of("py_subprocess.py"))
    pids = report.expected()
    assert {pids["parent"], *pids["children"]} <= report.pids()


def test_python_multiprocessing(tmp_path):
    report = profile(tmp_path, sys.executable, source_of("py_multiprocessing.py"))
    pids = report.expected()
    sleeps = {pid: report.calls(pid)["clock_nanosleep"] for pid in pids["fork"] + pids["spawn"]}
    assert all(sleeps.values()) and sum(sleeps.values()) == 40


def test_a_shell_and_its_children(tmp_path):
    report = profile(tmp_path, "bash", "-c", "echo $$; bash -c 'echo $$' | cat; true & wait; /bin/true")
    shells = [int(line) for line in report.done.stdout.split()]
    assert set(shells) <= report.pids()
    names = {row["name"] for row in report.query("SELECT name FROM PROCESSES")}
    assert {"/usr/bin/bash", "/usr/bin/cat", "/usr/bin/true"} <= names


@pytest.mark.parametrize("way", ["execve", "execle", "execvpe", "clearenv", "preload", "spawn", "system"])
def test_children_with_an_environment_of_their_own(tmp_path, way):
    report = profile(tmp_path, program("env_i_exec"), way)
    names = {row["name"] for row in report.query("SELECT name FROM PROCESSES")}
    assert "/usr/bin/env" in names
    variables = dict(line.split("=", 1) for line in report.done.stdout.splitlines())
    ours = {"LD_PRELOAD", "PROF_SESSION", "NVTX_INJECTION64_PATH"}
    assert ours <= set(variables)
    others = set(variables) - ours - {"PWD", "SHLVL", "_", "OLDPWD"}  # set by an intermediate shell
    assert others == ({"ONLY"} if way == "preload" else set())
    if way == "preload":
        assert variables["LD_PRELOAD"].endswith("libprof_inject.so:libm.so.6")


def test_environment_policy_respect(tmp_path):
    report = profile(tmp_path, program("env_i_exec"), "execve", options=["--env-policy=respect"])
    assert report.done.stdout == ""
    assert {row["name"] for row in report.query("SELECT name FROM PROCESSES")} == {
        program("env_i_exec")}


@pytest.mark.parametrize("how, status", [
    ("return", 0), ("_exit", 7), ("quick_exit", 8), ("exec", 0), ("kill", 128 + 9),
    ("abort", 128 + 6), ("segv", 128 + 11)])
def test_nothing_is_lost_with_the_process(tmp_path, how, status):
    report = profile(tmp_path, program("thousand_then"), how, options=EVERYTHING, status=status)
    ranges = report.nvtx(59)
    assert len(ranges) == 1000
    assert {row["name"] for row in ranges} == {"one of a thousand"}
    assert all(row["end"] is not None for row in ranges)
    assert report.calls()["write"] == 1000
    assert len(report.pids()) == 1


def test_cancellation(tmp_path):
    report = profile(tmp_path, program("cancel_in_read"))
    assert report.expected() == {"cleaned": 3}


def test_longjmp_out_of_a_blocking_call(tmp_path):
    report = profile(tmp_path, program("longjmp_out_of_handler"), options=EVERYTHING)
    assert report.calls()["write"] == report.expected()["write"]
    assert report.value("SELECT max(nestingLevel) FROM OSRT_API") == 0


def test_events_of_key_destructors(tmp_path):
    report = profile(tmp_path, program("key_dtor_events"), options=EVERYTHING)
    assert report.calls()["write"] == report.expected()["write"]


@pytest.mark.parametrize("preloaded", [False, True])
def test_another_librarys_constructor(tmp_path, preloaded):
    """It may run before prof's constructor. Its calls are recorded anyway."""
    # The program's own preloaded library, which is loaded after prof's.
    options = ["-e", "LD_PRELOAD=" + program("libctor_library.so")] if preloaded else []
    report = profile(tmp_path, program("ctor_calls_io"), options=options)
    assert report.expected() == {"constructor": True}
    assert report.calls()["usleep"] == 1


def test_seccomp_kills_nothing_and_drops_nothing(tmp_path):
    report = profile(tmp_path, program("seccomp_strict"), options=EVERYTHING)
    assert report.calls()["write"] == report.expected()["write"]
    assert any("seccomp" in text for text in report.diagnostics())


def test_address_sanitizer(tmp_path):
    report = profile(tmp_path, program("asan_target"), options=EVERYTHING)
    assert report.calls()["read"] == report.expected()["read"]


def test_static_program_runs_and_is_named(tmp_path):
    done = prof("profile", "-o", tmp_path / "r.db", program("static_program"))
    assert done.returncode == 6 and done.stdout == "still runs\n"
    assert "statically linked" in done.stderr
    assert any("statically linked" in text for text in Report(tmp_path / "r.db").diagnostics())


def test_record_locks_survive_the_start_of_a_program(tmp_path):
    """To inspect a program, prof opened and closed its file, which released the process's locks on it."""
    child = tmp_path / "child"
    shutil.copy(program("static_program"), child)
    report = profile(tmp_path, program("record_locks"), child)
    found = [line for line in report.done.stdout.splitlines() if ":" in line]
    assert found == ["held before: 1", "after posix_spawn: 1", "after posix_spawnp: 1"]
    assert any("statically linked" in text and str(child) in text for text in report.diagnostics())


@pytest.mark.parametrize("script", ["{}", "({}) & exit 0"], ids=["while the program runs", "after it"])
def test_processes_that_have_ended_cost_nothing(tmp_path, script):
    """If the descriptor of an ended process stays in the event loop, prof is busy: 20,000 rounds a second and
    more, instead of 100."""
    counts = tmp_path / "counts"
    work = script.format("i=0; while [ $i -lt 20 ]; do /bin/true; i=$((i+1)); done; sleep 1")
    subprocess.run(["strace", "-c", "-e", "trace=epoll_wait", "-o", counts,
                    PROF, "profile", "-o", tmp_path / "r.db", "sh", "-c", work], check=True, stdout=subprocess.PIPE,
                   stderr=subprocess.PIPE, timeout=120,
                   env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})  # a traced process cannot detect leaks
    rounds = next(int(line.split()[3]) for line in counts.read_text().splitlines() if line.endswith("epoll_wait"))
    assert rounds < 2000


def test_what_a_program_sees_of_itself_is_unchanged(tmp_path):
    own = program("fixed_behaviour")
    plain = subprocess.run([own], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True,
                           text=True).stdout
    assert profile(tmp_path, own).done.stdout == plain
    ignoring = ["sh", "-c", f"trap '' CHLD PIPE; exec {own}"]
    plain = subprocess.run(ignoring, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True,
                           text=True).stdout
    script = f"trap '' CHLD PIPE; exec {PROF} profile -t nvtx,osrt -f -o {tmp_path}/r.db {own}"
    traced = subprocess.run(["sh", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            check=True, text=True).stdout
    assert traced == plain


def test_the_target_is_our_child_with_the_pid_it_says(tmp_path):
    report = profile(tmp_path, "sh", "-c", "echo $$ $PPID")
    pid, parent = map(int, report.done.stdout.split())
    assert pid in report.pids() and parent not in report.pids()


def test_nested_profiling_is_refused(tmp_path):
    done = prof("profile", "-t", "osrt", "-o", tmp_path / "outer.db", "--", PROF, "profile", "-o",
                tmp_path / "inner.db", "true")
    assert done.returncode == 1
    assert "being profiled" in done.stderr and not (tmp_path / "inner.db").exists()


def test_waits_for_children_that_outlive_the_program(tmp_path):
    script = "(sleep 0.4; echo late) & exit 3"
    report = profile(tmp_path, "sh", "-c", script, status=3)
    assert "late" in report.done.stdout
    started = time.monotonic()
    done = prof("profile", "-t", "osrt", "-f", "-o", tmp_path / "p.db", "--wait=primary", "--", "sh",
                "-c", "sleep 5 >/dev/null 2>&1 & exit 3")
    assert done.returncode == 3 and time.monotonic() - started < 4


def test_session_directory_is_private_and_removed(tmp_path):
    environment = dict(os.environ, TMPDIR=str(tmp_path))
    environment.pop("XDG_RUNTIME_DIR", None)
    done = prof("profile", "-t", "osrt", "-o", tmp_path / "r.db", "sh", "-c",
                "stat -c %a $PROF_SESSION; echo $PROF_SESSION", env=environment)
    mode, path = done.stdout.split()
    assert mode == "700" and path.startswith(str(tmp_path)) and not os.path.exists(path)
    stale = tmp_path / "prof-999999999-abcdef"
    stale.mkdir()
    prof("profile", "-t", "osrt", "-f", "-o", tmp_path / "r.db", "true", env=environment)
    assert not stale.exists()


def test_secrets_stay_out(tmp_path):
    report = profile(tmp_path, "true", env=dict(os.environ, MY_TOKEN="s3cr3t-value"),
                     options=["-e", "OTHER=s3cr3t-too"])
    assert b"s3cr3t" not in report.path.read_bytes()


def test_environment_options(tmp_path):
    report = profile(tmp_path, "env", options=["-e", "A=1,B=two words", "--env-var=C=x\\,y"])
    lines = report.done.stdout.splitlines()
    assert "A=1" in lines and "B=two words" in lines and "C=x,y" in lines
    report = profile(tmp_path, "env", options=["-n", "false", "-e", "A=1"])
    names = {line.split("=")[0] for line in report.done.stdout.splitlines()}
    assert names == {"A", "LD_PRELOAD", "PROF_SESSION", "NVTX_INJECTION64_PATH"}


def test_output_streams(tmp_path):
    done = prof("profile", "-t", "osrt", "-w", "false", "-o", tmp_path / "r.db", "sh", "-c",
                "echo to stdout; echo to stderr >&2")
    assert done.stdout == "" and "to stderr" not in done.stderr
    report = Report(tmp_path / "r.db")
    streams = report.query("SELECT f.value AS file, c.value AS content FROM ProcessStreams p "
                           "JOIN StringIds f ON f.id = p.filenameId "
                           "JOIN StringIds c ON c.id = p.contentId")
    assert sorted(row["content"] for row in streams) == ["to stderr\n", "to stdout\n"]
    log = tmp_path / "log"
    log.write_text("before\n")
    with log.open("a") as stream:
        subprocess.run([str(PROF), "profile", "-t", "osrt", "-f", "-o", str(tmp_path / "r.db"), "sh",
                        "-c", "echo into the log"], stdout=stream, stderr=subprocess.PIPE, check=True)
    assert log.read_text() == "before\ninto the log\n"
    assert Report(tmp_path / "r.db").value(
        "SELECT c.value FROM ProcessStreams p JOIN StringIds c ON c.id = p.contentId") == (
            "into the log\n")


def test_process_names_and_thread_names(tmp_path):
    report = profile(tmp_path, "cat", "/dev/null")
    assert re.fullmatch(r"/.*/cat", report.value("SELECT name FROM PROCESSES"))
    assert report.value("SELECT s.value FROM ThreadNames t JOIN StringIds s ON s.id = t.nameId") == "cat"
    assert report.value("SELECT priority FROM ThreadNames") == 20 + os.nice(0)


def test_names_that_are_not_utf8_are_escaped(tmp_path):
    copied = tmp_path / "c\udce9t"  # the file name has the byte 0xe9
    shutil.copy(shutil.which("cat"), copied)
    report = profile(tmp_path, copied, "/dev/null")
    escaped = str(tmp_path / r"c\xe9t")
    assert report.value("SELECT name FROM PROCESSES") == escaped
    assert report.value("SELECT s.value FROM ThreadNames t JOIN StringIds s ON s.id = t.nameId") == r"c\xe9t"
    assert report.value("SELECT value FROM META_DATA_CAPTURE WHERE name = 'PROCESS_0:COMMAND'") == escaped
