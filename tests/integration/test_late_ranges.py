"""Ranges that begin late: versions of PyPI's nvtx, in each way of recording later than the program begins. The newer
versions ask once whether somebody records, and make no range in their lives if the answer is no."""
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from profiling import SOURCE, Report, children, source_of
from sessions import sessions  # noqa: F401
from test_control import ask, commands_of, wait_until

TRACE = "-t", "nvtx"
ALONE = *TRACE, "--sample=none", "--cpuctxsw=none", "--python-sampling=false"
# ./dev installs the old ones here, as far as there are any for this Python.
OLD = SOURCE / "build" / "nvtx-versions"


def folders():
    nvtx = pytest.importorskip("nvtx")
    return [*sorted(path for path in OLD.glob("0.*") if path.is_dir()), Path(nvtx.__file__).parents[1]]


def command():
    return sys.executable, source_of("nvtx_phases.py"), *folders()


class Phases:
    """nvtx_phases.py, which runs under prof or not."""

    def __init__(self, process):
        self.process = process

    def does(self, *lines):
        for line in lines:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            assert self.process.stdout.readline() == "done\n"

    def pid(self):
        """Of the program that prof has started."""
        wait_until(lambda: children(self.process.pid))
        pid, = children(self.process.pid)
        wait_until(lambda: "PROF_SESSION" in Path(f"/proc/{pid}/environ").read_text())
        return pid

    def status(self):
        return ask(commands_of(self.pid()), "status")[0]

    def end(self):
        """What the children counted: {version: (pid, [{name: count} for each phase])}"""
        out, errors = self.process.communicate(timeout=120)
        assert self.process.returncode == 0, errors
        found = json.loads(next(line for line in out.splitlines() if line.startswith("{")))
        return {version: (each["pid"], each["counts"]) for version, each in found.items()}


@pytest.fixture
def begins(sessions):
    """Starts the program in the background, under this verb of prof."""
    return lambda *words, environment=(), **options: Phases(sessions.background(
        *words, *command(), stdin=subprocess.PIPE, 
        environment={"PYTHONDONTWRITEBYTECODE": "1", **dict(environment)}, **options))


def recorded(path):
    """{pid: {name: count}} of the report."""
    found = {}
    for row in Report(path).nvtx():
        if row["eventType"] in (34, 59, 60) and row["name"] != "captured":
            found.setdefault(row["pid"], Counter())[row["name"]] += 1
    return found


def has_exactly(path, counted, *phases):
    """The report has the events of these phases, of each version as many as the program counted."""
    found = recorded(path)
    assert len(counted) == len(folders())
    for version, (pid, counts) in counted.items():
        expected = {name: count for phase in phases for name, count in counts[phase].items()}
        assert (version, found.pop(pid, {})) == (version, expected)
    assert not found


def test_a_delay(begins, tmp_path):
    for delay in (1.5, 6, 24):  # the machine may be slow
        program = begins("profile", *ALONE, "-y", delay, "-f", "true", "-o", tmp_path / "r")
        program.does("start", "load", "use")
        is_in_time = program.status() == "ok DelayedCollection"
        wait_until(lambda: program.status() == "ok Collection")
        program.does("phase", "phase")
        counted = program.end()
        if is_in_time:
            break
    has_exactly(tmp_path / "r.db", counted, 1, 2)


def test_launch_start_stop(begins, sessions, tmp_path):
    """Phases in which nobody records lie before, between and after the collections."""
    program = begins("launch", *TRACE)
    program.does("start", "load", "use")
    for i in range(2):
        sessions.works("start", "-o", tmp_path / f"r{i}")
        program.does("phase")
        sessions.works("stop")
        program.does("phase")
    counted = program.end()
    has_exactly(tmp_path / "r0.db", counted, 1)
    has_exactly(tmp_path / "r1.db", counted, 3)


def test_start_on_a_file(begins, tmp_path):
    program = begins("profile", *ALONE, "--start-on=file:go", "-o", tmp_path / "r", cwd=tmp_path)
    program.does("start", "load", "use")
    (tmp_path / "go").write_text("")
    wait_until(lambda: program.status() == "ok Collection")
    program.does("phase")
    has_exactly(tmp_path / "r.db", program.end(), 1)


def test_capture_ranges(begins, tmp_path):
    """Each version has the range that begins one, in turn."""
    versions = len(folders())
    program = begins("profile", *ALONE, "-c", "nvtx", "-p", "captured@captures",
                     f"--capture-range-end=repeat:{versions}", "-o", tmp_path / "r")
    program.does("start", "load", "use")
    for i in range(versions):
        program.does(f"capture {i}")
    program.does("phase")
    counted = program.end()
    for i in range(versions):
        has_exactly(tmp_path / f"r.{i + 1}.db", counted, i + 1)


def test_a_flight_recorder(begins, sessions, tmp_path):
    program = begins("launch", *TRACE, "--flight-recorder=600s", "-o", tmp_path / "r")
    program.does("start", "load", "use", "phase")
    sessions.works("snapshot", "-o", tmp_path / "s")
    has_exactly(tmp_path / "s.db", program.end(), 0, 1)
