"""What the CUDA trace keeps when a program ends in different ways, without a GPU."""
import json

import pytest
from cuda_app import (KERNEL_JOIN, KERNEL_NAMES, LAST_RECORDS, NAME, TEXTS, needs_cuda, rows, run,
                      same_times)

pytestmark = needs_cuda

# There are 20 launches, in one buffer that is never full.

@pytest.mark.parametrize("ending, status", [
    ("return", 0), ("_exit", 3), ("quick_exit", 4), ("exec", 0), ("thread_exit", 5),
    ("fork", 0), ("init_elsewhere", 0), ("no_threads", 0)])
def test_endings_that_keep_everything(tmp_path, ending, status):
    report = run(tmp_path, "exit", ending, status=status)
    expected = json.loads(report.done.stdout.splitlines()[0])
    same_times(report, "CUPTI_ACTIVITY_KIND_KERNEL", expected["KERNEL"], KERNEL_NAMES, KERNEL_JOIN)
    assert len(rows(report, "CUPTI_ACTIVITY_KIND_RUNTIME")) == 20
    assert not [text for text in report.diagnostics() if LAST_RECORDS in text]


@pytest.mark.parametrize("ending, options, status, kernels", [
    ("abort", (), 134, 0), ("kill9", (), 137, 0), ("sync_kill9", (), 137, 20),
    ("interval_kill9", ("--cuda-flush-interval=50",), 137, 20),
    ("profiler_stop", ("--flush-on-cudaprofilerstop=true",), 137, 20),
    ("profiler_stop", ("--flush-on-cudaprofilerstop=false",), 137, 0)])
def test_endings_that_keep_what_was_flushed(tmp_path, ending, options, status, kernels):
    report = run(tmp_path, "exit", ending, options=options, status=status)
    assert len(rows(report, "CUPTI_ACTIVITY_KIND_KERNEL")) == kernels, report.diagnostics()
    names = [row["name"] for row in rows(report, "CUPTI_ACTIVITY_KIND_RUNTIME", TEXTS, NAME)]
    assert names.count("cudaLaunchKernel_v7000") == 20  # calls are kept with every ending
    assert [text for text in report.diagnostics() if LAST_RECORDS in text]


@pytest.mark.parametrize("ending, kernels", [("stop", 20), ("none", 40)])
def test_capture_range_of_the_profiler_api(tmp_path, ending, kernels):
    """20 launches before cudaProfilerStart, 20 up to cudaProfilerStop, 20 after it."""
    report = run(tmp_path, "exit", "profiler_range",
                 options=("-c", "cudaProfilerApi", f"--capture-range-end={ending}"))
    assert len(rows(report, "CUPTI_ACTIVITY_KIND_KERNEL")) == kernels, report.diagnostics()
    names = [row["name"] for row in rows(report, "CUPTI_ACTIVITY_KIND_RUNTIME", TEXTS, NAME)]
    assert names.count("cudaLaunchKernel_v7000") == kernels
    assert len(rows(report, "TARGET_INFO_CUDA_CONTEXT_INFO")) >= 1  # created before the range


def test_device_reset(tmp_path):
    """Records are fetched before the reset discards them, and the later records as usual."""
    report = run(tmp_path, "exit", "device_reset")
    assert report.expected()["DELIVERED"][0] >= 20
    assert len(rows(report, "CUPTI_ACTIVITY_KIND_KERNEL")) == 40, report.diagnostics()


def test_unfinished_work(tmp_path):
    """A kernel that never ended has no row. The report says that there was one."""
    report = run(tmp_path, "exit", "unfinished")
    assert len(rows(report, "CUPTI_ACTIVITY_KIND_KERNEL")) == 20, report.diagnostics()
    assert [text for text in report.diagnostics() if "with an impossible time" in text
            and text.endswith(": 1.")]


def test_a_program_that_never_comes_to_cuda(tmp_path):
    report = run(tmp_path, "exit", "never_init")
    assert not [table for table in report.tables() if "CUPTI_ACTIVITY" in table]
    assert not report.query("SELECT text FROM DIAGNOSTIC_EVENT WHERE severity > 1")
