"""prof start and prof stop for all ranks of a job, through files in a folder; and prof start --at."""
import contextlib
import os
import signal
import subprocess
import time
from datetime import datetime, timedelta, timezone

import pytest
from profiling import PROF, Report, prof, program
from sessions import numbers, sessions  # noqa: F401

RANKS = 3
STEPS = "--step-range=request@server"


class Job:
    """Ranks of a job, each with a prof, and the folder through which they get orders."""

    def __init__(self, folder):
        self.folder = folder
        self.run = folder / "run"
        self.ranks = []

    def add(self, *options):
        rank = len(self.ranks)
        self.ranks.append(subprocess.Popen(
            [str(PROF), "profile", "-t", "nvtx", "-s", "none", "--cpuctxsw=none", "--job", "run", "-o", f"run/r{rank}", *options,
             str(program("numbered_ranges")), "600", *self.pace(options)], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            text=True, start_new_session=True, env=os.environ | {"RANK": str(rank), "WORLD_SIZE": str(RANKS)}))

    @staticmethod
    def pace(options):
        """Steps that are awaited take 10 ms."""
        return ["slow"] if STEPS in options else []

    def wait(self, state, count=RANKS):
        deadline = time.monotonic() + 60
        while len([path for path in self.states() if path.startswith(state)]) < count:
            assert time.monotonic() < deadline, self.states()
            time.sleep(0.02)

    def states(self):
        folder = self.run / "control.d"
        return [path.read_text() for path in folder.iterdir() if "tmp-prof" not in path.name] if folder.exists() else []

    def order(self, verb, *words):
        return prof(verb, "--job", "run", *words, cwd=self.folder)

    def end(self):
        errors = []
        for rank in self.ranks:
            rank.terminate()
        for rank in self.ranks:
            errors.append(rank.communicate(timeout=60)[1])
        return errors


@pytest.fixture(name="job")
def fixture_job(tmp_path):
    job = Job(tmp_path)
    yield job
    for rank in job.ranks:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(rank.pid, signal.SIGKILL)  # its program, too
        rank.wait()


def test_all_ranks_begin_and_end(job):
    for _ in range(RANKS):
        job.add()
    job.wait("waiting")
    begun = job.order("start")
    assert (begun.returncode, begun.stdout) == (0, "3 of 3 ranks have the order\n"), begun.stderr
    job.wait("started")
    time.sleep(0.3)
    ended = job.order("stop")
    assert (ended.returncode, ended.stdout) == (0, "3 of 3 ranks have the order\n"), ended.stderr
    job.wait("stopped")
    last = time.time_ns()
    assert all(rank.poll() is None for rank in job.ranks)  # the programs go on
    time.sleep(0.3)
    job.end()
    for rank in range(RANKS):
        report = Report(job.run / f"r{rank}.db")
        found = numbers(report.path)
        assert found and found[0] > 0 and found == list(range(found[0], found[0] + len(found)))
        epoch = report.value("SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME")
        assert report.value("SELECT max(end) FROM NVTX_EVENTS") + epoch < last + 100_000_000
    assert not job.states()


def test_a_time_at_which_all_begin(job):
    for _ in range(RANKS):
        job.add()
    job.wait("waiting")
    begin = time.time_ns()
    assert job.order("start", "--at=+3s").returncode == 0
    job.wait("accepted")
    job.wait("started")
    job.end()
    for rank in range(RANKS):
        report = Report(job.run / f"r{rank}.db")
        epoch = report.value("SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME")
        assert report.value("SELECT min(start) FROM NVTX_EVENTS WHERE eventType = 59") + epoch >= begin + 3_000_000_000


def test_all_ranks_begin_at_the_same_step(job):
    for _ in range(RANKS):
        job.add(STEPS)
    job.wait("waiting")
    passed = job.order("start", "--at-step=0")
    assert passed.returncode == 1 and "--at-step: step 0 has passed; " in passed.stderr, passed
    done = job.order("start", "--at-step=next:50:4")
    assert done.returncode == 0 and done.stdout.startswith("3 of 3 ranks have the order, and begin at step "), done
    first = int(done.stdout.split()[-1])
    assert first > 0 and first % 50 == 0
    job.wait("stopped")
    job.end()
    for rank in range(RANKS):
        assert numbers(job.run / f"r{rank}.db") == list(range(first, first + 4))


def test_ranks_that_do_not_count_steps(job):
    job.add(STEPS)
    job.add()
    job.wait("waiting", 2)
    done = job.order("start", "--at-step=100000")
    name = f"{os.uname().nodename}.{job.ranks[1].pid}"
    assert done.returncode == 1 and f"{name} does not count steps: prof profile --job" in done.stderr, done
    assert job.order("start").returncode == 0  # this order comes later, and counts


def test_steps_without_ranks(job):
    job.run.mkdir()
    unknown = job.order("start", "--at-step=next:10")
    assert unknown.returncode == 1 and "no rank says at which step it is" in unknown.stderr
    assert job.order("start", "--at-step=300:2").stdout == "0 of 0 ranks have the order, and begin at step 300\n"
    job.add(STEPS)
    job.add()
    job.wait("stopped", 1)
    job.end()
    assert numbers(job.run / "r0.db") == [300, 301] and numbers(job.run / "r1.db") == []


def test_a_rank_that_begins_later_follows(job):
    job.run.mkdir()
    early = job.order("start")
    assert early.returncode == 0 and early.stdout == "0 of 0 ranks have the order\n" and "ranks that begin later follow" in early.stderr
    job.add()
    job.wait("started", 1)
    job.end()
    assert numbers(job.run / "r0.db")


def test_ranks_that_were_never_started_say_so(job):
    job.add()
    job.wait("waiting", 1)
    error, = job.end()
    assert "the program ended before prof start --job run" in error


def test_a_killed_collector_is_named(job):
    job.add()
    job.add()
    job.wait("waiting", 2)
    job.ranks[0].kill()
    job.ranks[0].wait()
    done = job.order("start")
    assert done.returncode == 1 and done.stdout == "1 of 2 ranks have the order\n"
    assert f"no answer from {os.uname().nodename}.{job.ranks[0].pid}" in done.stderr


@pytest.mark.parametrize("words, text", [
    (["start", "--at=soon"], "--at soon: write +15s, or a time in UTC"), (["start", "--job=/none/run"], "No such file"),
    (["profile", "--job=run", "--delay=3", "true"], "--job does not go with --delay")])
def test_refusals(tmp_path, words, text):
    done = prof(*words, cwd=tmp_path)
    assert done.returncode in (1, 2) and text in done.stderr, done.stderr


@pytest.mark.parametrize("at", ["+1.5s", "clock"])
def test_a_session_begins_at_a_time(sessions, tmp_path, at):  # noqa: F811
    sessions.running("-t", "nvtx", program("numbered_ranges"), 60, cwd=tmp_path)
    now = datetime.now(timezone.utc)
    when = at if at[0] == "+" else (now + timedelta(seconds=1.5)).isoformat(timespec="milliseconds")[:23] + "Z"
    sessions.works("start", f"--at={when}", "-o", tmp_path / "r")
    sessions.works("stop")
    epoch = Report(tmp_path / "r.db").value("SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME")
    assert epoch / 1e9 >= now.timestamp() + 1.49
    sessions.works("shutdown", "--kill=sigkill")
