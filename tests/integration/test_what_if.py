"""prof stats -r what_if and prof analyze --what-if: programs whose gains are known, and reports of nsys."""
import csv
import io
import json

import pytest
from made_up_program import MS, US, Program
from profiling import MORE_TRUTH, prof, unpacked


def made(path, run):
    program = Program(path)
    run(program)
    program.done()
    return path


def train(path, sleep=8 * MS, extra=0):
    """The GPU works 5 ms in each of ten steps while the next one is loaded, and longer with `extra`."""
    def run(program):
        for _ in range(10):
            with program.range("step"):
                with program.range("load"):
                    program.os_call("nanosleep", sleep)
                program.synchronize()
                program.kernel("gemm", 5 * MS)
                if extra:
                    with program.range("extra"):
                        program.kernel("more", extra)
        program.synchronize()
    return made(path, run)


def predicted(report, *changes, options=()):
    words = [word for change in changes for word in ("--what-if", change)]
    done = prof("analyze", *words, "-f", "csv", "--timeunit", "nsec", *options, report)
    assert done.returncode == 0, done.stderr
    [row] = csv.DictReader(io.StringIO(done.stdout))
    assert row["Replayed (ns)"] == row["Measured (ns)"]
    assert int(row["Gain (ns)"]) == int(row["Replayed (ns)"]) - int(row["Predicted (ns)"])
    return {name: int(row[f"{name} (ns)"]) for name in ("Gain", "Predicted", "Measured")}


def test_gain_is_what_a_run_without_it_saves(tmp_path):
    with_sleep = train(tmp_path / "sleep.sqlite")
    without = train(tmp_path / "none.sqlite", sleep=0)
    measured = predicted(without, "kernel:none|gemm*1")["Measured"]
    for change in ("range:load=0", "call:nanosleep=0"):
        found = predicted(with_sleep, change)
        # The kernels are next: of 80 ms of sleep the gain is less than 40 ms.
        assert abs(found["Predicted"] - measured) < 100 * US, change
        assert 30 * MS < found["Gain"] < 40 * MS
    # The GPU has time to spare.
    assert predicted(with_sleep, "kernel:gemm*0.5")["Gain"] <= 3 * MS
    # Half of the sleep lets the kernels take over.
    half = predicted(train(tmp_path / "half.sqlite", sleep=4 * MS), "kernel:gemm*1")["Measured"]
    assert abs(predicted(with_sleep, "range:load*0.5")["Predicted"] - half) < 100 * US


def test_the_gain_of_a_kernel_with_a_long_name(tmp_path):
    name = "gemm_" + 400 * "Tile<16>, "

    def run(program):
        for _ in range(10):
            program.kernel(name, 5 * MS)
            program.synchronize()
    done = prof("stats", "-r", "what_if", "-f", "csv", "--timeunit", "nsec", made(tmp_path / "r.sqlite", run))
    [gain] = [row["Gain (ns)"] for row in csv.DictReader(io.StringIO(done.stdout)) if name in row["What If"]]
    assert int(gain) >= 49 * MS


def handed_over(path, reading):
    """Each step, a thread reads, computes for 1 ms and hands its work to another one, which computes for 3 ms."""
    def run(program):
        main, other = program.thread, program.thread + 1
        done = program.now
        for _ in range(10):
            program.os_call("read", reading)
            program.compute(MS)
            program.kernel("first", 10 * US)
            handed = program.now
            program.thread, program.now = other, done
            program.os_call("pthread_cond_wait", handed + 20 * US - done)
            program.compute(3 * MS)
            program.kernel("second", 10 * US)
            done = program.now
            program.thread, program.now = main, handed
            program.os_call("pthread_cond_wait", done + 20 * US - handed)
        program.synchronize()
    return made(path, run)


def test_a_thread_awakens_another_one_after_it_has_waited_itself(tmp_path):
    """It works for a seventh of the other one's wait."""
    long = predicted(handed_over(tmp_path / "long.sqlite", 6 * MS), "call:^read$=0")
    measured = predicted(handed_over(tmp_path / "short.sqlite", 10 * US), "call:^read$*1")["Measured"]
    assert abs(long["Predicted"] - measured) < 500 * US


def test_work_that_a_range_launches(tmp_path):
    report = train(tmp_path / "extra.sqlite", extra=10 * MS)
    measured = predicted(train(tmp_path / "none.sqlite"), "kernel:gemm*1")["Measured"]
    assert abs(predicted(report, "range:extra=0")["Predicted"] - measured) < 200 * US
    assert abs(predicted(report, "kernel:^more$=0")["Predicted"] - measured) < 200 * US
    both = predicted(report, "range:extra=0", "range:load=0")
    assert both["Gain"] > predicted(report, "range:extra=0")["Gain"] + 20 * MS
    assert both == predicted(report, "range:extra=0 + range:load=0")


def test_statistic(tmp_path):
    report = train(tmp_path / "r.sqlite")
    done = prof("stats", "-r", "what_if", "-f", "csv", report)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    gains = {row["What If"]: int(row["Gain (ns)"]) for row in rows}
    assert {"range:load=0", "call:nanosleep=0", "kernel:gemm=0"} <= set(gains)
    assert list(gains.values()) == sorted(gains.values(), reverse=True)
    done = prof("stats", "-r", "what_if:range:load=0", "-f", "json", report)
    [row] = json.loads(done.stdout)
    assert row["Gain (ns)"] == gains["range:load=0"] == predicted(report, "range:load=0")["Gain"]
    assert row["What If"] == "range:load=0"


def test_one_step(tmp_path):
    report = train(tmp_path / "r.sqlite")
    found = predicted(report, "call:nanosleep=0", options=("--filter-nvtx", "step/4"))
    # The kernel of the step before ends 5 ms after its launch.
    assert abs(found["Gain"] - 3 * MS) < 100 * US and found["Measured"] < 9 * MS


@pytest.mark.parametrize("change, message", [
    ("range:lod=0", "no NVTX range has this name"),
    ("kernel:wgmma=0", "no GPU operation has such a name"),
    ("call:fork=0", "no call has such a name"),
    ("network=0", "no communication kernels"),
    ("rank:1=median", "needs the reports of several ranks"),
    ("range:load", "range:NAME*0.5, kernel:REGEX*0.5"),
    ("range:load=1", "after = comes 0"),
    ("kernel:(=0", "examples: range:NAME=0"),
    ("kernel:a*-1", "-1 is not a factor")])
def test_errors(tmp_path, change, message):
    report = train(tmp_path / "r.sqlite")
    for done in (prof("analyze", "--what-if", change, report), prof("stats", "-r", f"what_if:{change}", report)):
        assert done.returncode != 0 and message in done.stderr and not done.stdout


def test_options_that_do_not_go_together(tmp_path):
    done = prof("analyze", "--what-if", "range:load=0", "--fail-on", "any", tmp_path)
    assert done.returncode == 2 and "in place of findings" in done.stderr


TRUTH = sorted(MORE_TRUTH.glob("*/report.sqlite.gz")) if MORE_TRUTH.exists() else []


@pytest.mark.parametrize("path", TRUTH, ids=lambda path: path.parent.name)
def test_unchanged_replay_takes_what_was_measured(tmp_path, path):
    report = unpacked(tmp_path / "report.sqlite", path)
    done = prof("stats", "-r", "what_if", "-f", "csv", report)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert rows
    for row in rows:
        measured, replayed = int(row["Measured (ns)"]), int(row["Replayed (ns)"])
        assert abs(replayed - measured) <= 0.005 * measured
        assert -0.01 * measured <= int(row["Gain (ns)"]) <= measured
