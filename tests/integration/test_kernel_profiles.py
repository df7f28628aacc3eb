"""Why a kernel is slow: statistics of profiled kernels, with what Nsight Compute measured and estimates."""
import csv
import io
import json
import sqlite3
from random import Random

import ncu_report
import pytest
from named import with_names
from profiling import prof


@pytest.fixture(scope="module", name="report")
def all_kernels(tmp_path_factory):
    return ncu_report.make_report(tmp_path_factory.mktemp("kernels") / "report.db")


def rows(statistic, report, *options):
    done = prof("stats", "-r", statistic, "-f", "csv", *options, report)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def of(found, name):
    return [row for row in found if row["Name"].removeprefix("void ").startswith(name)]


def test_a_verdict_for_each_kernel(report):
    found = rows("kernel_profile_sum", report)
    assert len(found) == 15
    verdicts = {row["Name"].removeprefix("void ").split("(")[0].split("_64x4")[0]: row for row in found}
    assert verdicts["copy_streaming"]["Verdict"].startswith("memory: compute at 5 % of its peak, memory (DRAM) at 78 %")
    assert verdicts["gemm_tiled"]["Verdict"].startswith("memory, at the limit: ")
    assert verdicts["fp64_heavy"]["Verdict"].startswith("compute, at the limit: ")
    assert verdicts["copy_strided"]["Verdict"].startswith("waits: ")
    assert verdicts["one_block"]["Verdict"].startswith("small grid: ")
    rules = {"copy_strided": "uncoalesced_accesses", "transpose<0>": "shared_wavefronts", "one_block": "small_grids",
             "fp64_heavy": "double_precision", "divergent": "divergent_threads",
             "special_functions": "unfused_arithmetic"}
    assert {name: verdicts[name]["Rule"] for name in rules} == rules
    for row in found:
        stake = float(row["Estimate (%)"]) / 100 * int(row["Total Time (ns)"])
        assert int(row["At Stake (ns)"]) == pytest.approx(stake, rel=0.001, abs=2)
        assert row["Reason"] and row["Next Step"]
    times = [int(row["Total Time (ns)"]) for row in found]
    assert times == sorted(times, reverse=True)


def test_one_rule_for_a_cause(report):
    """A small grid explains why places for warps stay empty; sectors are counted once."""
    found = rows("kernel_rules", report)
    assert [row["Rule"] for row in of(found, "one_block")] == ["small_grids"]
    assert "unused_sector_bytes" not in {row["Rule"] for row in of(found, "copy_strided")}
    for name in {row["Name"] for row in found}:
        estimates = [float(row["Estimate (%)"]) for row in found if row["Name"] == name]
        assert estimates == sorted(estimates, reverse=True)
    stakes = [int(row["At Stake (ns)"]) for row in found]
    assert stakes == sorted(stakes, reverse=True)


def test_roofline(report):
    found = rows("kernel_roofline", report)
    tensor, = [row for row in of(found, "nvjet") if row["Precision"] == "FP16 tensor"]
    # 2 * 4096³ operations in 181.344 us
    assert float(tensor["GFLOP/s"]) == pytest.approx(2 * 4096 ** 3 / 181344, rel=0.002)
    assert float(tensor["Of Peak (%)"]) == pytest.approx(90, abs=2)
    gemm, = of(found, "gemm_tiled")
    assert gemm["Precision"] == "FP32"
    # 2 * 1024³ operations in 237.056 us; ncu's peak of FP32: 33,792 operations in a cycle
    assert float(gemm["GFLOP/s"]) == pytest.approx(2 * 1024 ** 3 / 237056, rel=0.01)
    assert float(gemm["Peak GFLOP/s"]) == pytest.approx(33792 * 1.97, rel=0.03)
    copy, = of(found, "copy_streaming")
    assert copy["Precision"] == "none" and not copy["Roof"]
    assert float(copy["DRAM GB/s"]) == pytest.approx(2602, abs=1)
    assert float(copy["DRAM Peak GB/s"]) == pytest.approx(1280 * 2.617, rel=0.01)


def test_memory_chart(report):
    found = {(row["Link"], row["What"]): row for row in of(rows("kernel_memory", report), "copy_strided")}
    loads = found["kernel <- L1", "global loads"]
    assert float(loads["Bytes"]) == 32 * 16777216 and float(loads["Requests"]) == 524288  # a sector for each thread
    assert float(loads["Hit Rate (%)"]) == 0
    assert float(found["L2 <- DRAM", "reads"]["Of Peak (%)"]) > 30
    shared = of(rows("kernel_memory", report), "transpose<0>")
    assert {"shared loads", "shared stores"} <= {row["What"] for row in shared}


def test_metrics_of_several_launches(tmp_path):
    """The median of the launches that measured a metric, and their spread; each launch may lack some."""
    units, known = ncu_report.known_kernels()
    report = ncu_report.NcuReport(tmp_path / "rotated.db", units)
    issue, cycles = "smsp__issue_active.avg.per_cycle_active", "gpc__cycles_elapsed.max"
    for value in (10, 30, 20):
        report.launch({**known[0], cycles: value}, only={cycles})
    report.launch(known[0], only={issue})
    report.launch({**known[0], "Grid Size": "(2112, 1, 1)", cycles: 99}, only={cycles})
    found = rows("kernel_metrics", report.done())
    assert [(row["Metric"], row["Median"], row["Min"], row["Max"], row["Launches"], row["GridXYZ"].split()[0])
            for row in found] == [(cycles, "20.00", "10.00", "30.00", "3", "1056"),
                                  (issue, "0.03", "0.03", "0.03", "1", "1056"),
                                  (cycles, "99.00", "99.00", "99.00", "1", "2112")]
    summary, = rows("kernel_profile_sum", tmp_path / "rotated.db")
    assert summary["Launches"] == "5"


def test_filters_leave_launches_out(report):
    found = rows("kernel_metrics", report, "--filter-time", "0/0.0005s")
    assert {row["Name"].split("(")[0] for row in found} == {"copy_streaming"}


def test_base_names(report):
    assert "copy_streaming" in {row["Name"] for row in rows("kernel_profile_sum:base", report)}


def test_reports_without_profiles(tmp_path):
    report = ncu_report.NcuReport(tmp_path / "empty.db", {})
    done = prof("stats", "-r", "kernel_profile_sum", report.done())
    assert done.returncode == 0
    with sqlite3.connect(tmp_path / "empty.db") as database:
        database.execute("DROP TABLE PROF_KERNEL_PROFILES")
    done = prof("stats", "-r", "kernel_profile_sum", tmp_path / "empty.db")
    assert "prof kernel" in done.stdout + done.stderr


@pytest.mark.parametrize("damage", [
    "UPDATE PROF_KERNEL_METRICS SET value = 9e999", "UPDATE PROF_KERNEL_METRICS SET value = -1e300",
    "UPDATE PROF_KERNEL_METRICS SET metricId = 1 << 40", "UPDATE PROF_KERNEL_METRICS SET profileId = profileId % 3",
    "UPDATE PROF_METRIC_NAMES SET name = 'same'", "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET correlationId = 100"])
def test_damaged_reports(tmp_path, damage):
    report = ncu_report.make_report(tmp_path / "damaged.db")
    with sqlite3.connect(report) as database:
        database.execute(damage)
    for statistic in ("kernel_profile_sum", "kernel_metrics", "kernel_roofline", "kernel_memory", "kernel_rules"):
        rows(statistic, report)


def test_findings(report):
    """Shares are of the time of the kernels; the times between them are those of their repetitions."""
    done = prof("analyze", "-r", "findings", "-f", "json", report)
    assert done.returncode == 0, done.stderr
    document = with_names(done.stdout)
    found = {each["rule"]: each for each in document["findings"]}
    total = sum(int(row["Total Time (ns)"]) for row in rows("kernel_profile_sum", report))
    assert {"uncoalesced_accesses", "warp_stalls", "local_memory", "unused_occupancy", "low_occupancy"} <= set(found)
    assert not {"launch_bound", "cpu_bound", "synchronization"} & set(found)
    assert not [each for each in document["findings"] if "gain_ns" in each] and "gains" not in document
    strided = found["uncoalesced_accesses"]
    stakes = [int(row["At Stake (ns)"]) for row in rows("kernel_rules", report) if row["Rule"] == strided["rule"]]
    assert strided["at_stake_ns"] == pytest.approx(sum(stakes), abs=2)
    assert strided["share_percent"] == pytest.approx(100 * sum(stakes) / total, abs=0.1)
    assert "copy_strided" in strided["evidence"] and "29360128 of 33554432 sectors" in strided["evidence"]
    assert "profiled kernels" in json.dumps(document)


def diff(before, after, *options):
    done = prof("diff", "-f", "json", *options, before, after)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def repeated(path, factors, kernel=0, change=()):
    """A report with launches of one kernel, whose metrics differ by these factors; `change`: metrics to replace."""
    units, known = ncu_report.known_kernels()
    report = ncu_report.NcuReport(path, units)
    for factor in factors:
        values = {**known[kernel], **dict(change)}
        report.launch({name: value if isinstance(value, str) or name.startswith("launch__") else value * factor
                       for name, value in values.items()})
    return report.done()


def test_a_repeat_has_no_differences(tmp_path):
    first = repeated(tmp_path / "a.db", [1, 1.02, 0.99])
    assert diff(first, repeated(tmp_path / "b.db", [1, 1.02, 0.99]))["kernel_metrics"] == []
    assert diff(first, repeated(tmp_path / "c.db", [1.01, 0.98, 1.015]))["kernel_metrics"] == []
    # Three launches that differ by 5 % do not show if the fourth would.
    slower = repeated(tmp_path / "slower.db", [1.07, 1.04, 1.09])
    assert diff(first, slower)["kernel_metrics"] == []
    done = prof("diff", first, slower)
    assert "more launches of each kernel would show it" in done.stdout
    # One launch each does not show the spread.
    assert diff(repeated(tmp_path / "d.db", [1]), repeated(tmp_path / "e.db", [1.05]))["kernel_metrics"] == []


COUNTS = ("inst", "sector", "request", "", "warp", "byte")
TIMES = ("gpu__time_duration.sum", "gpc__cycles_elapsed.max")


def job(path, seed, slower=None, launches=10):
    """All kernels, ten launches each. Times differ by 1 % from launch to launch, counts not, other metrics by 2 %."""
    random = Random(seed)
    units, known = ncu_report.known_kernels()
    report = ncu_report.NcuReport(path, units)
    for at, kernel in enumerate(known):
        factor = 1.05 if at == slower else 1
        for _ in range(launches):
            noise = random.gauss(factor, 0.01)
            values = {name: value if isinstance(value, str) or units[name] in COUNTS or name.startswith("launch__")
                      or "peak_sustained" in name.split(".")[-1] else value * random.gauss(1, 0.02)
                      for name, value in kernel.items()}
            report.launch({**values, **{name: kernel[name] * noise for name in TIMES}})
    return report.done()


def test_twenty_repeats_have_no_findings_and_five_percent_are_found(tmp_path):
    before = job(tmp_path / "before.db", 0)
    for seed in range(1, 21):
        after = job(tmp_path / f"after{seed}.db", seed)
        assert diff(before, after, "--category", "kernel")["kernel_metrics"] == []
        after.unlink()
    for kernel in (0, 3, 8):
        after = job(tmp_path / f"slower{kernel}.db", 100 + kernel, slower=kernel)
        found = [row for row in diff(before, after, "--category", "kernel")["kernel_metrics"]
                 if not row["Metric"].startswith("rule ")]
        assert {row["Metric"] for row in found} == set(TIMES)
        assert len({row["Name"] for row in found}) == 1 and all(1.03 < row["Ratio"] < 1.07 for row in found)


def test_a_change_of_five_percent(tmp_path):
    cycles = "gpc__cycles_elapsed.max"
    factors = [1, 1.01, 0.99] * 3
    before = repeated(tmp_path / "before.db", factors)
    value = ncu_report.known_kernels()[1][0][cycles]
    found = diff(before, repeated(tmp_path / "after.db", factors, change={cycles: 1.05 * value}.items()))
    row, = found["kernel_metrics"]
    assert row["Metric"] == cycles and row["Ratio"] == 1.05 and row["Before"] == pytest.approx(value, abs=1)
    with sqlite3.connect(before) as database:
        database.execute("DROP TABLE PROF_KERNEL_METRICS")
    assert "kernel_metrics" not in diff(before, before)


def test_rules_that_come_and_go(tmp_path):
    """transpose<0> has bank conflicts, transpose<1> does not."""
    _, known = ncu_report.known_kernels()
    metrics = {name: value for name, value in known[5].items() if not name[0].isupper()}
    before = repeated(tmp_path / "before.db", [1, 1], kernel=4)
    found = diff(before, repeated(tmp_path / "after.db", [1, 1], kernel=4, change=metrics.items()), "--rows", "0")
    rules = {row["Metric"]: (row["Before"], row["After"]) for row in found["kernel_metrics"]
             if row["Metric"].startswith("rule ")}
    before_estimate, after_estimate = rules["rule shared_wavefronts"]
    assert before_estimate == 90.66 and after_estimate is None
    assert all(row["Name"].startswith("void transpose<0>") for row in found["kernel_metrics"])
