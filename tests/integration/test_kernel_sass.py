"""prof kernel with SASS metrics and the fake CUPTI: what each instruction of a launch does, in a run without counters."""
import pytest
from test_kernel_profile import COPY, GEMM, alone, kernel, needs_cuda, problems, profiles

pytestmark = needs_cuda
COUNTED = ("inst_executed", "sectors_mem_global", "l1tex_pipe_lsu_wavefronts_mem_shared")
SOURCE = ["--section=SourceCounters", "--metrics=" + ",".join(f"smsp__sass_{name}" for name in COUNTED)]
SASS = ["--metrics=smsp__sass_inst_executed,smsp__sass_sectors_mem_global,smsp__sass_sectors_mem_global_ideal"]


def counts(report):
    """Values by invocation of the launch, offset and metric."""
    return {(row["invocation"], row["pcOffset"], row["name"].removeprefix("smsp__sass_")): row["value"]
            for row in report.query(
                "SELECT p.invocation, c.pcOffset, n.name, c.value FROM PROF_SASS_COUNTS c "
                "JOIN PROF_KERNEL_PROFILES p ON p.id = c.profileId JOIN PROF_METRIC_NAMES n USING (metricId)")}


def sums(report, profile=0):
    return {row["name"]: row["value"] for row in report.query(
        "SELECT n.name, m.value FROM PROF_KERNEL_METRICS m JOIN PROF_METRIC_NAMES n USING (metricId) "
        f"WHERE m.profileId = {profile}")}


def test_instructions_of_a_launch(tmp_path):
    report = kernel(tmp_path, f"{GEMM}@7", options=SASS)
    assert counts(report) == {
        **{(0, offset, "inst_executed"): 7 for offset in (0, 16, 32, 48)},
        (0, 16, "sectors_mem_global"): 7 * 32, (0, 16, "sectors_mem_global_ideal"): 7 * 4}
    function, = report.query("SELECT DISTINCT s.value FROM PROF_SASS_COUNTS c JOIN StringIds s ON s.id = c.functionId")
    assert function["value"] == GEMM
    assert sums(report) == {
        "inst_executed": 28, "memory_l2_theoretical_sectors_global": 224,
        "memory_l2_theoretical_sectors_global_ideal": 28,
        "derived__memory_l2_theoretical_sectors_global_excessive": 196}


def test_the_row_of_the_launch_and_its_code(tmp_path):
    report = kernel(tmp_path, f"{COPY}*2", options=SASS)
    assert alone(f"{COPY}*2") in report.done.stdout
    assert [(row["mode"], row["passes"], row["status"]) for row in
            report.query("SELECT mode, passes, status FROM PROF_KERNEL_PROFILES")] == [("none", 1, "ok")] * 2
    # The patched code takes longer, so there is no duration.
    assert report.value("SELECT MAX(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL") == 0
    cubin, = report.query("SELECT crc, size FROM PROF_CUBINS")
    assert cubin["crc"] == report.value("SELECT DISTINCT cubinCrc FROM PROF_SASS_COUNTS") and cubin["size"] == 40000


def test_beside_counters_the_kernel_runs_once_more(tmp_path):
    """In a run whose memory is restored, so the program's own launch has counters."""
    words = (f"{COPY}*2", f"{GEMM}@9")
    report = kernel(tmp_path, *words, options=SOURCE)
    assert alone(*words) in report.done.stdout
    assert not problems(report) and len(profiles(report)) == 3
    assert [(row["mode"], row["passes"]) for row in
            report.query("SELECT mode, passes FROM PROF_KERNEL_PROFILES")] == [("kernel", 2)] * 3
    for profile, blocks in enumerate((4, 4, 9)):
        values = sums(report, profile)
        assert values["inst_executed"] == 4 * blocks and "smsp__inst_executed_op_branch.sum" in values
    report = kernel(tmp_path, *words, options=["--set=full", SOURCE[1], "-c", "1"])
    assert alone(*words) in report.done.stdout
    assert sums(report)["inst_executed"] == 16 and sums(report)["gpu__time_duration.sum"] == 4000


def with_counts(report):
    return [row["profileId"] for row in report.query("SELECT DISTINCT profileId FROM PROF_SASS_COUNTS ORDER BY 1")]


@pytest.mark.parametrize("options, fake, is_full", [
    (["--metrics=sm__cycles_active.avg,smsp__sass_inst_executed", "--replay=none"], "", False),
    (SOURCE, "fail=cuptiCheckpointSave,result=8", False),
    (SOURCE, "", True),  # the GPU has no room for a copy of its memory
])
def test_without_replay_the_next_launch_is_counted_by_instruction(tmp_path, monkeypatch, options, fake, is_full):
    if is_full:
        monkeypatch.setenv("FAKE_CUDA_FULL", "1")
    words = (f"{COPY}*4", f"{GEMM}*2", f"{GEMM}@9", COPY)
    report = kernel(tmp_path, *words, options=options, fake=fake)
    assert alone(*words) in report.done.stdout
    assert not problems(report) and len(profiles(report)) == 8
    assert with_counts(report) == [1, 3, 5]
    assert "inst_executed" not in sums(report, 0) and list(sums(report, 1))[0] == "inst_executed"


def test_the_turn_comes_after_the_selected_launch(tmp_path):
    report = kernel(tmp_path, f"{COPY}*5", options=[*SOURCE, "-s", "1", "-c", "1", "--replay=none"])
    assert [invocation for _, invocation, _ in profiles(report)] == [1, 2]
    assert {invocation for invocation, _, _ in counts(report)} == {2}


@pytest.mark.parametrize("function, result, text", [
    ("cuptiSassMetricsGetProperties", 1, "CUPTI knows none of the metrics"),
    ("cuptiSassMetricsSetConfig", 27, "does not support it"),
    ("cuptiSassMetricsEnable", 26, "dcgmi profile --pause"),
    ("cuptiSassMetricsFlushData", 1, "cuptiSassMetricsFlushData failed with error 1"),
])
def test_counters_do_without_sass_metrics(tmp_path, function, result, text):
    words = (f"{COPY}*2", "exit:5")
    report = kernel(tmp_path, *words, options=SOURCE, status=5, fake=f"fail={function},result={result}")
    assert alone(*words) in report.done.stdout
    assert len(profiles(report)) == 2 and "smsp__inst_executed_op_branch.sum" in sums(report, 1)
    line, = (line for line in report.done.stderr.splitlines() if "Launches that have no SASS metrics: 2." in line)
    assert text in line
    assert "PROF_SASS_COUNTS" not in report.tables()


def test_memory_that_cannot_be_restored_is_reported(tmp_path):
    report = kernel(tmp_path, COPY, options=SOURCE, fake="fail=cuptiCheckpointRestore,result=999")
    assert report.value("SELECT COUNT(*) FROM DIAGNOSTIC_EVENT WHERE text LIKE '%results may be wrong%'") == 1


def test_graphs_run_as_without_prof(tmp_path):
    words = (COPY, "graph", f"{GEMM}*2", "graph", COPY)
    assert alone(*words) in kernel(tmp_path, *words, options=SASS).done.stdout


def test_launches_of_other_threads_wait(tmp_path):
    words = (f"thread:{GEMM}*20@3", f"thread:{GEMM}*20@3", f"{COPY}*20")
    report = kernel(tmp_path, *words, options=SASS)
    assert alone(*words) in report.done.stdout
    assert len(profiles(report)) == 60 and not problems(report)
    values = report.query("SELECT p.gridX, SUM(c.value) AS sum FROM PROF_SASS_COUNTS c JOIN PROF_KERNEL_PROFILES p "
                          "ON p.id = c.profileId JOIN PROF_METRIC_NAMES n USING (metricId) "
                          "WHERE n.name = 'smsp__sass_inst_executed' GROUP BY p.id")
    assert all(row["sum"] == 4 * row["gridX"] for row in values)


def test_metrics_that_the_chip_lacks_are_left_out(tmp_path):
    report = kernel(tmp_path, COPY, options=["--metrics=smsp__sass_inst_executed,smsp__sass_nonsense"])
    assert sums(report) == {"inst_executed": 16}
    report = kernel(tmp_path, COPY, options=["--metrics=smsp__sass_nonsense"], status=1)
    assert "CUPTI knows none of the metrics" in report.done.stderr


@pytest.mark.parametrize("function, result, text", [
    ("cuptiProfilerInitialize", 15, "libnvperf"),
    ("cuptiDeviceGetChipName", 2, "cuptiDeviceGetChipName failed with error 2"),
    ("cuptiSassMetricsGetProperties", 1, "CUPTI knows none of the metrics"),
    ("cuptiSassMetricsSetConfig", 8, "too little memory"),
    ("cuptiSassMetricsEnable", 27, "does not support it"),
    ("cuptiSassMetricsEnable", 35, "administrators only"),
    ("cuptiSassMetricsGetDataProperties", 7, "cuptiSassMetricsGetDataProperties failed with error 7"),
    ("cuptiSassMetricsFlushData", 1, "cuptiSassMetricsFlushData failed with error 1"),
    ("cuptiSassMetricsDisable", 999, "cuptiSassMetricsDisable failed with error 999"),
    ("no instructions", 0, "CUPTI counted no instruction of the kernel"),
])
def test_what_cupti_refuses_is_said_in_one_line(tmp_path, function, result, text):
    words = (f"{GEMM}*3", "exit:5")
    report = kernel(tmp_path, *words, options=SASS, status=5, fake=f"fail={function},result={result}")
    assert alone(*words) in report.done.stdout
    assert not profiles(report) and "PROF_SASS_COUNTS" not in report.tables()
    lines = [line for line in report.done.stderr.splitlines() if "not profiled" in line]
    assert len(lines) == 1 and text in lines[0], lines
