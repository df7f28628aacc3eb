"""prof stats RUN/ -r what_if and prof analyze RUN/ --what-if: jobs whose gains are known, and two ranks that nsys recorded."""
import csv
import io

import pytest
from made_up_program import MS, US, Program
from profiling import MORE_TRUTH, prof, unpacked

RECIPES = MORE_TRUTH / "recipes"
STEPS = 20


def made(path, run):
    program = Program(path)
    run(program)
    program.done()
    return path


def job(folder, delay, kernel=MS, transfer=100 * US, name="AllReduce", speed=1):
    """Each step, rank 1 sleeps longer by `delay`. Its all-reduce starts last, and both end at the same time.

    All of rank 1's work takes `speed` times as long.
    """
    wait = int(speed * (2 * MS + delay + kernel)) - 2 * MS - kernel
    folder.mkdir()
    for number in range(2):
        def run(program, number=number):
            program.communicator(2)
            for _ in range(STEPS):
                with program.range("step"):
                    program.os_call("nanosleep", int(speed * (2 * MS + delay)) if number == 1 else 2 * MS)
                    program.kernel("gemm", int(speed * kernel) if number == 1 else kernel)
                    program.all_reduce(1 << 20, transfer + (wait if number == 0 else 0), name)
                    program.synchronize()
        made(folder / f"r{number}.sqlite", run)
    return folder


def overlapped_job(folder, delay):
    """Each step, rank 1 sleeps longer by `delay`. Kernels take twice as long beside the all-reduce, which waits for it."""
    folder.mkdir()
    for number in range(2):
        def run(program, number=number):
            program.communicator(2)
            for _ in range(STEPS):
                program.os_call("nanosleep", 2 * MS + (delay if number == 1 else 0))
                for _ in range(3):
                    program.kernel("gemm", MS)
                program.synchronize()
                begun, waits = program.now, delay if number == 0 else 0
                program.all_reduce(1 << 20, 20 * US + waits, stream=20)
                end = begun + program.LAUNCH + program.LATENCY + 20 * US + waits
                for _ in range(3):
                    start = max(program.now + program.LAUNCH + program.LATENCY, program.ready[7])
                    program.kernel("gemm", MS + min(MS, max(0, end - start)))
                program.synchronize()
        made(folder / f"r{number}.sqlite", run)
    return folder


def job_with_hidden_work(folder, delay):
    """Each step, rank 1 computes longer by `delay` while no GPU works. Both also compute while their GPU works."""
    folder.mkdir()
    for number in range(2):
        def run(program, number=number):
            program.communicator(2)
            for _ in range(STEPS):
                program.kernel("gemm", 5 * MS)
                program.compute(4 * MS)
                program.synchronize()
                program.compute(MS + (delay if number == 1 else 0))
                program.all_reduce(1 << 20, 100 * US + (delay if number == 0 else 0))
                program.synchronize()
        made(folder / f"r{number}.sqlite", run)
    return folder


def predicted(folder, *changes, options=()):
    words = [word for change in changes for word in ("--what-if", change)]
    done = prof("analyze", *words, "-f", "csv", "--timeunit", "nsec", *options, folder)
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [row["Rank"] for row in rows] == ["", "0", "1"]
    for row in rows:
        measured, replayed = int(row["Measured (ns)"]), int(row["Replayed (ns)"])
        assert abs(replayed - measured) <= 0.005 * measured
    return [int(row["Predicted (ns)"]) for row in rows]


def test_kernels_are_faster_where_an_all_reduce_waits_no_longer(tmp_path):
    late, even = overlapped_job(tmp_path / "late", 9 * MS), overlapped_job(tmp_path / "even", 0)
    for found, expected in zip(predicted(late, "rank:1=median"), predicted(even, "call:nanosleep*1")):
        assert abs(found - expected) < STEPS * 20 * US


def test_gain_is_what_a_job_without_it_saves(tmp_path):
    late, even = job(tmp_path / "late", 9 * MS), job(tmp_path / "even", 0)
    without = predicted(even, "range:step*1")
    for change in ("rank:1=median", "rank:1=mean", "stragglers=0"):
        for found, expected in zip(predicted(late, change), without):
            assert abs(found - expected) < STEPS * 20 * US, change
    # Rank 0 only waits, so it may take longer.
    [job_time, *_] = predicted(late, "range:step*1")
    assert abs(predicted(late, "rank:0*2")[0] - job_time) < STEPS * 100 * US
    for speed in (0.5, 0.9, 1.5):
        simulated = predicted(job(tmp_path / f"{speed}", 9 * MS, speed=speed), "range:step*1")
        for found, expected in zip(predicted(late, f"rank:1*{speed}"), simulated):
            assert abs(found - expected) < STEPS * 20 * US, speed
    half = predicted(job(tmp_path / "half", 4 * MS + MS // 2), "range:step*1")
    # The average of both ranks is late by half.
    assert abs(predicted(late, "stragglers=mean")[0] - half[0]) < STEPS * 50 * US


def test_ranks_are_compared_from_launch_to_launch(tmp_path):
    """What is saved is saved where the other rank is faster, and not in what is hidden before."""
    late, even = (job_with_hidden_work(tmp_path / name, delay) for name, delay in (("late", 9 * MS), ("even", 0)))
    for change in ("rank:1=median", "stragglers=0"):
        for found, expected in zip(predicted(late, change), predicted(even, "compute*1")):
            assert abs(found - expected) < STEPS * 20 * US, change


def test_operations_that_need_not_end_together(tmp_path):
    """The ends say whether a broadcast waited for all."""
    late, even = (job(tmp_path / name, delay, name="Broadcast") for name, delay in (("late", 9 * MS), ("even", 0)))
    expected = predicted(even, "range:step*1")[0]
    assert abs(predicted(late, "call:nanosleep*1", "rank:1=median")[0] - expected) < STEPS * 20 * US


def test_transfers(tmp_path):
    slow = job(tmp_path / "slow", 3 * MS, transfer=5 * MS)
    fast = job(tmp_path / "fast", 3 * MS, transfer=10 * US)
    assert abs(predicted(slow, "network=0")[0] - predicted(fast, "range:step*1")[0]) < STEPS * 20 * US
    # A kernel of NCCL that waits for the other rank is not shorter than the wait.
    assert abs(predicted(slow, "kernel:nccl=0")[0] - predicted(slow, "network=0")[0]) < STEPS * US
    both = predicted(slow, "network=0", "rank:1=median")
    assert both[0] < predicted(slow, "network=0")[0] - STEPS * 2 * MS


def test_statistic(tmp_path):
    folder = job(tmp_path / "late", 9 * MS)
    done = prof("stats", folder, "-r", "what_if", "-f", "csv")
    rows = {row["What If"]: int(row["Gain (ns)"]) for row in csv.DictReader(io.StringIO(done.stdout))}
    assert set(rows) == {"stragglers=0", "network=0", "rank:0=median", "rank:1=median"}
    assert rows["rank:1=median"] > 19 * 8 * MS and rows["rank:0=median"] < MS
    done = prof("stats", folder, "-r", "what_if:stragglers=mean", "-f", "csv")
    assert len(list(csv.DictReader(io.StringIO(done.stdout)))) == 3, done.stderr
    # The ranks are compared, so their clock may be chosen.
    for name in ("what_if", "what_if:rank:1=median"):
        assert prof("stats", folder, "-r", name, "--align=none").returncode == 0
        assert "has no NVTX range" in prof("stats", folder, "-r", name, "--align=range:nothing").stderr


def ahead(folder):
    """Rank 1 sleeps 9 ms before each all-reduce. Rank 0 launches all of its work at once."""
    folder.mkdir()
    ends = []

    def late(program):
        program.communicator(2)
        for _ in range(STEPS):
            program.compute(MS)
            program.os_call("nanosleep", 9 * MS)
            program.all_reduce(1 << 20, 100 * US)
            ends.append(program.ready[7])
        program.synchronize()

    def early(program):
        program.communicator(2)
        for end in ends:
            start = max(program.now + program.LAUNCH + program.LATENCY, program.ready.get(7, 0))
            program.all_reduce(1 << 20, end - start)
        program.synchronize()

    for number, run in ((1, late), (0, early)):
        made(folder / f"r{number}.sqlite", run)
    return folder


def test_a_window_ends_where_the_work_of_all_is(tmp_path):
    """Where rank 0 has launched by then does not count: it waits for rank 1."""
    folder = ahead(tmp_path / "run")
    for end in (55, 104, 155):
        changed = predicted(folder, "call:nanosleep=0", options=(f"--filter-time=5ms/{end}ms",))
        assert abs(changed[0] - (end - 5) * MS // 10) < 3 * MS, (end, changed)


@pytest.mark.parametrize("change, message", [
    ("rank:7=median", "no report has this rank"), ("range:lod=0", "no NVTX range"), ("rank:1=fast", "is not a factor")])
def test_errors(tmp_path, change, message):
    done = prof("analyze", "--what-if", change, job(tmp_path / "run", MS))
    assert done.returncode != 0 and message in done.stderr


@pytest.mark.skipif(not RECIPES.exists(), reason="needs nsys's reports (PROF_NSYS_TRUTH)")
def test_two_ranks_of_nsys(tmp_path):
    """Rank 1 sleeps 10 ms in every fifth of 60 steps, 121 ms in all. The first of them saves all of its time."""
    for number in range(2):
        unpacked(tmp_path / f"rank_{number}.sqlite", RECIPES / f"rank_{number}.sqlite.gz")
    [unchanged, *_] = predicted(tmp_path, "rank:1*1")
    assert abs(unchanged - predicted(tmp_path, "call:clock_nanosleep=0")[0] - 108 * MS) <= 4 * MS
    assert unchanged - predicted(tmp_path, "kernel:.*=0")[0] <= 2 * MS
    # Of the last 55 steps, 111 ms are sleeps. The threads of rank 0 are up to 47 ms ahead of its GPU, and wait later.
    for end in ("13.66s", "14s"):
        window = (f"--filter-time=12.54s/{end}",)
        [unchanged, *_] = predicted(tmp_path, "rank:1*1", options=window)
        assert abs(unchanged - predicted(tmp_path, "call:clock_nanosleep=0", options=window)[0] - 98 * MS) <= 3 * MS
        assert unchanged - predicted(tmp_path, "kernel:.*=0", options=window)[0] <= 2 * MS
