"""Findings and statistics about launch configurations: programs with one known fault each."""
import contextlib
import csv
import io
import sqlite3

import pytest
from made_up_program import MS, MULTIPROCESSORS, Program
from named import with_names
from profiling import prof

KERNEL = "stencil(float*, float const*, int)"
GEMM = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64"
WAVE = 8 * MULTIPROCESSORS  # blocks of 256 threads with 32 registers


def report_of(path, name=KERNEL, **columns):
    """Twenty kernels of 5 ms, with these columns."""
    program = Program(path / "report.sqlite")
    for _ in range(20):
        program.kernel(name, 5 * MS)
    report = program.done()
    with contextlib.closing(sqlite3.connect(report)) as changed:
        for column, value in columns.items():
            changed.execute(f"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET {column} = ?", [value])
        changed.commit()
    return report


def findings(report):
    done = prof("analyze", "-r", "findings", "-f", "json", report)
    assert done.returncode == 0, done.stderr
    return {each["rule"]: each for each in with_names(done.stdout)["findings"]}


def rules(report):
    done = prof("stats", "-r", "kernel_rules", "-f", "csv", report)
    assert done.returncode == 0, done.stderr
    return {row["Rule"]: row for row in csv.DictReader(io.StringIO(done.stdout))}


# The part of the time at stake that counts for the order of findings. A full last wave saves three quarters of it here.
SAVED = {"tail_effect": 0.75, "low_occupancy": 0.25, "partial_warps": 1, "small_grids": 1}
FAULTS = [  # rule, columns of the kernels, percent at stake, evidence
    ("tail_effect", {"gridX": 5 * WAVE // 4}, 50, "1 full wave of 1056 blocks, and a last one that is 25 % full"),
    ("partial_warps", {"gridX": 3 * WAVE, "blockX": 129}, 19.4, "blocks of 129 threads: the last warp has 1 of 32"),
    ("low_occupancy", {"gridX": 9 * WAVE, "registersPerThread": 130}, 87.5,
     "12.5 % occupancy: 1 block of 256 threads per multiprocessor, limited by registers; "
     "2 registers fewer per thread allow 25.0 %"),
    ("small_grids", {"gridX": MULTIPROCESSORS // 4}, 75, "33 blocks for 132 multiprocessors"),
]


@pytest.mark.parametrize("rule, columns, percent, reason", FAULTS, ids=[each[0] for each in FAULTS])
def test_known_faults(tmp_path, rule, columns, percent, reason):
    report = report_of(tmp_path, **columns)
    found = findings(report)
    launch = {"small_grids", "tail_effect", "partial_warps", "low_occupancy"}
    assert set(found) & launch == {rule}
    assert found[rule]["share_percent"] == pytest.approx(percent, rel=0.03)
    assert reason in found[rule]["evidence"]
    assert found[rule]["savings_ns"] == pytest.approx(SAVED[rule] * found[rule]["at_stake_ns"], rel=0.001)
    row = rules(report)[rule]
    assert float(row["Estimate (%)"]) == pytest.approx(percent, abs=0.1) and row["Reason"] == reason
    assert int(row["At Stake (ns)"]) == pytest.approx(20 * 5 * MS * percent / 100, rel=0.01)
    assert row["Instances"] == "20" and row["Name"] == KERNEL


@pytest.mark.parametrize("columns", [
    {"gridX": 3 * WAVE},                                # full waves
    {"gridX": 3 * WAVE + WAVE // 100 * 99},             # a last wave that is nearly full
    {"gridX": 6 * WAVE + 1},                            # a short last wave after many
    {"gridX": 9 * WAVE, "registersPerThread": 64},      # half of the warps are enough
    {"gridX": MULTIPROCESSORS, "registersPerThread": 64},
])
def test_no_findings(tmp_path, columns):
    assert not findings(report_of(tmp_path, **columns))


@pytest.mark.parametrize("name", [GEMM, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096>)"])
def test_low_occupancy_by_design(tmp_path, name):
    """The statistic has it, because the estimate is Nsight Compute's."""
    report = report_of(tmp_path, name, gridX=9 * WAVE, registersPerThread=130)
    assert "low_occupancy" not in findings(report) and "low_occupancy" in rules(report)
