"""prof kernel with the fake CUPTI: which launches it selects, what it writes about them, and that the program behaves
as without prof, whatever CUPTI answers."""
import os
import re
import subprocess
import threading

import pytest
from cuda_app import CUPTI, FAKES, needs_cuda
from profiling import PROF, Report, prof

pytestmark = needs_cuda
APP = FAKES / "fake_kernel_app"
GEMM = "_ZN4demo4gemmILi4EEEvPKfPf"
COPY = "_Z4copyPKfPf"


def kernel(tmp_path, *arguments, options=("--set=quick",), status=0, fake="", report=True):
    path = tmp_path / "kernels.db"
    done = prof("kernel", "--cupti-path", CUPTI, "-f", "true", "-o", path, *options, "--", APP, *arguments,
                env={**os.environ, "FAKE_CUPTI": fake})
    assert done.returncode == status, done.stdout + done.stderr
    return Report(path, done) if report else done


def alone(*arguments):
    return subprocess.run([APP, *arguments], stdout=subprocess.PIPE, text=True, check=False).stdout


def profiles(report):
    """(short name, invocation, grid) of the launches with values, in order."""
    if "PROF_KERNEL_PROFILES" not in report.tables():
        return []
    return [(re.search(r"(\w+)[<(]", row["value"]).group(1), row["invocation"], row["gridX"]) for row in report.query(
        "SELECT s.value, p.invocation, p.gridX FROM PROF_KERNEL_PROFILES p JOIN StringIds s ON s.id = p.nameId "
        "WHERE p.status = 'ok' ORDER BY p.id")]


def invocations(report):
    return [invocation for _, invocation, _ in profiles(report)]


def problems(report):
    return [(row["status"], row["reason"]) for row in
            report.query("SELECT status, reason FROM PROF_KERNEL_PROFILES WHERE status != 'ok'")]


def test_a_launch_has_its_metrics_and_a_kernel_row(tmp_path):
    report = kernel(tmp_path, f"{GEMM}*2@7")
    assert profiles(report) == [("gemm", 0, 7), ("gemm", 1, 7)]
    values = {row["name"]: (row["value"], row["unit"]) for row in report.query(
        "SELECT n.name, n.unit, m.value FROM PROF_KERNEL_METRICS m JOIN PROF_METRIC_NAMES n USING (metricId) "
        "WHERE m.profileId = 1")}
    assert len(values) == 28
    assert values["gpu__time_duration.sum"] == (7000, "ns")
    assert values["smsp__inst_executed.sum"] == (100 * 7 * 32, "inst")
    assert report.value("SELECT DISTINCT chip FROM PROF_METRIC_NAMES") == "GH100"
    rows = report.query("""SELECT k.end - k.start AS duration, k.* FROM CUPTI_ACTIVITY_KIND_KERNEL k
                           JOIN PROF_KERNEL_PROFILES p USING (correlationId, globalPid)""")
    assert all(abs(row["duration"] - 7000) <= 2 for row in rows)
    assert [(row["gridX"], row["blockX"], row["registersPerThread"], row["staticSharedMemory"])
            for row in rows] == [(7, 32, 40, 1024)] * 2
    assert report.value("SELECT COUNT(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME") >= 2


def test_the_row_says_how_it_was_profiled(tmp_path):
    def one(options):
        row, = kernel(tmp_path, COPY, options=options).query("SELECT * FROM PROF_KERNEL_PROFILES")
        return row["mode"], row["passes"], row["status"], row["reason"], row["blockX"]
    assert one(["--set=quick"]) == ("none", 1, "ok", None, 32)
    assert one(["--set=basic"]) == ("kernel", 4, "ok", None, 32)
    assert one([]) == ("kernel", 4, "ok", None, 32)
    assert one(["--set=quick", "--replay=rotate"]) == ("none", 1, "ok", None, 32)


@pytest.mark.parametrize("options", [["--set=quick"], ["--set=basic"], ["--set=full"]])
def test_the_program_computes_the_same(tmp_path, options):
    """The fake runs a kernel once for each pass; without its restore the memory would differ."""
    words = (f"{GEMM}*3", COPY, "graph", f"{COPY}*2")
    report = kernel(tmp_path, *words, options=options)
    assert alone(*words) in report.done.stdout
    assert len(profiles(report)) == 6


# What Nsight Compute selects for the same options (launches of a program in this order).
ORDER = (f"{COPY}*2", f"{GEMM}*3", f"{COPY}*2", f"{GEMM}*2@8")


@pytest.mark.parametrize("options, expected", [
    ([], ["c0", "c1", "g0", "g1", "g2", "c2", "c3", "g3", "g4"]),
    (["-k", "gemm"], ["g0", "g1", "g2", "g3", "g4"]),
    (["-k", "gem"], []),
    (["-k", "regex:ge"], ["g0", "g1", "g2", "g3", "g4"]),
    (["-k", "regex:^(copy|x)$"], ["c0", "c1", "c2", "c3"]),
    (["-k", GEMM], []),
    (["-k", GEMM, "--kernel-name-base=mangled"], ["g0", "g1", "g2", "g3", "g4"]),
    (["-k", "gemm", "--kernel-name-base=demangled"], []),
    (["-k", "void demo::gemm<(int)4>(const float *, float *)", "--kernel-name-base=demangled"],
     ["g0", "g1", "g2", "g3", "g4"]),
    (["-k", "regex:gemm<.int.[45]>|nothing", "--kernel-name-base=demangled", "-s", "1"], ["g1", "g2", "g3", "g4"]),
    (["--kernel-id", "::regex:^copy.*float \\*:2", "--kernel-name-base=demangled"], ["c1"]),
    (["-s", "7"], ["g3", "g4"]),
    (["-c", "2"], ["c0", "c1"]),
    (["-k", "regex:gemm", "-s", "1", "-c", "2"], ["g1", "g2"]),
    (["--launch-skip-before-match", "4", "-k", "gemm", "-c", "1"], ["g2"]),
    (["--launch-skip-before-match", "4", "-k", "gemm", "-s", "1"], ["g3", "g4"]),
    (["--kernel-id", "::regex:gemm:2"], ["g1"]),
    (["--kernel-id", "::copy:"], ["c0", "c1", "c2", "c3"]),
    (["--kernel-id", "1:7::1"], ["c0"]),
    (["--kernel-id", "99:::"], []),
    (["--filter-mode=per-launch-config", "-c", "1"], ["c0", "g3"]),
    (["--filter-mode=per-launch-config", "-k", "gemm", "-s", "1", "-c", "1"], ["g1", "g4"]),
    (["--filter-mode=per-gpu", "-c", "2"], ["c0", "c1"]),
])
def test_launches_are_selected_as_by_ncu(tmp_path, options, expected):
    report = kernel(tmp_path, *ORDER, options=["--set=quick", *options], status=0 if expected else 1)
    assert [f"{name[0]}{number}" for name, number, _ in profiles(report)] == expected


RANGES = (COPY, "push:step 1", f"{GEMM}*2", "push:loss", COPY, "push:mine@inner", f"{GEMM}*1", "pop:mine", "pop",
          "pop", "push:step 2", COPY, "pop", f"{GEMM}*1")


@pytest.mark.parametrize("options, expected", [
    (["--nvtx-include", "step 1/"], ["g0", "g1", "c1", "g2"]),
    (["--nvtx", "--nvtx-include", "step 2/", "--nvtx-include", "loss/"], ["c1", "g2", "c2"]),
    (["--nvtx-include", "step 1]"], ["g0", "g1"]),
    (["--nvtx-include", "[loss"], []),
    (["--nvtx-include", "step 1/loss/"], ["c1", "g2"]),
    (["--nvtx-include", "mine@inner/"], ["g2"]),
    (["--nvtx-include", "inner/"], []),
    (["--nvtx-include", "step 1/", "--nvtx-exclude", "loss/"], ["g0", "g1"]),
    (["--nvtx-exclude", "mine@inner/"], ["c0", "g0", "g1", "c1", "c2", "g3"]),
    (["--nvtx-include", "step 1/", "-k", "gemm", "-s", "1"], ["g1", "g2"]),
])
def test_launches_are_selected_by_their_ranges(tmp_path, options, expected):
    printed = alone(*RANGES)
    if "no NVTX" in printed:
        pytest.skip("built without the headers of NVTX")
    report = kernel(tmp_path, *RANGES, options=["--set=quick", *options], status=0 if expected else 1)
    assert [f"{name[0]}{number}" for name, number, _ in profiles(report)] == expected
    assert printed in report.done.stdout


def test_without_a_match_the_names_are_listed(tmp_path):
    report = kernel(tmp_path, *ORDER, options=["--set=quick", "-k", "nothing"], status=1)
    line, = (line for line in report.done.stderr.splitlines() if "No kernel was profiled" in line)
    assert "demo::gemm" in line and "copy(" in line
    assert "PROF_KERNEL_PROFILES" not in report.tables()


def test_a_program_without_kernels_fails_and_keeps_a_status_of_its_own(tmp_path):
    report = kernel(tmp_path, status=1)
    assert "the program launched none" in report.done.stderr
    kernel(tmp_path, "exit:7", status=7)
    kernel(tmp_path, COPY, "exit:7", status=7)


def test_kernels_that_wait_for_others_are_not_replayed(tmp_path):
    nccl = "_Z25ncclDevKernel_AllReduce_Sv"
    report = kernel(tmp_path, nccl, COPY, options=["--set=basic"])
    assert invocations(report) == [0]
    (status, reason), = problems(report)
    assert status == "refused" and "--replay=rotate" in reason
    assert report.done.stderr.count("waits for other GPUs") == 1
    assert len(profiles(kernel(tmp_path, nccl, COPY, options=["--set=quick"]))) == 2


def test_many_passes_are_refused_without_replay(tmp_path):
    report = kernel(tmp_path, f"{COPY}*3", options=["--set=full", "--replay=none"], status=1)
    assert alone(f"{COPY}*3") in report.done.stdout
    assert report.done.stderr.count("--replay=none allows one") == 1


def test_a_kernel_that_hangs_is_named_at_once(tmp_path):
    """It waits for a file that exists only when prof has said so."""
    go = tmp_path / "go"
    command = [PROF, "kernel", "--cupti-path", CUPTI, "-o", tmp_path / "kernels.db", "--", APP, f"wait:{go}"]
    at_last = threading.Timer(90, go.touch)
    at_last.start()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as running:
        line = next((line for line in running.stderr if "has not ended" in line), "")
        go.touch()
        at_last.cancel()
        assert "_Z4waitv" in line and "-k" in line
        running.stderr.read()
    assert running.returncode == 0


def test_captured_launches_are_left_alone(tmp_path):
    report = kernel(tmp_path, f"capture:{COPY}", COPY)
    assert invocations(report) == [1]
    assert problems(report) == [("refused", "the launch was captured into a graph")]
    report = kernel(tmp_path, f"capture_of_thread:{COPY}", COPY)
    assert problems(report) == [("refused", "the launch was captured into a graph")]


def test_launches_of_other_threads_are_not_counted(tmp_path):
    words = (f"thread:{GEMM}*20", f"thread:{GEMM}*20", f"{COPY}*20")
    report = kernel(tmp_path, *words, options=["--set=basic"])
    assert alone(*words) in report.done.stdout
    assert len(profiles(report)) == 60 and not problems(report)


def test_a_launch_that_waits_too_long_for_another_one_has_a_row(tmp_path):
    """The other one may wait for it, so it runs without being profiled."""
    go = tmp_path / "go"
    words = (f"wait_on_thread:{go}", COPY, f"touch:{go}")
    report = kernel(tmp_path, *words, status=1)
    assert alone(COPY) in report.done.stdout
    rows = report.query("SELECT p.reason, s.value FROM PROF_KERNEL_PROFILES p JOIN StringIds s ON s.id = p.nameId")
    assert {row["value"].split("(")[0]: row["reason"] for row in rows} == {
        "copy": "another thread profiled a kernel for more than 10 s, which may wait for this one",
        "wait": "kernels of other launches were counted, too"}


def test_metrics_that_the_chip_lacks_are_left_out(tmp_path):
    report = kernel(tmp_path, COPY, options=["--metrics=sm__cycles_active.avg,sm__nonsense.sum"])
    assert [row["name"] for row in report.query("SELECT name FROM PROF_METRIC_NAMES")] == ["sm__cycles_active.avg"]
    report = kernel(tmp_path, COPY, options=["--metrics=sm__nonsense.sum"], status=1)
    assert "CUPTI knows none of the metrics" in report.done.stderr
    report = kernel(tmp_path, COPY, options=["--set=quick", "--metrics=sm__cycles_activenonsense.avg"])
    line = "prof: GH100 has no metric sm__cycles_activenonsense.avg; did you mean sm__cycles_active.avg?"
    assert line in report.done.stderr


def test_metrics_are_named_by_an_expression(tmp_path):
    report = kernel(tmp_path, COPY, options=["--chip=GH100", "--metrics=regex:^dram__bytes"])
    assert {row["name"] for row in report.query("SELECT name FROM PROF_METRIC_NAMES")} == {
        f"dram__bytes.{suffix}" for suffix in ("avg", "max", "min", "sum")}


@pytest.mark.parametrize("function, result, text", [
    ("cuptiProfilerInitialize", 15, "libnvperf"),
    ("cuptiDeviceGetChipName", 2, "cuptiDeviceGetChipName failed with error 2"),
    ("cuptiProfilerGetCounterAvailability", 27, "does not support it"),
    ("cuptiProfilerHostInitialize", 46, "cuptiProfilerHostInitialize failed with error 46"),
    ("cuptiProfilerHostGetConfigImageSize", 1, "error 1"),
    ("cuptiProfilerHostGetConfigImage", 8, "too little memory"),
    ("cuptiProfilerHostGetNumOfPasses", 999, "error 999"),
    ("cuptiRangeProfilerEnable", 26, "dcgmi profile --pause"),
    ("cuptiRangeProfilerEnable", 35, "NVreg_RestrictProfilingToAdminUsers"),
    ("cuptiRangeProfilerGetCounterDataSize", 1, "error 1"),
    ("cuptiRangeProfilerCounterDataImageInitialize", 1, "error 1"),
    ("cuptiRangeProfilerSetConfig", 7, "error 7"),
    ("cuptiRangeProfilerStart", 35, "administrators only"),
    ("cuptiRangeProfilerStart", 41, "confidential"),
    ("cuptiRangeProfilerStart", 43, "MIG"),
    ("cuptiRangeProfilerStop", 999, "cuptiRangeProfilerStop failed with error 999"),
    ("cuptiRangeProfilerDecodeData", 999, "error 999"),
    ("cuptiRangeProfilerGetCounterDataInfo", 999, "error 999"),
    ("cuptiProfilerHostEvaluateToGpuValues", 17, "error 17"),
    ("dropped ranges", 0, "kernels of other launches"),
])
def test_what_cupti_refuses_is_said_in_one_line(tmp_path, function, result, text):
    words = (f"{GEMM}*3", "exit:5")
    report = kernel(tmp_path, *words, options=["--set=basic"], status=5, fake=f"fail={function},result={result}")
    assert alone(*words) in report.done.stdout
    assert not profiles(report)
    lines = [line for line in report.done.stderr.splitlines() if "not profiled" in line]
    assert len(lines) == 1 and text in lines[0], lines


@pytest.mark.parametrize("options, text", [
    (["-k", "regex:("], "not a regular expression"),
    (["--kernel-id", "1:2"], "CONTEXT:STREAM:NAME:NUMBER"),
    (["--kernel-id", "a:2::3"], "are numbers"),
    (["--nvtx-include", "step"], "write NAME/"),
    (["--nvtx-include", "a/,b/"], "a comma"),
    (["--nvtx-exclude", "regex:a/"], "regular expression"),
    (["--nvtx-include", "mine@/"], "has no name"),
    (["--set=bassic"], "unknown set"),
    (["--filter-mode=some"], "--filter-mode"),
])
def test_wrong_options_are_refused_before_the_program_starts(tmp_path, options, text):
    done = kernel(tmp_path, COPY, options=options, status=2, report=False)
    assert text in done.stderr and "memory" not in done.stdout
    assert not (tmp_path / "kernels.db").exists()


def test_a_program_is_needed():
    assert "no program" in prof("kernel", "--set=quick").stderr
