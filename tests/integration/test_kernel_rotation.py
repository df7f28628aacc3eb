"""prof kernel --replay=rotate with the fake CUPTI: each launch makes a pass, and the passes are joined to profiles."""
import pytest
from test_kernel_profile import COPY, GEMM, alone, kernel, needs_cuda, problems

pytestmark = needs_cuda
ROTATE = ["--set=basic", "--replay=rotate"]
PASSES = 4  # of the fake: one for 32 metrics, three for the others, of which some are throughputs


def passes(report):
    """Invocations of the launches of each profile, in the order of their passes."""
    rows = {}
    for row in report.query("SELECT profileId, pass, invocation FROM PROF_KERNEL_PASSES ORDER BY profileId, pass"):
        rows.setdefault(row["profileId"], []).append((row["pass"], row["invocation"]))
    assert all([number for number, _ in each] == list(range(len(each))) for each in rows.values())
    return [[invocation for _, invocation in each] for each in rows.values()]


def values(report, profile=0):
    return {row["name"]: row["value"] for row in report.query(
        "SELECT n.name, m.value FROM PROF_KERNEL_METRICS m JOIN PROF_METRIC_NAMES n USING (metricId) "
        f"WHERE m.profileId = {profile}")}


def test_the_passes_of_launches_are_one_profile(tmp_path):
    words = (f"{GEMM}*4@7",)
    report = kernel(tmp_path, *words, options=ROTATE)
    assert alone(*words) in report.done.stdout
    row, = report.query("SELECT * FROM PROF_KERNEL_PROFILES")
    assert (row["mode"], row["passes"], row["status"], row["reason"]) == ("rotate", PASSES, "ok", None)
    assert passes(report) == [[0, 1, 2, 3]]
    rotated = values(report)
    assert "1 profile was made of 4 launches" in report.done.stderr
    replayed = values(kernel(tmp_path, f"{GEMM}@7", options=["--set=basic"]))
    assert rotated.keys() == replayed.keys()
    assert rotated["gpu__time_duration.sum"] == 7000 and -1 not in rotated.values()
    # What fits into one pass is of the first launch, and throughputs are of the three that follow.
    assert rotated["sm__cycles_active.avg"] == 1
    assert rotated["sm__throughput.avg.pct_of_peak_sustained_elapsed"] == 3


def test_the_first_launch_has_the_row_and_the_duration(tmp_path):
    report = kernel(tmp_path, f"{GEMM}*8@7", options=ROTATE)
    rows = report.query("""SELECT p.id, p.invocation, k.end - k.start AS duration FROM CUPTI_ACTIVITY_KIND_KERNEL k
                           JOIN PROF_KERNEL_PROFILES p USING (correlationId, globalPid) ORDER BY p.id""")
    assert [(row["id"], row["invocation"]) for row in rows] == [(0, 0), (1, 4)]
    assert all(abs(row["duration"] - 7000) <= 2 for row in rows)
    assert report.value("SELECT COUNT(*) FROM CUPTI_ACTIVITY_KIND_KERNEL") == 2


def test_kernels_and_sizes_have_profiles_of_their_own(tmp_path):
    """A training step: kernels in turns."""
    step = (COPY, GEMM, f"{GEMM}@9")
    words = step * (PASSES + 1)
    report = kernel(tmp_path, *words, options=ROTATE)
    assert alone(*words) in report.done.stdout
    gemm = list(range(0, 2 * PASSES, 2))
    assert passes(report) == [[0, 1, 2, 3], gemm, [each + 1 for each in gemm], [4], [8], [9]]
    blocks = [row["gridX"] for row in report.query("SELECT gridX FROM PROF_KERNEL_PROFILES ORDER BY id")]
    assert blocks == [4, 4, 9, 4, 4, 9]
    assert [values(report, profile)["gpu__time_duration.sum"] for profile in range(6)] == [
        1000 * each for each in blocks]


def test_missing_passes_are_named(tmp_path):
    report = kernel(tmp_path, f"{COPY}*3", f"{GEMM}*4", options=ROTATE)
    rows = report.query("SELECT status, reason FROM PROF_KERNEL_PROFILES ORDER BY id")
    assert [(row["status"], row["reason"]) for row in rows] == [
        ("ok", "passes 4 to 4 are missing: the kernel was not launched often enough"), ("ok", None)]
    assert len(values(report, 0)) == 32 and len(values(report, 1)) > 32
    assert "Profiles that lack passes: 1" in report.done.stderr


def test_a_profile_without_values_has_failed(tmp_path):
    throughput = "--metrics=sm__throughput.avg.pct_of_peak_sustained_elapsed"
    report = kernel(tmp_path, f"{COPY}*2", options=[throughput, "--replay=rotate"], status=1)
    (status, reason), = problems(report)
    assert status == "failed" and "passes 3 to 3 are missing" in reason


def test_selected_launches_make_the_passes(tmp_path):
    report = kernel(tmp_path, f"{COPY}*3", f"{GEMM}*10", options=[*ROTATE, "-k", "gemm", "-s", "2", "-c", "4"])
    assert passes(report) == [[2, 3, 4, 5]]


def test_kernels_that_wait_for_others_are_rotated(tmp_path):
    report = kernel(tmp_path, f"_Z25ncclDevKernel_AllReduce_Sv*{PASSES}", options=ROTATE)
    assert passes(report) == [[0, 1, 2, 3]] and not problems(report)


def test_graphs_run_between_the_passes(tmp_path):
    """The counters are off while a graph runs."""
    words = (COPY, "graph", f"{COPY}*2", "graph", COPY)
    report = kernel(tmp_path, *words, options=ROTATE)
    assert alone(*words) in report.done.stdout
    assert passes(report) == [[0, 1, 2, 3]] and -1 not in values(report).values()


def test_sass_metrics_have_a_launch_of_their_own(tmp_path):
    report = kernel(tmp_path, f"{COPY}*5", options=[*ROTATE, "--metrics=smsp__sass_inst_executed"])
    assert passes(report) == [[0, 2, 3, 4]]
    assert report.query("SELECT DISTINCT p.invocation FROM PROF_SASS_COUNTS c JOIN PROF_KERNEL_PROFILES p "
                        "ON p.id = c.profileId")[0]["invocation"] == 1


@pytest.mark.parametrize("function, result, text", [
    ("cuptiProfilerHostGetNumOfPasses", 999, "error 999"),
    ("cuptiRangeProfilerSetConfig", 7, "error 7"),
    ("cuptiRangeProfilerStart", 35, "administrators only"),
    ("cuptiRangeProfilerStop", 999, "cuptiRangeProfilerStop failed with error 999"),
    ("cuptiRangeProfilerDecodeData", 999, "error 999"),
    ("cuptiProfilerHostEvaluateToGpuValues", 17, "error 17"),
    ("dropped ranges", 0, "kernels of other launches"),
])
def test_what_cupti_refuses_is_said_in_one_line(tmp_path, function, result, text):
    words = (f"{GEMM}*6", "exit:5")
    report = kernel(tmp_path, *words, options=ROTATE, status=5, fake=f"fail={function},result={result}")
    assert alone(*words) in report.done.stdout
    assert "PROF_KERNEL_PASSES" not in report.tables()
    assert {status for status, _ in problems(report)} == {"failed"}
    lines = [line for line in report.done.stderr.splitlines() if "not profiled" in line]
    assert len(lines) == 1 and text in lines[0], lines


def test_launches_of_other_threads_wait(tmp_path):
    words = (f"thread:{GEMM}*20@3", f"thread:{GEMM}*20@3", f"{COPY}*20")
    report = kernel(tmp_path, *words, options=ROTATE)
    assert alone(*words) in report.done.stdout
    assert [len(each) for each in passes(report)] == [PASSES] * (60 // PASSES) and not problems(report)
    assert all(-1 not in values(report, profile).values() for profile in range(60 // PASSES))
