"""A launched program and its terminal: as without prof."""
import os
import pty
import signal
import time
from pathlib import Path

from profiling import PROF, program, wait_until
from sessions import numbers, sessions, wait_until_joined  # noqa: F401

TRACE = "-t", "nvtx,osrt"


def state_of(pid):
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]


def test_a_closed_terminal(sessions, tmp_path):
    """A program that ignores the hang-up goes on, and so does its collection."""
    words = [str(PROF), "launch", *TRACE, "sh", "-c", f"trap '' HUP; exec {program('numbered_ranges')} 60"]
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(words[0], words, sessions.environment)
    sessions.wait_for(lambda states: states and sessions.described()["programs"])
    wait_until_joined(sessions.described()["programs"][0])
    sessions.works("start", "-o", tmp_path / "r")
    os.close(terminal)
    time.sleep(0.2)
    assert sessions.states() == {"[default]": "Collection"}
    sessions.works("stop")
    assert len(numbers(tmp_path / "r.db")) > 10
    sessions.works("shutdown", "--kill=sigkill")
    os.waitpid(pid, 0)


def test_prof_stops_and_continues_with_the_program(sessions):
    launched = sessions.running(*TRACE, program("numbered_ranges"), 60)
    running, = sessions.described()["programs"]
    os.kill(running, signal.SIGSTOP)
    wait_until(lambda: state_of(launched.pid) == "T")
    os.kill(launched.pid, signal.SIGCONT)
    wait_until(lambda: state_of(running) != "T" and state_of(launched.pid) != "T")
    os.kill(launched.pid, signal.SIGTERM)  # passed on
    assert launched.wait(60) == 128 + signal.SIGTERM


def test_the_program_has_the_terminal(sessions):
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(str(PROF), [str(PROF), "launch", *TRACE, "sh", "-c", "test -t 0 && test -t 1 && read line && echo got $line"],
                  sessions.environment)
    time.sleep(0.2)
    os.write(terminal, b"this\n")
    output = b""
    while b"got this" not in output:
        output += os.read(terminal, 4096)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    os.close(terminal)
    sessions.wait_for(lambda states: not states)
