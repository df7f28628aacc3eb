"""PC sampling without a GPU: every sample of the made-up GPU is in the report, or counted as lost."""
import os
import zlib

import pytest
from cuda_app import APP, CUPTI, FAKES, check_kernels, needs_cuda, rows, run
from profiling import Report, prof

pytestmark = needs_cuda

SAMPLING = ("--pc-sampling",)
SUMS = """SELECT f.value AS function, pcOffset AS offset, s.value AS stall, sum(samples) AS samples,
 sum(notIssued) AS notIssued, min(start <= end) AS ordered FROM PROF_PC_SAMPLES
 JOIN StringIds f ON f.id = functionId JOIN StringIds s ON s.id = stallId GROUP BY 1, 2, 3"""
LOSSES = """SELECT sum(total) AS total, sum(dropped) AS dropped, sum(nonUser) AS nonUser, sum(unrecorded) AS unrecorded,
 sum(hardwareBufferFull) AS full FROM PROF_PC_LOSSES"""


def warnings(report):
    return [text for (text,) in report.query("SELECT text FROM DIAGNOSTIC_EVENT WHERE severity > 1")]


def sums(report):
    found = [dict(row) for row in report.query(SUMS)]
    assert all(row.pop("ordered") for row in found)
    return found


def losses(report):
    return dict(report.query(LOSSES)[0])


def check_samples(report, answer):
    key = lambda row: (row["function"], row["offset"], row["stall"])
    assert sorted(sums(report), key=key) == sorted(answer["SAMPLES"], key=key)
    found = losses(report)
    assert found.pop("unrecorded") == 0 and found.pop("full") == 0
    assert [found] == answer["LOSSES"]
    with_rows = report.value("SELECT sum(samples) FROM PROF_PC_SAMPLES")
    assert with_rows + found["dropped"] + found["nonUser"] == found["total"]


def check_cubins(report, expected):
    found = rows(report, "PROF_CUBINS")
    assert sorted((row["crc"], row["size"]) for row in found) == sorted((row["crc"], row["size"]) for row in expected)
    for row in found:
        bytes_of_cubin = zlib.decompress(row["content"])
        assert len(bytes_of_cubin) == row["size"] and len(set(bytes_of_cubin)) == 1 and bytes_of_cubin[0] != 0


@pytest.mark.parametrize("ending, fake", [
    ("plain", ""), ("destroyed", ""), ("forked", ""), ("executed", ""), ("reloaded", ""), ("plain", "v123"),
    ("plain", "no_buffer_size"), ("plain", "v135")])
def test_every_sample_is_accounted_for(tmp_path, ending, fake):
    report = run(tmp_path, "samples", "12", ending, fake=fake, options=SAMPLING)
    answer = report.expected()
    check_samples(report, answer)
    check_cubins(report, answer["CUBINS"])
    assert {row["period"] for row in rows(report, "PROF_PC_LOSSES")} == {1 << 20}
    assert {row["contextId"] for row in rows(report, "PROF_PC_SAMPLES")} == {1}
    assert {row["globalPid"] for row in rows(report, "PROF_PC_SAMPLES")} == {
        report.value("SELECT globalPid FROM CUPTI_ACTIVITY_KIND_KERNEL")}
    assert len(rows(report, "CUPTI_ACTIVITY_KIND_KERNEL")) == len(answer["KERNEL"])
    assert [text for text in report.diagnostics() if text.startswith("PC samples of GPUs: ")]
    assert [text for text in warnings(report) if "were dropped by the GPU" in text]


def test_a_full_buffer_is_named_and_ends_sampling(tmp_path):
    """CUPTI would return nothing any more; the program goes on, and all that CUPTI has counted is in the report."""
    report = run(tmp_path, "samples", "30", "plain", fake="full_at=2", options=("--pc-sampling=16",))
    expected, found = report.expected()["LOSSES"][0], losses(report)
    assert found["total"] == expected["total"] and found["full"] == 1 and found["unrecorded"] == 0
    with_rows = report.value("SELECT sum(samples) FROM PROF_PC_SAMPLES")
    assert with_rows + found["dropped"] + found["nonUser"] == found["total"]
    assert [text for text in warnings(report) if "buffer of PC samples was full in 1 CUDA contexts" in text]


def test_reads_that_fail_with_an_own_size_are_repeated_without(tmp_path):
    report = run(tmp_path, "samples", "12", "plain", fake="broken_buffer_size", options=SAMPLING)
    check_samples(report, report.expected())


@pytest.mark.parametrize("function", [
    "cuptiPCSamplingEnable", "cuptiPCSamplingGetNumStallReasons", "cuptiPCSamplingGetStallReasons",
    "cuptiPCSamplingSetConfigurationAttribute", "cuptiPCSamplingGetData"])
@pytest.mark.parametrize("result, advice", [
    (7, "CUPTI_ERROR_INVALID_OPERATION"), (35, "NVreg_RestrictProfilingToAdminUsers=0")])
def test_refusals_are_one_line(tmp_path, function, result, advice):
    report = run(tmp_path, "samples", "3", "plain", fake=f"fail={function},result={result}", options=SAMPLING)
    lines = [text for text in warnings(report) if "were dropped by the GPU" not in text]
    assert len(lines) == 1 and function in lines[0] and advice in lines[0], lines
    # The end of sampling can return some if only reads fail.
    assert not rows(report, "PROF_PC_SAMPLES") or function == "cuptiPCSamplingGetData"
    assert len(rows(report, "CUPTI_ACTIVITY_KIND_KERNEL")) == len(report.expected()["KERNEL"])


def test_what_a_failed_read_has_written_is_not_looked_at(tmp_path):
    report = run(tmp_path, "samples", "3", "plain", fake="fail=a read in the middle,result=999", options=SAMPLING)
    line, = (text for text in warnings(report) if "were dropped by the GPU" not in text)
    assert "cuptiPCSamplingGetData" in line
    assert len(rows(report, "CUPTI_ACTIVITY_KIND_KERNEL")) == len(report.expected()["KERNEL"])


@pytest.mark.parametrize("result, named", [
    (8, "too little memory"), (26, "Another user of the GPU's counters"), (27, "NOT_SUPPORTED"),
    (40, "VIRTUALIZED_DEVICE"), (41, "CONFIDENTIAL_COMPUTING"), (43, "MIG_DEVICE")])
def test_reasons_have_names(tmp_path, result, named):
    report = run(tmp_path, "samples", "3", "plain", fake=f"fail=cuptiPCSamplingEnable,result={result}",
                 options=SAMPLING)
    assert [named in text for text in warnings(report)] == [True]


@pytest.mark.parametrize("function", ["cuptiPCSamplingDisable", "cuptiGetCubinCrc", "cuptiGetDeviceId"])
def test_the_program_does_not_notice_other_failures(tmp_path, function):
    report = run(tmp_path, "samples", "3", "plain", fake=f"fail={function}", options=SAMPLING)
    assert len(rows(report, "CUPTI_ACTIVITY_KIND_KERNEL")) == len(report.expected()["KERNEL"])
    assert not rows(report, "PROF_CUBINS") or function == "cuptiPCSamplingDisable"


def test_the_program_wants_the_counters_first(tmp_path):
    report = run(tmp_path, "samples", "3", "own_first", options=SAMPLING)
    assert report.expected()["CLIENT"] == [0]
    assert [text for text in warnings(report) if "any more: main program uses the GPU's counters itself" in text]
    assert not rows(report, "PROF_PC_SAMPLES")


def test_the_program_wants_the_counters_later(tmp_path):
    report = run(tmp_path, "samples", "3", "own_later", options=SAMPLING)
    answer = report.expected()
    assert answer["CLIENT"] == [26]
    assert [text for text in warnings(report) if text.startswith("main program wants to use the GPU's counters")]
    check_samples(report, answer)
    without = run(tmp_path, "samples", "3", "own_later")
    assert without.expected()["CLIENT"] == [0]


def test_one_context_of_a_gpu_is_sampled(tmp_path):
    report = run(tmp_path, "samples", "12", "two_contexts", options=SAMPLING)
    check_samples(report, report.expected())
    assert [text for text in warnings(report) if text.startswith("One CUDA context of GPU 0 is sampled.")]


def test_a_context_that_is_older_than_the_recording(tmp_path):
    report = run(tmp_path, "samples", "12", "late", options=("--pc-sampling", "--delay=0.1"))
    check_samples(report, report.expected())
    assert not rows(report, "PROF_CUBINS")  # nobody saw them
    assert [text for text in warnings(report) if "loaded before the recording have no cubin" in text]


def test_samples_of_a_capture_range(tmp_path):
    report = run(tmp_path, "samples", "12", "range",
                 options=("--pc-sampling", "-c", "cudaProfilerApi", "--capture-range-end=stop"))
    assert [losses(report)["total"]] == report.expected()["IN_RANGE"]


def test_with_the_flight_recorder(tmp_path):
    report = run(tmp_path, "samples", "12", "plain", options=("--pc-sampling", "--flight-recorder=60s"))
    check_samples(report, report.expected())
    check_cubins(report, report.expected()["CUBINS"])


@pytest.mark.parametrize("which, number", [("none", 0), ("used", 1), ("all", 2)])
def test_which_cubins_are_kept(tmp_path, which, number):
    report = run(tmp_path, "samples", "3", "plain", options=("--pc-sampling=20", f"--cubins={which}"))
    assert len(rows(report, "PROF_CUBINS")) == number
    assert rows(report, "PROF_PC_SAMPLES")


def test_no_samples_unless_asked_for(tmp_path):
    report = run(tmp_path, "samples", "3", "plain")
    assert not {"PROF_PC_SAMPLES", "PROF_PC_LOSSES", "PROF_CUBINS"} & set(report.tables())
    assert "SAMPLES" not in report.expected()


def test_a_usual_program_with_sampling(tmp_path):
    report = run(tmp_path, "work", options=SAMPLING)
    check_kernels(report)
    assert not warnings(report)


@pytest.mark.parametrize("word", ["4", "32x", "33", "4294967296", "fast", "-1"])
def test_periods_that_do_not_exist(tmp_path, word):
    done = prof("profile", f"--pc-sampling={word}", "-o", tmp_path / "r.db", "true")
    assert done.returncode == 2 and "(5 to 31)" in done.stderr


@pytest.mark.parametrize("words, period", [
    (("--pc-sampling=1048576",), 20), (("--pc-sampling", "31"), 31), (("--pc-sampling", "64"), 14)])
def test_periods(tmp_path, words, period):
    path = tmp_path / "r.db"
    done = prof("profile", "-t", "cuda", *words, "-o", path, "--cupti-path", CUPTI, APP, "samples", "2", "plain",
                env={**os.environ, "LD_LIBRARY_PATH": str(FAKES)})
    assert done.returncode == 0, done.stderr
    assert {row["period"] for row in rows(Report(path, done), "PROF_PC_LOSSES")} == {1 << period}


def test_it_needs_the_trace_of_cuda(tmp_path):
    done = prof("profile", "-t", "osrt", "--pc-sampling", "-o", tmp_path / "r.db", "true")
    assert done.returncode == 2 and done.stderr == "prof: --pc-sampling needs cuda in --trace\n"


def test_a_period_that_is_too_short_for_the_gpu(tmp_path):
    report = run(tmp_path, "samples", "3", "plain", options=("--pc-sampling=11",))
    assert {row["period"] for row in rows(report, "PROF_PC_LOSSES")} == {1 << 14}
    assert [text for text in warnings(report) if text.startswith("The period of PC samples is longer")]
    check_samples(report, report.expected())


def test_it_does_not_go_with_gpu_metrics(tmp_path):
    done = prof("profile", "--pc-sampling", "--gpu-metrics-devices=all", "-o", tmp_path / "r.db", "true")
    assert done.returncode == 2 and "use the same counters of a GPU" in done.stderr
