"""prof kernel without a GPU: CUPTI's host interface says which metrics a chip has and how many passes they take."""
import os
import shutil
from pathlib import Path

import pytest
from cuda_app import CUPTI, needs_cuda
from profiling import prof

# Passes of CUPTI 13.0, by set. A newer CUPTI may plan better: then this table changes.
TURING = ("TU102", "TU104", "TU106", "TU116", "TU117")
AMPERE = ("GA102", "GA103", "GA104", "GA106", "GA107", "GA10B")
ADA = ("AD102", "AD103", "AD104", "AD106", "AD107")
CONSUMER = ("GB202", "GB203", "GB205", "GB206", "GB207", "GB20B")
PASSES = {
    "quick": {"GV100": 5} | dict.fromkeys(
        (*TURING, "GA100", *AMPERE, "GH100", *ADA, "GB100", "GB102", "GB110", "GB10B", *CONSUMER), 1),
    "basic": {"GV100": 17, "GA100": 10, "GH100": 9, "GB100": 9, "GB102": 9, "GB110": 9, "GB10B": 10}
             | dict.fromkeys(TURING, 8) | dict.fromkeys((*AMPERE, *ADA), 7) | dict.fromkeys(CONSUMER, 9),
    "full": {"GV100": 32, "GA100": 17, "GH100": 23, "GB100": 20, "GB102": 20, "GB110": 21, "GB10B": 21,
             "TU116": 16, "TU117": 16}
            | dict.fromkeys(TURING[:3], 17) | dict.fromkeys(AMPERE, 18) | dict.fromkeys(ADA, 19)
            | dict.fromkeys(CONSUMER, 20),
}
UNPLANNED = "GV11B"  # CUPTI knows the chip, but not for launches of kernels


def cupti():
    """Path of the libcupti that belongs to CUDA 13.0, or None."""
    for folder in (Path("/usr/local/cuda/lib64"), Path("/usr/local/cuda/extras/CUPTI/lib64")):
        if (folder / "libnvperf_host.so").exists() and (folder / "libcupti.so.13").exists():
            return folder / "libcupti.so.13"
    return None


CUPTI_13 = cupti()
needs_cupti = pytest.mark.skipif(CUPTI_13 is None, reason="no libcupti with libnvperf_host")


def plan(*arguments, status=0):
    done = prof("kernel", "--cupti-path", CUPTI_13, *arguments)
    assert done.returncode == status, done.stdout + done.stderr
    return done


def passes(text):
    """Passes by chip, of the lines "CHIP N metrics, N passes"."""
    lines = [line.split() for line in text.splitlines() if " metrics, " in line and not line.startswith(" ")]
    return {words[0]: int(words[3]) for words in lines}


@needs_cupti
@pytest.mark.parametrize("name", PASSES)
def test_each_set_has_a_plan_on_each_chip(name):
    done = plan("--dry-run", "--chip=all", f"--set={name}")
    assert "unknown" not in done.stdout
    assert passes(done.stdout) == PASSES[name]
    assert UNPLANNED in done.stdout


@needs_cupti
def test_sections_are_planned_alone():
    done = plan("--dry-run", "--chip=GH100", "--set=basic")
    assert "  Occupancy                      2 metrics, alone 1 pass\n" in done.stdout
    sections = plan("--list-sections").stdout.splitlines()[1:]
    names = ",".join(line.split()[0] for line in sections)
    # Their order decides a little about the passes, not about the metrics.
    metrics = [plan("--dry-run", "--chip=GH100", "--set", each).stdout.split(",")[0] for each in (names, "full")]
    assert metrics[0] == metrics[1]


@needs_cupti
def test_an_unknown_metric_is_named():
    done = plan("--dry-run", "--chip=GH100", "--metrics=sm__cycles_active.avg,sm__nonsense.sum", status=1)
    assert passes(done.stdout) == {"GH100": 1}
    assert "unknown: sm__nonsense.sum" in done.stdout


@needs_cupti
def test_sass_metrics_are_no_part_of_the_passes():
    done = plan("--dry-run", "--chip=GH100", "--metrics=sm__cycles_active.avg,smsp__sass_inst_executed")
    assert passes(done.stdout) == {"GH100": 1}
    assert "       and 1 SASS metrics, by instruction, in one run more\n" in done.stdout
    done = plan("--dry-run", "--chip=GH100", "--metrics=smsp__sass_inst_executed")
    assert done.stdout == ("GH100  0 metrics, 0 passes\n"
                           "       and 1 SASS metrics, by instruction, in one run more\n")


@needs_cupti
def test_metrics_are_listed_with_their_units():
    lines = plan("--list-metrics", "--chip=GH100").stdout.splitlines()
    assert len(lines) > 3000
    assert any(line.split()[:2] == ["l1tex__t_sectors", "l1tex_sector"] or line.startswith("l1tex__t_sectors ")
               for line in lines)


@needs_cupti
def test_an_unknown_chip_is_refused_in_one_line():
    done = plan("--dry-run", "--chip=XX100", status=1)
    assert done.stderr.count("\n") == 1 and "XX100" in done.stderr


@needs_cupti
def test_without_libnvperf_one_line_says_what_is_missing(tmp_path):
    alone = tmp_path / "libcupti.so.13"
    shutil.copy(CUPTI_13, alone)
    environment = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
    done = prof("kernel", "--cupti-path", alone, "--dry-run", "--chip=GH100", env=environment)
    if done.returncode == 0:
        pytest.skip("the dynamic linker finds libnvperf_host by its name")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1 and "libnvperf_host" in done.stderr and "--cupti-path" in done.stderr


def fake_plan(*arguments, status=0):
    done = prof("kernel", "--cupti-path", CUPTI, "--dry-run", "--chip=GH100", *arguments)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


@needs_cuda
def test_a_rotation_has_one_pass_with_the_first_launch():
    text = fake_plan("--set=basic", "--replay=rotate")
    assert "1 pass for each launch of a kernel, 4 in all: 32 metrics with the first one, the others with the last" in text
    text = fake_plan("--set=quick", "--replay=application")
    assert "1 pass for each run of the program, 1 in all: 28 metrics with the first one\n" in text


@needs_cupti
def test_rotations_on_a_gh100():
    text = plan("--dry-run", "--chip=GH100", "--set=basic", "--replay=rotate").stdout
    assert "10 in all: 44 metrics with the first one" in text


@needs_cuda
def test_metrics_by_expression_and_without_a_suffix():
    assert "GH100  4 metrics, 1 pass\n" in fake_plan("--metrics=regex:^dram")
    assert "GH100  2 metrics, 1 pass\n" in fake_plan("--metrics=regex:hit_rate.pct")
    assert "GH100  7 metrics, 1 pass\n" in fake_plan("--metrics=dram__bytes,l1tex__t_sector_hit_rate")
    assert "no metric of the chip matches regex:^nothing" in fake_plan("--metrics=regex:^nothing", status=2)
    assert "unknown metric dram_bytes; did you mean dram__bytes?" in fake_plan("--metrics=dram_bytes", status=2)


@needs_cuda
def test_groups_have_the_names_of_ncu():
    assert "GH100  2 metrics, 1 pass\n" in fake_plan("--metrics=group:memory__chart")
    assert "there is no group memory__chat; did you mean memory__chart?" in fake_plan("--metrics=group:memory__chat", status=2)
    assert "the chip has no metric of group:memory__l2_" in fake_plan("--metrics=group:memory__l2_cache_evict_policy_table", status=2)
    assert "--pc-sampling takes" in fake_plan("--metrics=group:smsp__pcsamp_warp_stall_reasons", status=2)


@needs_cupti
@pytest.mark.parametrize("chip", ["GA100", "AD102", "GH100", "GB100", "GB202"])
def test_groups_have_metrics_that_cupti_can_count(chip):
    tables = ("chart", "dram_table", "first_level_cache_table", "l2_cache_table", "l2_cache_evict_policy_table",
              "shared_table")
    done = plan("--dry-run", "--chip", chip, "--metrics", ",".join(f"group:memory__{table}" for table in tables))
    assert int(done.stdout.split()[1]) > 150, done.stdout


@needs_cupti
def test_inputs_of_throughputs_are_those_that_ncu_lists():
    """Nsight Compute prints 25 for compute and 26 for memory on an H100."""
    def inputs(name):
        return plan("--dry-run", "--chip=GH100", f"--metrics=breakdown:{name}").stdout.split(" metrics")[0]
    assert inputs("sm__throughput.avg.pct_of_peak_sustained_elapsed") == "GH100  25"
    assert inputs("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed") == "GH100  26"
    assert inputs("sm__throughput") == "GH100  200"
    done = plan("--dry-run", "--chip=GH100", "--metrics=breakdown:dram__bytes.sum", status=2)
    assert "GH100 has no throughput dram__bytes" in done.stderr


@needs_cuda
def test_graphs_are_no_launches():
    fake_plan("--set=quick", "--graph-profiling", "node")
    assert "cannot count a graph as one launch" in fake_plan("--graph-profiling=graph", status=2)
    assert "write node" in fake_plan("--graph-profiling=both", status=2)


@needs_cuda
def test_a_misspelt_metric_gets_a_suggestion():
    text = fake_plan("--metrics=sm__cycles_activenonsense.avg", status=1)
    assert "unknown: sm__cycles_activenonsense.avg; did you mean sm__cycles_active.avg?\n" in text


def test_without_libcupti_one_line_says_what_is_missing(tmp_path):
    done = prof("kernel", "--cupti-path", tmp_path / "libcupti.so", "--dry-run", "--chip=GH100")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1 and "libcupti.so cannot be loaded" in done.stderr


def test_sets_and_mistakes():
    listed = prof("kernel", "--list-sets")
    assert listed.returncode == 0
    assert [line.split()[0] for line in listed.stdout.splitlines()[1:]] == ["quick", "basic", "full"]
    assert prof("kernel").returncode == 2


@needs_cupti
def test_a_misspelt_set_gets_a_suggestion():
    done = plan("--dry-run", "--chip=GH100", "--set=Ocupancy", status=2)
    assert done.stderr.count("\n") == 1 and "Occupancy" in done.stderr
