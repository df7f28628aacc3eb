"""Runs a commanded server under a flight recorder (prof profile --flight-recorder, prof launch --flight-recorder)."""
import contextlib
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from profiling import PROF, Report, program
from sessions import Sessions

MEMORY = Path("/dev/shm")
TRACE = "-t", "nvtx,osrt", "--sample=none", "--cpuctxsw=none"


def folders(pid):
    """The folders of events of a prof's flight recorder."""
    return list(MEMORY.glob(f"prof-flight-{os.geteuid()}-{pid}-*"))


def bytes_in(folder):
    total = 0
    for path in folder.iterdir():
        with contextlib.suppress(FileNotFoundError):
            total += path.lstat().st_size
    return total


class Recorder:
    """prof profile --flight-recorder with a server that obeys."""

    def __init__(self, sessions, path, *options, window="1s", command=None, trace=TRACE, verb="profile",
                 environment=()):
        self.sessions = sessions
        self.path = Path(path)
        self.process = sessions.background(
            verb, *trace, f"--flight-recorder={window}", *options, "-o", self.path / "r",
            *(command or [program("commanded_server")]), stdin=subprocess.PIPE, cwd=path,
            environment=environment)

    def say(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def ask(self, command):
        """Returns the number of the next request."""
        self.say(command)
        return int(self.process.stdout.readline())

    def times(self):
        """{number: (begin, end)} of the last requests, by the program's own clock."""
        self.say("times")
        found = {}
        while (line := self.process.stdout.readline().split()):
            found[int(line[0])] = int(line[1]), int(line[2])
        return found

    def serve(self, seconds=1.2):
        """Until that much more has been recorded."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            time.sleep(0.05)
        return self.ask("hello")

    def end(self):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        return self.wait()

    def wait(self):
        self.process.stdin = None
        self.process.output = self.process.communicate(timeout=120)
        return self.process.returncode

    def reports(self):
        return sorted(path.name for path in self.path.glob("*.db"))

    def wait_for_report(self, name, seconds=60):
        deadline = time.monotonic() + seconds
        while not (self.path / name).exists() or list(self.path.glob(f"{name}.*")):
            assert time.monotonic() < deadline and self.process.poll() is None, self.reports()
            time.sleep(0.02)
        return Report(self.path / name)


def causes(report):
    """What the report says about why it was written: [{TRIGGER, CAUSE, TIME_NS, PID, TID}]."""
    found = {}
    for row in report.query("SELECT name, value FROM META_DATA_CAPTURE WHERE name LIKE 'FLIGHT_RECORDER:%'"):
        if at := re.fullmatch(r"FLIGHT_RECORDER:(\w+)_(\d+)", row["name"]):
            found.setdefault(int(at[2]), {})[at[1]] = row["value"]
    return [found[i] for i in sorted(found)]


def requests(report):
    """{number: (start, end)} of the server's ranges, ns on the timeline."""
    return {row["int64Value"]: (row["start"], row["end"]) for row in report.query(
        "SELECT int64Value, start, end FROM NVTX_EVENTS WHERE eventType = 59 AND int64Value IS NOT NULL")}


@pytest.fixture
def flights(sessions, tmp_path):
    """Starts recorders, and ends them after the test."""
    started = []

    def start(*options, **more):
        started.append(Recorder(sessions, tmp_path, *options, **more))
        return started[-1]
    yield start
    for each in started:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(each.process.pid, signal.SIGKILL)
        each.process.wait()
        # What is left of those that were killed.
        for folder in [*folders(each.process.pid), *sessions.folder.glob(f"prof-{each.process.pid}-*")]:
            subprocess.run(["rm", "-r", folder], check=True)
    sessions.list()  # removes the sockets that nobody listens to
    for name in ("prof",):
        with contextlib.suppress(OSError):
            (sessions.folder / name).rmdir()


__all__ = ["PROF", "Recorder", "Report", "Sessions", "causes", "flights", "folders", "requests"]
