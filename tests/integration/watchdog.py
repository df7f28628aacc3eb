"""Says where a test hangs, and ends it, before ctest ends the whole file without a word.

What is printed: the test, the Python lines of all threads, and what the kernel knows of the processes that the tests
started. Then these are killed, so that the test fails, and pytest ends with its usual summary.
"""
import contextlib
import faulthandler
import os
import signal
import sys
import threading
import time
from pathlib import Path

MARK = "PROF_TEST_RUN"  # also in the environment of processes that have left the tree
MOST_PROCESSES, MOST_THREADS = 30, 6


def read(path):
    try:
        return Path(path).read_bytes().decode(errors="replace")
    except OSError:
        return ""


def processes():
    """pid -> pid of the parent."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        if stat := read(folder / "stat"):
            found[int(folder.name)] = int(stat.rpartition(")")[2].split()[1])
    return found


def started_processes(mark):
    """(pid, depth) of the processes below this one, and then of others that have the mark."""
    parents = processes()
    found = []

    def add_children(pid, depth):
        for child in sorted(each for each, parent in parents.items() if parent == pid):
            found.append((child, depth))
            add_children(child, depth + 1)

    add_children(os.getpid(), 1)
    known = {os.getpid(), *(pid for pid, _ in found)}
    return found + [(pid, 1) for pid in sorted(parents) if pid not in known and mark in read(f"/proc/{pid}/environ").split("\0")]


def state_of_thread(folder):
    state = read(folder / "stat").rpartition(")")[2].split()[:1]
    stack = " < ".join(line.split()[-1].partition("+")[0] for line in read(folder / "stack").splitlines())
    return (f"{folder.name} {read(folder / 'comm').strip()}: state {' '.join(state)}, wchan {read(folder / 'wchan')}, "
            f"syscall {read(folder / 'syscall').strip()}, stack {stack or '-'}")


def describe(pid, depth):
    command = read(f"/proc/{pid}/cmdline").replace("\0", " ")[:200]
    yield f"{'  ' * depth}{pid} {command or '(no command line: a zombie, or a thread of the kernel)'}"
    for folder in sorted(Path(f"/proc/{pid}/task").glob("*"))[:MOST_THREADS]:
        yield f"{'  ' * depth}    thread {state_of_thread(folder)}"


class Watchdog:
    """A plugin of pytest."""

    def __init__(self, seconds):
        """`seconds`: how long ctest lets the file run."""
        self.limits = seconds / 2, seconds * 5 / 6  # of one test, and of all
        self.stderr = os.fdopen(os.dup(sys.stderr.fileno()), "w")  # pytest replaces descriptor 2 while a test runs
        self.begin = self.test_begin = time.monotonic()
        self.session = self.test = None
        self.mark = f"{os.getpid()}.{time.time_ns()}"
        os.environ[MARK] = self.mark

    def pytest_sessionstart(self, session):
        self.session = session
        threading.Thread(target=self.watch, daemon=True).start()

    def pytest_runtest_logstart(self, nodeid):
        self.test, self.test_begin = nodeid, time.monotonic()

    def watch(self):
        while True:
            time.sleep(0.5)
            now = time.monotonic()
            if self.test and (now - self.test_begin > self.limits[0] or now - self.begin > self.limits[1]):
                self.report(now)
                time.sleep(10)

    def report(self, now):
        found = started_processes(f"{MARK}={self.mark}")
        print(f"\n==== hangs: {self.test}, {now - self.test_begin:.0f} of {now - self.begin:.0f} s", file=self.stderr, flush=True)
        faulthandler.dump_traceback(self.stderr)
        for pid, depth in found[:MOST_PROCESSES]:
            print(*describe(pid, depth), sep="\n", file=self.stderr)
        print("==== these processes are killed", file=self.stderr, flush=True)
        self.session.shouldfail = f"{self.test} hung"  # nothing runs after it
        for pid, _ in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
