"""prof top, and prof stats --session: what is being recorded now."""
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

import pytest
from cuda_app import APP, CUPTI, needs_cuda
from profiling import PROF, prof, program, source_of
from sessions import sessions  # noqa: F401
from test_monitor import Live


@contextlib.contextmanager
def recording(tmp_path, *command, traces="nvtx,osrt", options=()):
    process = subprocess.Popen(
        [str(PROF), "profile", "-t", traces, "--cupti-path", str(CUPTI), "-o", str(tmp_path / "r.db"), *options,
         *map(str, command)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def until(condition, *arguments, **options):
    """The first snapshot that fulfils the condition."""
    end = time.monotonic() + 240
    while True:
        done = prof("top", "--json", "-n", "1", "-i", "0.1", *arguments, **options)
        seen = json.loads(done.stdout) if done.returncode == 0 else None
        if seen and condition(seen):
            return seen
        assert time.monotonic() < end, (done.stdout[-3000:], done.stderr)
        time.sleep(0.1)


def names(seen, kind):
    return {row["name"]: row for row in seen[kind]}


def test_ranges_calls_functions_and_threads(tmp_path):
    with recording(tmp_path, sys.executable, source_of("ranges.py")) as process:
        def shows_module(seen):
            return any(name.startswith("<module> (") and "ranges.py:" in name for name in names(seen, "python"))

        seen = until(lambda seen: seen["ranges"] and seen["threads"] and seen["os"] and shows_module(seen), process.pid)
        ranges = names(seen, "ranges")
        outer, inner, other = (ranges[name] for name in ("outer", "inner", "other"))
        assert outer["share"] >= inner["share"] + other["share"] - 0.001
        assert 0 < outer["share"] <= 1.001 and abs(outer["count"] - inner["count"]) <= 1
        assert outer["per_second"] == pytest.approx(outer["count"] / seen["seconds"])
        assert 2e6 <= inner["p50_ns"] <= inner["p99_ns"] <= inner["longest_ns"]
        assert names(seen, "os")["usleep"]["p50_ns"] >= 2e6
        assert sum(row["share"] for row in seen["python"]) == pytest.approx(1)
        # The window has moved on.
        seen = until(lambda seen: "early" not in names(seen, "ranges"), process.pid, "-w", "1")
        assert "outer" in names(seen, "ranges") and seen["seconds"] <= 1.001
        only = until(lambda seen: seen["ranges"], process.pid, "--show", "ranges", "--filter", "inn", "--sort", "p99")
        assert names(only, "ranges").keys() == {"inner"} and "os" not in only
        page = tmp_path / "page.html"
        done = prof("view", "--session", process.pid, "--html", page)
        assert done.returncode == 0 and page.stat().st_size > 10000, done.stderr
        done = prof("top", "-n", "1", "-i", "0.1", process.pid)
        assert done.returncode == 0 and "NVTX ranges" in done.stdout and "\x1b" not in done.stdout
        # The program itself is a name for its recording, too.
        child = int(prof("top", "-n", "1", "--json", "--show", "threads", process.pid).stdout.split('"name":"')[1].split()[0])
        assert prof("top", "-n", "1", "-i", "0.1", child).returncode == 0


@pytest.fixture
def runtime_folder():
    """A folder where tests of prof snapshot do not find a recorder."""
    with tempfile.TemporaryDirectory(prefix="prof-t-") as folder:
        yield folder


@pytest.mark.parametrize("options", [[], ["--sample=none", "--cpuctxsw=none"]], ids=["sampled", "ranges_only"])
@pytest.mark.parametrize("window", ["2s", "30s"])
def test_a_flight_recorder(tmp_path, monkeypatch, runtime_folder, window, options):
    monkeypatch.setenv("XDG_RUNTIME_DIR", runtime_folder)
    with recording(tmp_path, sys.executable, source_of("ranges.py"),
                   options=[f"--flight-recorder={window}", *options]) as process:
        def shows_ranges(seen):
            return {"outer", "inner"} <= names(seen, "ranges").keys() and seen["threads"] and seen["os"]

        until(shows_ranges, process.pid)
        # More than the window has passed, so parts of the recording were dropped.
        time.sleep(3)
        until(shows_ranges, process.pid, "-w", "1")
        done = prof("stats", "--session", process.pid, "-r", "nvtx_sum")
        assert done.returncode == 0 and "inner" in done.stdout, done.stderr
        page = tmp_path / "page.html"
        (tmp_path / "temporary").mkdir()
        done = prof("view", "--session", process.pid, "--html", page,
                    env={**os.environ, "TMPDIR": str(tmp_path / "temporary")})
        assert done.returncode == 0 and page.stat().st_size > 10000, done.stderr
        # The copy of the recording is gone.
        assert not list((tmp_path / "temporary").iterdir())


def test_ranges_that_are_left_out_are_counted(tmp_path):
    """One "outer" for 333 "third" and 667 "other". About as many of them are recorded as of each other."""
    with recording(tmp_path, program("known_rates"), "ranges", 10**12, options=["--max-overhead", "0.1%"]) as process:
        seen = until(lambda seen: names(seen, "ranges").get("outer", {"count": 0})["count"] > 10000, process.pid)
        ranges = names(seen, "ranges")
        assert 300 < ranges["other"]["count"] / ranges["outer"]["count"] < 1300
        assert 1.5 < ranges["other"]["count"] / ranges["third"]["count"] < 2.7


@needs_cuda
def test_kernels_and_gpus(tmp_path):
    with recording(tmp_path, APP, "serve", "100", traces="cuda") as process:
        seen = until(lambda seen: seen["kernels"], process.pid)
        kernel, = (row for row in seen["kernels"] if row["name"] == "serve")
        gpu, = seen["gpus"]
        assert gpu["device"] == 0 and 0 < gpu["busy"] <= 1
        assert any(name.startswith("cudaLaunchKernel") for name in names(seen, "api"))
        # One kernel runs at a time.
        assert gpu["busy"] == pytest.approx(sum(row["share"] for row in seen["kernels"]), rel=0.01)
        assert kernel["count"] > 0


def test_the_end_of_the_recording_ends_it(tmp_path):
    with recording(tmp_path, sys.executable, source_of("ranges.py")) as process:
        seen = until(lambda seen: seen["threads"], process.pid)
        child = int(seen["threads"][0]["name"].split()[0])
        top = subprocess.Popen([str(PROF), "top", "--json", "-i", "0.1", str(process.pid)], stdout=subprocess.PIPE,
                               text=True)
        assert not json.loads(top.stdout.readline())["has_ended"]
        os.kill(child, signal.SIGTERM)
        last = top.communicate(timeout=60)[0].splitlines()[-1]
        assert top.returncode == 0 and json.loads(last)["has_ended"]
        process.wait(60)
        assert (tmp_path / "r.db").exists()


def test_the_screen_leaves_the_program_alone(tmp_path):
    with recording(tmp_path, sys.executable, source_of("ranges.py")) as process:
        until(lambda seen: seen["ranges"] and seen["os"], process.pid)
        with Live(process.pid, verb="top", environment=os.environ) as live:
            live.wait_for("OS-runtime calls")
            live.type("r")
            live.wait_for("outer")
            live.type("/inner\n")
            at = live.wait_for("/inner ")
            live.type("s")
            at = live.wait_for("by count", at)
            live.type("p")
            live.wait_for("PAUSED", at)
            live.type("q")
            assert live.finish() == 0 and live.is_restored()
        assert process.poll() is None


def test_a_session(sessions, tmp_path):  # noqa: F811
    launched = sessions.running("-t", "nvtx", sys.executable, source_of("ranges.py"))
    assert sessions.refuses("top", "[default]") == "the session [default] collects nothing now; prof start begins that"
    sessions.works("start", "-o", tmp_path / "r")
    # What was defined while nothing was collected has its name. A range is seen from its begin on.
    until(lambda seen: {"outer", "inner", "other"} <= names(seen, "ranges").keys(), "[default]", env=sessions.environment)
    done = sessions.works("stats", "--session", "[default]", "-r", "nvtx_sum", "-f", "json")
    ranges = {row["Range"]: row["Instances"] for row in json.loads(done.stdout)}
    assert ranges[":outer"] > 0 and not list(tmp_path.glob("prof-live-*"))
    sessions.works("stop")
    assert (tmp_path / "r.db").exists()
    program, = sessions.described()["programs"]
    os.kill(program, signal.SIGKILL)
    launched.wait(60)


def test_what_is_not_recorded_is_said():
    done = prof("top", "1")
    assert done.returncode == 1 and done.stderr == ("prof: process 1 is not being recorded; prof stack 1 shows what it "
                                                    "is doing\n")
    done = prof("top", "no-such-session")
    assert done.returncode == 1 and done.stderr.startswith("prof: there is no session no-such-session")
    done = prof("stats", "--session", "no-such-session")
    assert done.returncode == 1 and done.stderr.startswith("prof: there is no session no-such-session")
