"""Ranges that begin late: versions of PyPI's nvtx, and a client in C, in each way of recording later than the program
begins. They ask once whether somebody records, and make no range in their lives if the answer is no."""
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from profiling import SOURCE, Report, children, program, source_of
from sessions import sessions  # noqa: F401
from test_attach import Attached
from test_control import ask, commands_of, wait_until

TRACE = "-t", "nvtx"
ALONE = *TRACE, "--sample=none", "--cpuctxsw=none", "--python-sampling=false"
# ./dev installs the old ones here, as far as there are any for this Python.
OLD = SOURCE / "build" / "nvtx-versions"


def folders():
    nvtx = pytest.importorskip("nvtx")
    return [*sorted(path for path in OLD.glob("0.*") if path.is_dir()), Path(nvtx.__file__).parents[1]]


@pytest.fixture(params=["nvtx_phases.py", "nvtx_asks_once"])
def command(request):
    if request.param == "nvtx_asks_once":
        return [program(request.param)]
    return [sys.executable, source_of(request.param), *folders()]


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
def begins(sessions, command):
    """Starts the program in the background, under this verb of prof."""
    return lambda *words, environment=(), **options: Phases(sessions.background(
        *words, *command, stdin=subprocess.PIPE,
        environment={"PYTHONDONTWRITEBYTECODE": "1", **dict(environment)}, **options))


@pytest.fixture
def runs(command):
    """Starts the program without prof."""
    started = []

    def start():
        started.append(Phases(subprocess.Popen(list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                               stderr=subprocess.PIPE, text=True)))
        return started[-1]

    yield start
    for each in started:
        each.process.kill()
        each.process.communicate()


def recorded(path):
    """{pid: {name: count}} of the report."""
    found, report = {}, Report(path)
    for row in report.nvtx():
        if row["eventType"] in (34, 59, 60) and row["name"] != "captured":
            found.setdefault(row["pid"], Counter())[row["name"]] += 1
    if "GENERIC_EVENTS" in report.tables():
        types = {row["typeId"]: json.loads(row["data"])["globalPid"] >> 24 & 0xffffff
                 for row in report.query("SELECT typeId, data FROM GENERIC_EVENT_TYPES")}
        for row in report.query("SELECT typeId FROM GENERIC_EVENTS"):
            found.setdefault(types[row["typeId"]], Counter())["samples"] += 1
    return found


def has_exactly(path, counted, *phases, samples=True):
    """The report has the events of these phases, of each version as many as the program counted."""
    found = recorded(path)
    for version, (pid, counts) in counted.items():
        expected = sum((Counter(counts[phase]) for phase in phases), Counter())
        if not samples:
            expected.pop("samples", None)
        assert (version, found.pop(pid, {})) == (version, expected)
    assert not found


def test_a_delay(begins, tmp_path):
    for delay in (1.5, 6, 24):  # the machine may be slow
        client = begins("profile", *ALONE, "-y", delay, "-f", "true", "-o", tmp_path / "r")
        client.does("start", "load", "use")
        is_in_time = client.status() == "ok DelayedCollection"
        wait_until(lambda: client.status() == "ok Collection")
        client.does("phase", "phase")
        counted = client.end()
        if is_in_time:
            break
    has_exactly(tmp_path / "r.db", counted, 1, 2)


def test_launch_start_stop(begins, sessions, tmp_path):
    """Phases in which nobody records lie before, between and after the collections."""
    client = begins("launch", *TRACE)
    client.does("start", "load", "use")
    for i in range(2):
        sessions.works("start", "-o", tmp_path / f"r{i}")
        client.does("phase")
        sessions.works("stop")
        client.does("phase")
    counted = client.end()
    has_exactly(tmp_path / "r0.db", counted, 1)
    has_exactly(tmp_path / "r1.db", counted, 3)


def test_start_on_a_file(begins, tmp_path):
    client = begins("profile", *ALONE, "--start-on=file:go", "-o", tmp_path / "r", cwd=tmp_path)
    client.does("start", "load", "use")
    (tmp_path / "go").write_text("")
    wait_until(lambda: client.status() == "ok Collection")
    client.does("phase")
    has_exactly(tmp_path / "r.db", client.end(), 1)


@pytest.mark.parametrize("command", ["nvtx_phases.py"], indirect=True)
def test_capture_ranges(begins, tmp_path):
    """Each version has the range that begins one, in turn."""
    versions = len(folders())
    client = begins("profile", *ALONE, "-c", "nvtx", "-p", "captured@captures",
                     f"--capture-range-end=repeat:{versions}", "-o", tmp_path / "r")
    client.does("start", "load", "use")
    for i in range(versions):
        client.does(f"capture {i}")
    client.does("phase")
    counted = client.end()
    for i in range(versions):
        has_exactly(tmp_path / f"r.{i + 1}.db", counted, i + 1)


def test_a_flight_recorder(begins, sessions, tmp_path):
    client = begins("launch", *TRACE, "--flight-recorder=600s", "-o", tmp_path / "r")
    client.does("start", "load", "use", "phase")
    sessions.works("snapshot", "-o", tmp_path / "s")
    has_exactly(tmp_path / "s.db", client.end(), 0, 1)


@pytest.mark.parametrize("before", [[], ["load"]])
def test_attach_before_the_first_use(runs, sessions, tmp_path, before):
    client = runs()
    client.does("start", *before)
    attached = Attached(sessions, client.process.pid, tmp_path / "r0.db", *TRACE, "--sample=none")
    client.does(*["load"][len(before):], "use", "phase")
    attached.ends()
    client.does("phase")
    attached = Attached(sessions, client.process.pid, tmp_path / "r1.db", *TRACE, "--sample=none")
    client.does("phase")
    assert not [text for text in attached.ends().diagnostics() if "before prof" in text]
    counted = client.end()
    has_exactly(tmp_path / "r0.db", counted, 0, 1)
    has_exactly(tmp_path / "r1.db", counted, 3, samples=False)  # the counter belongs to the first session


@pytest.mark.parametrize("command", ["nvtx_phases.py"], indirect=True)
def test_attach_after_the_first_use(runs, sessions, tmp_path):
    """Versions that ask once have no ranges for prof, and the report says so. The others have all. Strings that were
    registered before have no text: NVTX's answer was null."""
    client = runs()
    client.does("start", "load", "use")
    attached = Attached(sessions, client.process.pid, tmp_path / "r.db", *TRACE, "--sample=none")
    client.does("phase")
    report = attached.ends()
    counted = client.end()
    found = recorded(tmp_path / "r.db")
    never_ask = {pid: phases[1] for version, (pid, phases) in counted.items() if version in ("0.2.5", "0.2.8", "0.2.10")}
    assert found.keys() == never_ask.keys()
    for pid, counts in never_ask.items():
        assert sum(found[pid].values()) == sum(counts.values())
        assert {name: count for name, count in found[pid].items() if name is not None}.items() <= counts.items()
    said = [text for text in report.diagnostics() if "before prof was attached" in text]
    assert len(said) == len(counted) - len(never_ask)
