"""prof attach to programs whose threads are in signal handlers, and how its sessions end."""
import time
from pathlib import Path

import pytest
from profiling import HAS_SANITIZER, Report, children, program
from sessions import sessions  # noqa: F401
from test_attach import OPTIONS, Attached, Program, calls, pointers_to_prof, server  # noqa: F401

pytestmark = pytest.mark.skipif(HAS_SANITIZER, reason="the injected library is built with a sanitizer's runtime")


@pytest.mark.parametrize("interrupted", ["select", "mask", "old"])
def test_a_handler_that_interrupted_nothing_critical(sessions, tmp_path, interrupted):
    """PostgreSQL's helper processes are in such a handler."""
    running = Program(program("attach_in_handler"), interrupted)
    for i in range(2):
        attached = Attached(sessions, running.pid, tmp_path / f"r{i}.db", *OPTIONS)
        running.does("work")
        assert calls(attached.ends(), "usleep") == 10
    assert running.pointers_to_prof() == 0
    assert running.end() == (7, "", "")


def test_another_handler(sessions, tmp_path):
    """What it interrupted may hold a lock. prof does not try, and the program goes on."""
    running = Program(program("attach_in_handler"), "raise")
    assert "outside of a signal handler" in sessions.refuses("attach", running.pid, "-o", tmp_path / "r.db")
    assert "libprof" not in Path(f"/proc/{running.pid}/maps").read_text()
    running.does("work")
    assert running.end() == (7, "", "")
    assert not sessions.states()


def test_a_report_that_exists(sessions, server, tmp_path):
    """Nothing is attached to, and no session is left."""
    running = server()
    (tmp_path / "r.db").touch()
    assert "r.db exists" in sessions.refuses("attach", running.pid, "-o", tmp_path / "r.db")
    assert not sessions.states() and "libprof" not in Path(f"/proc/{running.pid}/maps").read_text()


@pytest.mark.parametrize("how", [["stop"], ["shutdown"]])
def test_another_command_ends_it(sessions, server, tmp_path, how):
    """The program goes on, as it was before."""
    running = server()
    attached = Attached(sessions, running.pid, tmp_path / "r.db", *OPTIONS)
    running.does("work 5")
    sessions.works(*how, "--session", f"attach-{running.pid}")
    assert attached.prof.wait(60) == 0
    assert calls(Report(tmp_path / "r.db"), "sched_yield") == 20
    assert running.pointers_to_prof() == 0
    sessions.wait_for(lambda states: not states)
    running.does("work 5")


def test_children_that_are_forked_while_prof_attaches(sessions, tmp_path):
    """They are recorded, and let go as their parent is."""
    running = Program(program("attach_forks"))
    born = []
    for i in range(3):
        sessions.works("attach", running.pid, "-d", "0.3", "-o", tmp_path / f"r{i}.db", *OPTIONS)
        running.process.stdin.write("\n")
        running.process.stdin.flush()
        born = [int(word) for word in running.process.stdout.readline().split()]
        assert len(born) == 10 * (i + 1)
        for process in [running.pid, *born]:
            assert "memfd:prof" not in Path(f"/proc/{process}/maps").read_text()
            assert pointers_to_prof(process) == 0
        recorded = {row[0] for row in Report(tmp_path / f"r{i}.db").query(
            "SELECT DISTINCT globalTid / 0x1000000 % 0x1000000 FROM OSRT_API")}
        assert not set(born) - recorded
    assert running.end() == (7, "", "")


def test_children_that_are_forked_while_prof_looks_up_symbols(sessions, tmp_path):
    """They do not inherit a lock of libc that a thread of prof holds: PostgreSQL calls setlocale() next."""
    running = Program(program("attach_fork_locks"))
    for i in range(2):
        sessions.works("attach", running.pid, "-d", "0.1", "-o", tmp_path / f"r{i}.db", *OPTIONS)
    running.process.stdin.write("\n")
    running.process.stdin.flush()
    forked, locked = map(int, running.process.stdout.readline().split())
    assert forked >= 1 and locked == 0
    assert running.end() == (7, "", "")


def test_children_that_are_forked_while_the_library_is_loaded(sessions, tmp_path):
    """No child has a part of the library in its loader's lists: its next thread, or its next dlopen, could fail."""
    for i in range(3):
        running = Program(program("attach_fork_loads"))
        sessions.works("attach", running.pid, "-d", "0.1", "-o", tmp_path / f"r{i}.db", *OPTIONS)
        running.process.stdin.write("\n")
        running.process.stdin.flush()
        forked, whole, in_part, failed = map(int, running.process.stdout.readline().split())
        assert forked > whole > 0 and (in_part, failed) == (0, 0)
        assert running.end() == (7, "", "")


def has_arena(process):
    try:
        return "memfd:prof" in Path(f"/proc/{process}/maps").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False  # it has ended


def test_a_program_that_forks_all_the_time(sessions, tmp_path):
    """Children that come while prof attaches and detaches lead to prof as little as their parent does."""
    # Python 3.12 warns about a fork in a process with threads.
    running = Program("/usr/bin/python3", "-W", "ignore::DeprecationWarning", "-c", """
import os, sys, threading, time
print("ready", flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(7)), daemon=True).start()
while True:
    if os.fork() == 0:
        time.sleep(0.4)
        os._exit(0)
    try:
        while os.waitpid(-1, os.WNOHANG) != (0, 0): pass
    except ChildProcessError:
        pass
    time.sleep(0.01)
""")
    for i in range(4):
        said = sessions.works("attach", running.pid, "-d", "0.1", "-o", tmp_path / f"r{i}.db", *OPTIONS)
        processes = [running.pid, *children(running.pid)]
        assert len(processes) > 3
        assert [each for each in processes if has_arena(each)] == [], f"{processes} {said}"
        time.sleep(0.05)
    assert running.end() == (7, "", "")
