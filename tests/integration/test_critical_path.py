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


@pytest.mark.parametrize("path", sorted(MORE_TRUTH.glob("*/report.sqlite.gz")) if MORE_TRUTH.exists() else [],
                         ids=lambda path: path.parent.name)
def test_sums_of_other_reports(tmp_path, path):
    report = unpacked(tmp_path / "report.sqlite", path)
    # Without an argument several rows may have one name.
    assert len({sum(int(row["Time on Path (ns)"]) for row in rows_of(report, by))
                for by in ("", "kind", "kernel", "range", "function", "call", "thread")}) == 1
