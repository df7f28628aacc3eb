"""What findings would save: the gains that prof analyze predicts, against the same program without the problem."""
import sqlite3

import pytest
from finding_reports import check_gains
from made_up_program import MS, US, Program
from test_findings import diagnosis, report_of

from profiling import prof

STEPS = 20


def loop(program, load, kernel):
    """The next batch is loaded while the GPU computes."""
    for _ in range(STEPS):
        program.os_call("read", load)
        program.kernel("gemm", kernel)
    program.synchronize()


def synchronizing(program, sync):
    for _ in range(10 * STEPS):
        program.compute(5 * US)
        program.kernel("gemm", 40 * US)
        if sync:
            program.synchronize()
    program.synchronize()


@pytest.mark.parametrize("rule, slow, fast", [
    ("data_loading", lambda program: loop(program, 10 * MS, 2 * MS), lambda program: loop(program, 0, 2 * MS)),
    ("synchronization", lambda program: synchronizing(program, True), lambda program: synchronizing(program, False))])
def test_the_gain_is_what_the_program_without_the_problem_saves(tmp_path, rule, slow, fast):
    found = {}
    for name, run in (("slow", slow), ("fast", fast)):
        (tmp_path / name).mkdir()
        report = report_of(run, tmp_path / name)
        found[name] = diagnosis(report)
        check_gains(report, found[name])
    [gain] = [each["gain_ns"] for each in found["slow"]["findings"] if each["rule"] == rule]
    saved = found["slow"]["gains"]["replayed_ns"] - found["fast"]["gains"]["replayed_ns"]
    assert gain == pytest.approx(saved, rel=0.1), found


def test_faster_kernels_save_nothing_beside_slow_loading(tmp_path):
    report = report_of(lambda program: loop(program, 10 * MS, 2 * MS), tmp_path)
    found = diagnosis(report)
    assert found["findings"][0]["rule"] == "data_loading"
    sentence = found["gains"]["sentence"]
    assert sentence.startswith("Faster data loading would save up to ")
    assert sentence.endswith("; faster kernels would save nothing")
    assert f"Gain: {sentence}." in prof("analyze", report).stdout
    assert f"Gain: {sentence}." in prof("analyze", "-f", "markdown", report).stdout


def test_the_order_is_that_of_gains(tmp_path):
    """Copies take more time than synchronizations, but computation hides what they would save."""
    def run(program):
        for _ in range(STEPS):
            program.kernel("gemm", 10 * MS, stream=13)
            program.copy(1 << 20, 3 * MS)
            program.synchronize()
            program.compute(4 * MS)

    found = diagnosis(report_of(run, tmp_path))
    gains = [each["gain_ns"] for each in found["findings"] if "gain_ns" in each]
    assert gains and gains == sorted(gains, reverse=True), found


def test_a_report_that_is_too_large_is_not_replayed(tmp_path):
    report = report_of(lambda program: loop(program, 10 * MS, 2 * MS), tmp_path)
    with sqlite3.connect(report) as database:
        database.execute("UPDATE OSRT_API SET rowid = 5000000 WHERE rowid = (SELECT max(rowid) FROM OSRT_API)")
    # A file of this size cannot hold that number of rows.
    assert "would save" in diagnosis(report)["gains"]["sentence"]
    with sqlite3.connect(report) as database:
        database.execute("CREATE TABLE padding AS SELECT zeroblob(10000000)")
    found = diagnosis(report)
    assert found["gains"]["sentence"].startswith("left out: more than a million calls")
    assert all("gain_ns" not in each for each in found["findings"]) and found["findings"]


@pytest.mark.parametrize("change, message", [
    ("idle:cpu=0", "no such idle times"), ("idle:rest=0", "idle times are sync"), ("idle:sync*0.5", "takes =0"),
    ("copies=0", "no copies"), ("network=0", "no communication kernels")])
def test_changes_of_what_the_report_does_not_have(tmp_path, change, message):
    report = report_of(lambda program: loop(program, 10 * MS, 2 * MS), tmp_path)
    done = prof("analyze", "--what-if", change, report)
    assert done.returncode != 0 and message in done.stderr, done.stderr


def test_work_without_a_known_launch_does_not_end_a_replay(tmp_path):
    """The driver copies pages of managed memory while a kernel runs. Nobody launched these copies."""
    program = Program(tmp_path / "report.sqlite")
    program.kernel("add", 100 * MS)
    start = program.now
    program.synchronize()
    for at in range(start + 10 * MS, start + 90 * MS, 10 * MS):
        program.insert("CUPTI_ACTIVITY_KIND_MEMCPY", at, at + 50 * US, program.device, 1, 99, 0,
                       program.thread & ~0xffffff, 4096, 1, 1, 2)
    program.call("cudaEventQuery")
    done = prof("analyze", "-q", "-f", "csv", "--what-if", "kernel:add=0", program.done())
    gain = int(done.stdout.strip().splitlines()[-1].split(",")[1])
    assert gain == pytest.approx(100 * MS, rel=0.01), done.stdout
