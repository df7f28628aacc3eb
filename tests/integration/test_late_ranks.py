"""Collective operations of several ranks: who waits for whom, and which rank is late, why and when. The ledger of
make_run.py has the true arrivals."""
import csv
import io
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from made_run import make_run
from made_up_program import MS, Program
from named import with_names
from profiling import MORE_TRUTH, PROF, prof, unpacked

BENCH = Path(__file__).resolve().parents[1] / "bench"
RECIPES = MORE_TRUTH / "recipes"


def rows(name, *reports):
    done = prof("stats", "-q", "-r", name, "-f", "csv", *reports)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout.strip())))


def analyze(*arguments):
    done = prof("analyze", "-q", "-f", "json", *arguments)
    assert done.returncode == 0, done.stderr
    return with_names(done.stdout)


@pytest.fixture(scope="module", name="late_run")
def fixture_late_run(tmp_path_factory):
    """Five ranks, of which rank 3 waits three times as long for data."""
    folder = tmp_path_factory.mktemp("late") / "run"
    return folder, make_run(folder, 5, 1500, "--straggler", "3:data:3")


def test_waits_are_those_of_the_ledger(late_run):
    folder, ledger = late_run
    waits = [0] * 5
    for row in rows("rank_wait_sum", folder):
        waits[int(row["Rank"])] += int(row["Wait (ns)"])
    assert waits == ledger["waits"]
    found = rows("collective_trace", folder)
    assert len(found) == len(ledger["collectives"])
    for row, true in zip(found, ledger["collectives"]):
        first, last = min(true["arrivals"]), max(true["arrivals"])
        assert (int(row["Skew (ns)"]), int(row["Transfer (ns)"])) == (last - first, true["end"] - last)
        assert (int(row["First Rank"]), int(row["Last Rank"])) == (true["arrivals"].index(first), true["last"])
        assert row["Operation"] == "AllReduce" and row["Ranks"] == "5"
    (row,) = rows("collective_sum", folder)
    assert int(row["Waits (ns)"]) == sum(waits) and int(row["Operations"]) == len(found)
    assert row["Last Rank"] == "3"


def test_the_verdict_names_the_late_rank_and_its_cause(late_run):
    folder, ledger = late_run
    found = analyze(folder)
    assert found["verdict"] == "a late rank"
    assert found["job"][0].startswith("4711, 5 ranks on 1 node, ")
    (finding,) = found["findings"]
    assert finding["rule"] == "late_rank"
    assert "wait for rank 3 (node0000, GPU 0): it waits for data in every step" in finding["finding"]
    assert "in read in the range :step" in finding["evidence"]
    assert finding["where"]["pid"] == 1003
    assert "as the median rank the job would take" in finding["evidence"]
    assert abs(finding["savings_ns"] / ledger["gain_without_straggler"] - 1) < 0.1
    delays = rows("delay_sum", folder)
    assert (delays[0]["Rank"], delays[0]["Cause"], delays[0]["Steps"]) == ("3", "data loading", "in every step")


@pytest.mark.parametrize("fault, text", [("2:cpu:6", "its launches take longer"), ("1:gpu:1.5", "its GPU is slower")])
def test_what_is_saved_is_what_the_job_without_the_fault_saves(tmp_path, fault, text):
    ledger = make_run(tmp_path, 4, 1500, "--straggler", fault)
    (finding,) = analyze(tmp_path)["findings"]
    assert f"wait for rank {fault[0]} " in finding["finding"] and text in finding["finding"]
    assert abs(finding["savings_ns"] / ledger["gain_without_straggler"] - 1) < 0.1


def kernel_job(folder, kernels, throttled=False):
    """Two ranks with 10 steps of three kernels, 1 ms each. kernels: those of rank 1 in each step, (name, duration in ns)."""
    folder.mkdir()
    usual = [(name, MS) for name in ("gemm", "softmax", "norm")]
    lost = sum(duration for _, duration in kernels) - 3 * MS
    for number in range(2):
        program = Program(folder / f"r{number}.sqlite")
        program.communicator(2)
        for _ in range(10):
            with program.range("step"):
                for name, duration in usual if number == 0 else kernels:
                    with program.range(f"{name}s"):
                        program.kernel(name, duration)
                program.all_reduce(1 << 20, 100_000 + (lost if number == 0 else 0))
                program.synchronize()
        if throttled and number == 1:
            reason = "Throttled: SW Power Cap"
            program.sample_counters("NVML GPU 0 throttling", {reason: ""}, [(0, {reason: 1})])
            program.sample_counters("NVML GPU 0", {"SM Clock": "MHz"}, [(0, {"SM Clock": 990}), (program.now, {"SM Clock": 1980})])
        program.done()
    return folder


@pytest.mark.parametrize("kernels, text, evidence", [
    ([("gemm", 3 * MS), ("softmax", MS), ("norm", MS)], "its kernels take longer", "gemm takes 3.00 times that of"),
    ([("gemm", MS), ("softmax", MS), ("norm", MS), ("norm", MS), ("norm", MS)], "it launches more kernels",
     "it launches norm 20 times more in the range :norms"),
    ([("gemm", MS), ("softmax", MS), ("norm", MS), ("check", 2 * MS)], "it launches more kernels",
     "it launches check 10 times more in the range :checks"),
    ([("gemm", 2 * MS), ("softmax", 2 * MS), ("norm", 2 * MS)], "its GPU is slower",
     "its kernels take 2.00 times those of the median rank")])
def test_what_the_kernels_of_a_late_rank_take_more(tmp_path, kernels, text, evidence):
    (finding,) = analyze(kernel_job(tmp_path / "run", kernels))["findings"]
    assert "wait for rank 1 " in finding["finding"] and text in finding["finding"]
    assert evidence in finding["evidence"]


def test_a_slow_gpu_is_throttled(tmp_path):
    kernels = [(name, 2 * MS) for name in ("gemm", "softmax", "norm")]
    (finding,) = analyze(kernel_job(tmp_path / "run", kernels, throttled=True))["findings"]
    assert "its GPU is slower" in finding["finding"]
    assert "those of the median rank: SW Power Cap for " in finding["evidence"]
    assert "its clock is 990 MHz then and 1980 MHz at most" in finding["evidence"]


def test_a_lock_of_the_thread_that_another_one_waits_for(tmp_path):
    """As in PyTorch: a second thread calls NCCL. Until the main thread awakens it, it waits, on the other rank as long."""
    lock = 5 * MS
    for number in range(2):
        program = Program(tmp_path / f"r{number}.sqlite")
        main, caller = program.thread, program.thread + 1
        program.communicator(2)
        idle_since = program.now

        def waits(thread, start, end, program=program):
            program.insert("OSRT_API", start, end, 27, thread, program.string("pthread_cond_wait"))

        for _ in range(10):
            with program.range("step"):
                if number == 1:
                    program.os_call("sem_wait", lock)
                program.compute(MS)
                program.kernel("gemm", MS)
                forward = program.now
                program.now += 30_000
                waits(caller, idle_since, program.now)
                program.thread = caller
                program.all_reduce(1 << 20, 100_000 + (lock if number == 0 else 0))
                idle_since = program.now
                program.thread, program.now = main, program.now + 20_000
                waits(main, forward, program.now)
                program.synchronize()
        program.done()
    (finding,) = analyze(tmp_path)["findings"]
    assert "wait for rank 1 (" in finding["finding"] and "it waits for a lock or another thread" in finding["finding"]
    assert " in sem_wait in the range :step, 5 ms " in finding["evidence"]


def test_a_limit_on_late_ranks(late_run):
    done = prof("analyze", "-q", "--fail-on", "late_rank=5", late_run[0])
    assert done.returncode == 3
    assert "late_rank" in done.stderr


def test_each_report_is_judged_alone_on_demand(late_run):
    done = prof("analyze", "--by-rank", late_run[0])
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Report: ") == 5
    assert "late_rank" not in done.stdout


def test_missing_and_damaged_reports_are_in_the_verdict(late_run, tmp_path):
    for report in sorted(late_run[0].glob("*.db"))[:4]:
        (tmp_path / report.name).write_bytes(report.read_bytes())
    (tmp_path / "rank_9.db").write_text("this is a text")
    done = prof("analyze", "-q", "-f", "json", tmp_path)
    assert done.returncode == 1
    assert "rank_9.db" in done.stderr
    found = with_names(done.stdout)
    assert "wait for rank 3 " in found["findings"][0]["finding"]
    assert "Without a report: rank 4 of job 4711" in found["job"]


def test_a_job_without_a_late_rank_has_the_verdict_of_a_rank(tmp_path):
    make_run(tmp_path / "run", 4, 1500)
    found = analyze(tmp_path / "run")
    assert found["verdict"] not in ("a late rank", "late ranks")
    assert "; no rank is late; rank " in found["shares"]
    assert "late_rank" not in [each["rule"] for each in found["findings"]]


def test_one_report_of_several_ranks(late_run, tmp_path):
    folder, ledger = late_run
    report = tmp_path / "node.db"
    report.write_bytes((folder / "rank_0.db").read_bytes())
    database = sqlite3.connect(report, isolation_level=None)
    for rank in range(1, 5):
        database.execute("ATTACH ? AS other", [str(folder / f"rank_{rank}.db")])
        for table in ("CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_KERNEL", "NVTX_EVENTS", "OSRT_API", "PROCESSES",
                      "ThreadNames", "PROF_RANKS"):
            database.execute(f"INSERT INTO {table} SELECT * FROM other.{table}")
        database.execute("DETACH other")
    database.close()
    waits = [0] * 5
    for row in rows("rank_wait_sum", report):
        waits[int(row["Rank"])] += int(row["Wait (ns)"])
    assert waits == ledger["waits"]
    assert rows("delay_sum", report)[0]["Rank"] == "3"


def test_reports_without_common_operations_are_analyzed_one_by_one(late_run, tmp_path):
    reports = [tmp_path / "a.db", tmp_path / "b.db"]
    for rank, report in enumerate(reports):
        report.write_bytes((late_run[0] / f"rank_{rank}.db").read_bytes())
        database = sqlite3.connect(report)
        database.execute("DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE streamId = 14")
        database.commit()
        database.close()
    done = prof("analyze", *reports)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Report: ") == 2
    done = prof("stats", "-r", "rank_wait_sum", *reports)
    assert "SKIPPED" in done.stderr and done.stdout == ""


def test_unseen_jobs():
    done = subprocess.run([sys.executable, BENCH / "late_ranks.py", "--ranks", "8", "--events", "2500", "--seeds", "3",
                           "--first-seed", "7", "--jobs", "2"], env={**os.environ, "PROF": str(PROF)}, check=True, capture_output=True,
                          text=True)
    *rows_of_seeds, summary = done.stdout.splitlines()
    assert len(rows_of_seeds) == 1 + 3
    assert "with a late one: rank right 3, cause right 3, gain within 10 % 3; without one: false alarms in 0;" in summary


@pytest.mark.skipif(not RECIPES.exists(), reason="needs nsys's reports (PROF_NSYS_TRUTH)")
def test_reports_of_nsys(tmp_path):
    reports = [unpacked(tmp_path / f"rank_{rank}.sqlite", RECIPES / f"rank_{rank}.sqlite.gz") for rank in range(2)]
    # Of the steps, without the three all-reduces before.
    reductions = [row for row in rows("collective_trace", *reports) if row["Operation"] == "AllReduce"][3:]
    of_last = [int(row["Skew (ns)"]) for row in reductions if row["Last Rank"] == "1"]
    assert (len(reductions), len(of_last)) == (175, 174)
    assert sum(of_last) == 1_018_140_564
    delay = rows("delay_sum", *reports)[0]
    assert (delay["Rank"], delay["Cause"], delay["Steps"]) == ("1", "sleep", "in every 5th step")
    assert abs(int(delay["Delay (ns)"]) - 121_100_000) < 1_000_000
    found = analyze(*reports)
    assert found["verdict"] == "a late rank"
    (finding,) = found["findings"]  # and none that tells rank 0 to overlap communication
    assert "rank 1 (vm, GPU 1): it sleeps in every 5th step" in finding["finding"]
    assert "in clock_nanosleep in the range :straggle" in finding["evidence"]
    assert finding["where"]["tid"] == 994
