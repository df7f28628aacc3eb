"""prof stats -r critical_path: programs whose paths are known, and reports of nsys."""
import csv
import io
import sqlite3

import pytest
from made_up_program import MS, US, Program
from profiling import MORE_TRUTH, prof, unpacked

RECIPES = MORE_TRUTH / "recipes"


def rows_of(report, by="", *options):
    name = "critical_path" + (f":by={by}" if by else "")
    done = prof("stats", "-r", name, "-f", "csv", *options, report)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def times_of(report, by="", *options):
    return {row["Name"]: int(row["Time on Path (ns)"]) for row in rows_of(report, by, *options)}


def made(path, run):
    program = Program(path)
    run(program)
    program.done()
    return path


def test_program_that_waits_for_its_gpu(tmp_path):
    def run(program):
        for _ in range(4):
            program.kernel("gemm", 5 * MS)
        program.synchronize()
    report = made(tmp_path / "r.sqlite", run)
    # The first kernel starts 2 µs after its launch of 5 µs. The synchronization takes 5 µs more.
    assert times_of(report, "kind") == {
        "kernel": 20 * MS, "CUDA call": 5 * US, "wake-up": 5 * US, "launch latency": 2 * US}
    assert times_of(report, "kernel")["gemm"] == 20 * MS


def test_program_whose_gpu_waits(tmp_path):
    def run(program):
        for number in range(10):
            with program.range(f"step {number}"):
                with program.range("load"):
                    program.os_call("nanosleep", 8 * MS)
                    program.compute(2 * MS)
                program.kernel("gemm", MS)
                program.synchronize()
    report = made(tmp_path / "r.sqlite", run)
    by_range = times_of(report, "range")
    # The first call of the program is in the first range.
    assert by_range["load"] == 100 * MS
    by_call = times_of(report, "call")
    assert by_call["nanosleep"] == 80 * MS and by_call["[kernel]"] == 10 * MS
    step = rows_of(report, "kind", "--filter-nvtx", "step 3")
    assert {row["Name"]: int(row["Time on Path (ns)"]) for row in step} == {
        "OS call": 8 * MS, "CPU": 2 * MS, "kernel": MS, "CUDA call": 5 * US, "launch latency": 2 * US,
        "wake-up": 5 * US}


def test_work_by_function(tmp_path):
    def run(program):
        program.kernel("gemm", US)
        program.python_samples([("tokenize", "data.py", 3)], 30 * MS)
        program.kernel("gemm", US)
        program.synchronize()
    # The last sample is at the start of the second launch.
    assert times_of(made(tmp_path / "r.sqlite", run), "function")["tokenize"] == 30 * MS + 5 * US


def test_words(tmp_path):
    report = made(tmp_path / "r.sqlite", lambda program: program.kernel("gemm", US))
    done = prof("stats", "-r", "critical_path:by=color", report)
    assert done.returncode != 0 and "kernel, range, function, call, thread or kind" in done.stderr


def rank(path, delay):
    """Every step, rank 1 sleeps 9 ms longer. Its all-reduce starts last, and both end at the same time."""
    def run(program):
        program.communicator(2)
        for _ in range(20):
            with program.range("step"):
                program.os_call("nanosleep", MS + delay)
                program.all_reduce(1 << 20, 100 * US + 9 * MS - delay)
                program.synchronize()
    return made(path, run)


def test_path_goes_to_the_rank_that_came_last(tmp_path):
    reports = [rank(tmp_path / "r0.sqlite", 0), rank(tmp_path / "r1.sqlite", 9 * MS)]
    done = prof("stats", "-r", "critical_path:by=call", "-f", "csv", *reports)
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    # A first sleep of rank 0 may be on the path: nothing was before it.
    slept = {row["Rank"]: int(row["Time on Path (ns)"]) for row in rows if row["Name"] == "nanosleep"}
    assert 19 * 10 * MS <= slept["1"] + US and slept["1"] <= 20 * 10 * MS + US
    assert slept.get("0", 0) <= MS + US
    # A step: the sleep, a call, its latency, the transfer, and the end of the synchronization. Both ranks agree.
    step = 10 * MS + 5 * US + 2 * US + 100 * US + 5 * US
    assert abs(sum(int(row["Time on Path (ns)"]) for row in rows) - 20 * step) <= 2 * US


def steps_of(report, name):
    with sqlite3.connect(report) as connection:
        return [end - start for start, end in connection.execute(
            "SELECT start, end FROM NVTX_EVENTS LEFT JOIN StringIds ON id = textId "
            "WHERE coalesce(text, value) = ? AND end IS NOT NULL ORDER BY start", [name])]


@pytest.mark.skipif(not RECIPES.exists(), reason="needs nsys's reports (PROF_NSYS_TRUTH)")
def test_steps_of_two_ranks(tmp_path):
    for rank in range(2):
        report = unpacked(tmp_path / f"rank_{rank}.sqlite", RECIPES / f"rank_{rank}.sqlite.gz")
        steps = steps_of(report, "step")
        assert len(steps) == 60
        for number in (0, 1, 17, 40, 59):
            assert sum(times_of(report, "kind", "--filter-nvtx", f"step/{number}").values()) == steps[number]
        slept = times_of(report, "call").get("clock_nanosleep", 0)
        assert slept == (121_121_338 if rank == 1 else 0)
    assert times_of(report, "range")["straggle"] >= slept


@pytest.mark.skipif(not RECIPES.exists(), reason="needs nsys's reports (PROF_NSYS_TRUTH)")
def test_job_of_two_ranks(tmp_path):
    for number in range(2):
        unpacked(tmp_path / f"rank_{number}.sqlite", RECIPES / f"rank_{number}.sqlite.gz")
    sums = set()
    for by in ("", ":by=kind", ":by=range", ":by=thread", ":by=call"):
        done = prof("stats", "-r", f"critical_path{by}", "-f", "csv", tmp_path)
        assert done.returncode == 0, done.stderr
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        sums.add(sum(int(row["Time on Path (ns)"]) for row in rows))
    assert len(sums) == 1
    [slept] = [row for row in rows if row["Name"] == "clock_nanosleep"]
    assert slept["Rank"] == "1"
    assert abs(int(slept["Time on Path (ns)"]) - 121_121_338) < 1000  # the clocks drift
    done = prof("stats", "-r", "critical_path:by=kind", "--filter-nvtx", "step/20", "-f", "csv", tmp_path)
    step = sum(int(row["Time on Path (ns)"]) for row in csv.DictReader(io.StringIO(done.stdout)))
    assert abs(step - steps_of(tmp_path / "rank_1.sqlite", "step")[20]) <= 1000
    # Rank 0 waits 1,019 ms for rank 1, which the path does not have.
    waits = [int(row["Time on Path (ns)"]) for row in rows if row["Name"] == "[communication]" and row["Rank"] == "0"]
    assert sum(waits) < 20 * MS


@pytest.mark.parametrize("path", sorted(MORE_TRUTH.glob("*/report.sqlite.gz")) if MORE_TRUTH.exists() else [],
                         ids=lambda path: path.parent.name)
def test_sums_of_other_reports(tmp_path, path):
    report = unpacked(tmp_path / "report.sqlite", path)
    # Without an argument several rows may have one name.
    assert len({sum(int(row["Time on Path (ns)"]) for row in rows_of(report, by))
                for by in ("", "kind", "kernel", "range", "function", "call", "thread")}) == 1
