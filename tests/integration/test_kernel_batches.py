"""prof kernel with metrics of one pass: launches share a start of the counters, with the fake CUPTI."""
import pytest
from cuda_app import needs_cuda
from test_kernel_profile import COPY, GEMM, alone, kernel, problems, profiles

pytestmark = needs_cuda


def batches(report):
    """(which launch of the process, how often the counters were started before) of each launch with values."""
    return [(row["launch"], row["start"]) for row in report.query(
        """SELECT CAST(a.value AS INT) AS launch, CAST(b.value AS INT) AS start
           FROM PROF_KERNEL_PROFILES p JOIN PROF_KERNEL_METRICS a ON a.profileId = p.id
           JOIN PROF_METRIC_NAMES m ON m.metricId = a.metricId AND m.name = 'sm__cycles_elapsed.max'
           JOIN PROF_KERNEL_METRICS b ON b.profileId = p.id
           JOIN PROF_METRIC_NAMES n ON n.metricId = b.metricId AND n.name = 'sm__cycles_active.max'
           ORDER BY p.id""")]


@pytest.mark.parametrize("options", [["--set=quick"], ["--set=quick", "--replay=rotate"],
                                     ["--set=quick", "--replay=kernel"]])
def test_a_hundred_launches_share_a_start(tmp_path, options):
    report = kernel(tmp_path, f"{GEMM}*150@7", f"{COPY}*100@3", options=options)
    assert batches(report) == [(number, (number - 1) // 100 + 1) for number in range(1, 251)]
    rows = report.query("""SELECT p.gridX, k.end - k.start AS duration FROM CUPTI_ACTIVITY_KIND_KERNEL k
                           JOIN PROF_KERNEL_PROFILES p USING (correlationId, globalPid)""")
    assert len(rows) == 250 and all(abs(row["duration"] - 1000 * row["gridX"]) <= 2 for row in rows)


def test_single_launches_between_others_stay_in_a_batch(tmp_path):
    words = (GEMM, COPY) * 6
    report = kernel(tmp_path, *words, options=["--set=quick", "-k", "gemm"])
    assert batches(report) == [(1, 1), (3, 1), (5, 1), (7, 1), (9, 1), (11, 1)]
    assert alone(*words) in report.done.stdout


def test_many_launches_between_others_end_a_batch(tmp_path):
    words = (GEMM, f"{COPY}*90") * 3
    report = kernel(tmp_path, *words, options=["--set=quick", "-k", "gemm"])
    assert batches(report) == [(1, 1), (92, 2), (183, 3)]
    words = (GEMM, COPY, GEMM, COPY, GEMM, f"{COPY}*90", GEMM, COPY, GEMM, COPY, GEMM)
    report = kernel(tmp_path, *words, options=["--set=quick", "-k", "gemm"])
    assert batches(report) == [(1, 1), (3, 1), (5, 1), (96, 2), (98, 3), (100, 3)]


def test_graphs_and_captured_launches_end_a_batch(tmp_path):
    words = (f"{GEMM}*2", "graph", f"{GEMM}*2", f"capture:{COPY}", GEMM, f"capture:{GEMM}", GEMM)
    report = kernel(tmp_path, *words, options=["--set=quick", "-k", "gemm"])
    assert [start for _, start in batches(report)] == [1, 1, 2, 2, 3, 4]
    assert problems(report) == [("refused", "the launch was captured into a graph")]
    assert alone(*words) in report.done.stdout


def test_launches_of_several_threads_have_their_own_values(tmp_path):
    words = (f"thread:{GEMM}*90@2", f"thread:{COPY}*90@5", f"{GEMM}*90@3")
    report = kernel(tmp_path, *words)
    rows = report.query("SELECT k.end - k.start AS duration, k.gridX FROM CUPTI_ACTIVITY_KIND_KERNEL k")
    assert len(rows) == 270 and all(abs(row["duration"] - 1000 * row["gridX"]) <= 2 for row in rows)
    assert sorted(launch for launch, _ in batches(report)) == list(range(1, 271))
    assert alone(*words) in report.done.stdout


def test_a_batch_ends_after_a_second(tmp_path):
    """So a program that is killed loses little."""
    report = kernel(tmp_path, f"{GEMM}*3", "killed", status=137)
    assert len(batches(report)) == 3


@pytest.mark.parametrize("function", ["cuptiRangeProfilerStop", "cuptiRangeProfilerDecodeData",
                                      "cuptiProfilerHostEvaluateToGpuValues", "dropped ranges"])
def test_a_batch_that_fails_says_so_for_each_launch(tmp_path, function):
    words = (f"{GEMM}*120", "exit:5")
    report = kernel(tmp_path, *words, status=5, fake=f"fail={function},result=999")
    assert len(problems(report)) == 120 and not profiles(report)
    assert {status for status, _ in problems(report)} == {"failed"}
    assert alone(*words) in report.done.stdout
