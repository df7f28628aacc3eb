"""prof attach to many kinds of programs: none of them notices. attach_kinds_limited.c has waits with a limit of time,
attach_kinds_endless.c those without, attach_kinds_others.c threads, stacks, children, and what seccomp confines."""
import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from profiling import HAS_SANITIZER, program
from sessions import sessions  # noqa: F401
from test_attach import Attached

pytestmark = pytest.mark.skipif(HAS_SANITIZER, reason="the injected library is built with a sanitizer's runtime")

ATTACHES = int(os.environ.get("PROF_ATTACHES", "2"))
# No thread of these is ever at a point where prof may start its own, or seccomp forbids it.
REFUSED = {"send_full": "no thread", "recv_all": "no thread", "alternate_stack": "no thread",
           "filtered": "seccomp", "filtered_with_error": "seccomp", "filtered_thread": "seccomp",
           "strict": "seccomp", "strict_thread": "seccomp"}
# These install a filter while prof records: the next prof attach refuses them.
LATE = {"late_filter", "late_filter_with_error", "late_filter_in_thread", "late_strict"}
# They make memory, threads and children themselves all the time.
CHANGING = {"allocating", "forks", "short_threads", "threads"}


def kinds():
    return subprocess.run([program("attach_kinds"), "list"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()


class Kind:
    def __init__(self, name):
        self.name = name
        self.process = subprocess.Popen([program("attach_kinds"), name], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)
        assert self.process.stdout.readline() == "ready\n"

    def mappings(self):
        """Of the first thread that has any: one that has ended has none."""
        for task in sorted(os.listdir(f"/proc/{self.process.pid}/task"), key=int):
            with contextlib.suppress(OSError):
                if count := Path(f"/proc/{task}/maps").read_text().count("\n"):
                    return count
        return 0

    def signals(self):
        """The masks of all threads, and what the process does with signals."""
        lines = []
        for task in sorted(os.listdir(f"/proc/{self.process.pid}/task"), key=int):
            try:
                status = Path(f"/proc/{self.process.pid}/task/{task}/status").read_text()
            except (FileNotFoundError, ProcessLookupError):
                continue  # the thread has ended
            lines += [line for line in status.splitlines() if line.startswith(("SigBlk", "SigIgn"))]
        return lines

    def ends(self):
        """Returns the exit status and what it says after "ready"."""
        out, _ = self.process.communicate(timeout=60)
        return self.process.returncode, out


@pytest.mark.parametrize("name", kinds())
def test_the_program_does_not_notice(sessions, tmp_path, name):
    alone, kind = Kind(name), Kind(name)
    time.sleep(0.2)
    signals = kind.signals()
    mappings = []
    try:
        for i in range(1 if name in REFUSED else ATTACHES):
            duration = "1.4" if name.startswith("late") else "0.1"
            done = sessions.command("attach", kind.process.pid, "-d", duration, "-o", tmp_path / f"r{i}", "-t", "osrt,nvtx",
                                    "--sample=none", "--cpuctxsw=none", "-f", "true")
            if name in REFUSED:
                assert done.returncode != 0 and REFUSED[name] in done.stderr, done.stderr
            elif name not in LATE or i == 0:
                assert done.returncode == 0, done.stderr
            mappings.append(kind.mappings())
        if name not in CHANGING and name != "timer_signals":
            assert kind.signals() == signals
    finally:
        expected, got = alone.ends(), kind.ends()
    assert expected == (0, "ended\n")
    assert got == expected
    if name not in CHANGING:
        assert mappings[-1] <= mappings[0] + 1, mappings


def test_a_refusal_leaves_nothing(sessions, tmp_path):
    """The loader has no descriptor for prof's library. The stack of prof's thread is used again each time."""
    running = subprocess.Popen([sys.executable, "-c", "import resource, time; print(flush=True); "
                                "resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3)); time.sleep(1000)"], stdout=subprocess.PIPE)
    try:
        running.stdout.readline()
        mappings = []
        for _ in range(14):
            assert "cannot load prof's library" in sessions.refuses("attach", running.pid, "-o", tmp_path / "r", "-t", "osrt")
            mappings.append(len(Path(f"/proc/{running.pid}/maps").read_text().splitlines()))
        # libc's own memory for threads may grow by a mapping or two; each stack that is left would be one more.
        assert mappings[-1] - mappings[3] <= 3, mappings
    finally:
        running.kill()
        running.communicate()


def test_a_program_that_starts_itself_again(sessions, tmp_path):
    """It is recorded, and can be attached to again."""
    script = tmp_path / "again.py"
    script.write_text("""
import os, sys, time
print("again" if len(sys.argv) > 1 else "ready", flush=True)
if len(sys.argv) == 1 and sys.stdin.readline(): os.execv(sys.executable, [sys.executable, __file__, "again"])
while sys.stdin.readline(): print(*(name for name in os.environ if name.startswith("PROF_")), flush=True)
""")
    running = subprocess.Popen([sys.executable, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert running.stdout.readline() == "ready\n"
        attached = Attached(sessions, running.pid, tmp_path / "a.db", "-t", "osrt", "--sample=none")
        running.stdin.write("\n")
        running.stdin.flush()
        assert running.stdout.readline() == "again\n"
        attached.ends()
        sessions.wait_for(lambda states: not states)
        for i in range(2):
            sessions.works("attach", running.pid, "-d", "0.1", "-o", tmp_path / f"b{i}", "-t", "osrt", "--sample=none")
        assert running.poll() is None
    finally:
        running.kill()
        running.communicate()
