"""What GPU metrics add to statistics and findings: made-up programs whose load on the GPU is known."""
import contextlib
import csv
import io
import sqlite3

import pytest
from made_up_program import METRIC_PERIOD, METRICS, MS, US, Program
from named import with_names
from profiling import prof

GEMM = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64"
ADD = "vectorized_elementwise_kernel"
COLLECTIVE = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"

FULL_GEMM = {"SMs Active": 98, "Tensor Active": 70, "Compute Warps in Flight": 18, "DRAM Read Bandwidth": 30,
             "DRAM Write Bandwidth": 10}
LIGHT = {"SMs Active": 95, "Compute Warps in Flight": 60, "DRAM Read Bandwidth": 20, "DRAM Write Bandwidth": 5}


def steps(program, kernel=GEMM, copies=0):
    for _ in range(20):
        with program.range("step"):
            if copies:
                program.copy(8_000_000, copies, stream=7)
            for _ in range(4):
                program.kernel(kernel, 2 * MS)
            program.synchronize()


def clean(program):
    steps(program)
    program.sample_metrics({GEMM: FULL_GEMM})


def memory_bound(program):
    steps(program, ADD)
    program.sample_metrics({ADD: LIGHT | {"DRAM Read Bandwidth": 55, "DRAM Write Bandwidth": 28}})


def bound_by_nothing(program):
    steps(program, ADD)
    program.sample_metrics({ADD: LIGHT})


def idle_tensor_cores(program):
    steps(program)
    program.sample_metrics({GEMM: FULL_GEMM | {"Tensor Active": 4}})


def idle_multiprocessors(program):
    steps(program, ADD)
    program.sample_metrics({ADD: LIGHT | {"SMs Active": 25}})


def low_occupancy(program):
    steps(program, ADD)
    program.sample_metrics({ADD: LIGHT | {"Compute Warps in Flight": 6}})


def full_pcie(program):
    steps(program, copies=4 * MS)
    program.sample_metrics({GEMM: FULL_GEMM, "copy": {"PCIe RX Throughput": 97}})


def slow_copies(program):
    steps(program, copies=4 * MS)
    program.sample_metrics({GEMM: FULL_GEMM, "copy": {"PCIe RX Throughput": 40}})


def full_nvlink(program):
    for _ in range(20):
        with program.range("step"):
            program.kernel(GEMM, 2 * MS)
            program.kernel(COLLECTIVE, 3 * MS)
            program.synchronize()
    program.sample_metrics({GEMM: FULL_GEMM, COLLECTIVE: {"NVLink RX Responses User Data": 95, "SMs Active": 10}})


def shared_gpu(program):
    """In each step the CPU computes for 3 ms, and another process's kernels run."""
    foreign = []
    for _ in range(20):
        with program.range("step"):
            program.kernel(GEMM, 2 * MS)
            program.synchronize()
            foreign.append((program.now, program.now + 3 * MS))
            program.compute(3 * MS)
    program.sample_metrics({GEMM: FULL_GEMM}, foreign)


def setting_up(program):
    """The GPU clears memory and loads code for the program: before its first work, in its calls, and after its last."""
    own = [(0, program.now)]
    program.call("cudaFree_v3020", 5 * MS)
    for _ in range(20):
        with program.range("step"):
            begin = program.now
            program.call("cuLibraryLoadData", 1 * MS)
            own.append((begin + 100 * US, program.now - 100 * US))
            program.kernel(GEMM, 100 * US)
            program.synchronize()
            begin = program.now
            program.call("cudaMalloc_v3020", 1 * MS)
            own.append((begin + 100 * US, program.now - 100 * US))
    program.compute(500 * MS)
    program.sample_metrics({GEMM: FULL_GEMM}, [*own, (program.now - 490 * MS, program.now)])


def report_of(run, path):
    program = Program(path / "report.sqlite")
    run(program)
    return program.done()


def findings_of(report):
    done = prof("analyze", "-r", "findings", "-f", "json", report)
    assert (done.returncode, done.stderr) == (0, "")
    return {each["rule"]: each for each in with_names(done.stdout)["findings"]}


RULES = {"memory_bound_kernels", "idle_tensor_cores", "idle_multiprocessors", "low_occupancy", "full_pcie",
         "full_nvlink", "shared_gpu"}


@pytest.mark.parametrize("run,rule,evidence", [
    (memory_bound, "memory_bound_kernels", f"is in {ADD}: 83 % of the peak bandwidth"),
    (idle_tensor_cores, "idle_tensor_cores", "tensor cores 4 % active, memory 40 % of the peak bandwidth"),
    (idle_multiprocessors, "idle_multiprocessors", "on average 25 % of the multiprocessors"),
    (low_occupancy, "low_occupancy", "6 % of the warps in flight on 95 % of the multiprocessors"),
    (full_pcie, "full_pcie", "the PCIe link of GPU 0 at 90 % of the peak or more"),
    (full_nvlink, "full_nvlink", "NVLink of GPU 0 at 90 % of the peak or more"),
    (shared_gpu, "shared_gpu", "GPU 0 was busy for"),
], ids=lambda value: getattr(value, "__name__", ""))
def test_a_problem_that_metrics_show_is_found_and_no_other(tmp_path, run, rule, evidence):
    found = findings_of(report_of(run, tmp_path))
    assert RULES & set(found) == {rule}, found
    assert evidence in found[rule]["evidence"]


SWITCHES = """CREATE TABLE GPU_CONTEXT_SWITCH_EVENTS (tag, vmId, seqNo, contextId, timestamp, globalPid, gpuId, "end");
    CREATE TABLE PROCESSES (globalPid, pid, name); INSERT INTO PROCESSES VALUES (77 << 24, 77, 'blender');"""


@pytest.mark.parametrize("process, user", [(77 << 24, "it worked for blender (process 77)"), (0, "a process that is not known"),
                                           (None, "it worked for no context of this report then")])
def test_context_switches_say_who_uses_the_gpu(tmp_path, process, user):
    path = report_of(shared_gpu, tmp_path)
    with contextlib.closing(sqlite3.connect(path)) as report:
        report.executescript(SWITCHES)
        if process is not None:
            report.execute("INSERT INTO GPU_CONTEXT_SWITCH_EVENTS VALUES (9, 0, 0, 1, 0, ?, 0, 1000000000)", [process])
        report.commit()
    assert user in findings_of(path)["shared_gpu"]["evidence"]


@pytest.mark.parametrize("run", [clean, bound_by_nothing, slow_copies, setting_up], ids=lambda run: run.__name__)
def test_without_the_problem_there_is_no_finding(tmp_path, run):
    assert not RULES & set(findings_of(report_of(run, tmp_path)))


def test_kernels_of_a_report_without_metrics_are_not_judged(tmp_path):
    assert not RULES & set(findings_of(report_of(steps, tmp_path)))


# --- statistics

def rows_of(report, name, *options):
    done = prof("stats", "-q", "-r", name, "-f", "csv", *options, report)
    assert (done.returncode, done.stderr) == (0, "")
    return list(csv.DictReader(io.StringIO(done.stdout.strip())))


@pytest.fixture
def report(tmp_path):
    def run(program):
        for number in range(5):
            with program.range("step"):
                program.kernel(GEMM, 2 * MS)
                program.kernel(ADD, 1 * MS)
                program.synchronize()
            program.compute(500 * US)
        program.kernel("short", 30 * US)
        program.synchronize()
        program.sample_metrics({GEMM: FULL_GEMM, ADD: LIGHT, "short": LIGHT})
    return report_of(run, tmp_path)


def test_averages_by_kernel_are_those_of_its_time_alone(report):
    rows = {row["Name"]: row for row in rows_of(report, "gpu_metric_util_sum:kernel")}
    for name, load in ((GEMM, FULL_GEMM), (ADD, LIGHT)):
        for metric, percent in load.items():
            assert float(rows[name][f"{metric} (%)"]) == pytest.approx(percent, abs=0.1 * percent), (name, metric)
    assert (int(rows[GEMM]["Time (ns)"]), int(rows[ADD]["Time (ns)"])) == (10 * MS, 5 * MS)
    assert 80 <= int(rows[GEMM]["Samples"]) <= 100  # of the 100 samples some are cut by a kernel's begin or end
    assert (rows["short"]["Samples"], rows["short"]["SMs Active (%)"]) == ("0", "")
    assert "NVLink RX Responses User Data (%)" not in rows[GEMM]  # always 0


@pytest.mark.parametrize("pause, samples", [(3, 9), (6, 8)])
def test_a_short_sample_may_hold_a_pause_between_two_kernels(tmp_path, pause, samples):
    """Otherwise the averages of 50 kHz are those of the middle of a kernel, and higher than those of 10 kHz."""
    def run(program):
        for _ in range(20):
            program.kernel(GEMM, (180 - pause) * US)
            program.kernel("pause", pause * US)
        program.synchronize()
        program.sample_metrics({GEMM: FULL_GEMM}, period=20 * US)
    rows = {row["Name"]: row for row in rows_of(report_of(run, tmp_path), "gpu_metric_util_sum:kernel")}
    assert int(rows[GEMM]["Samples"]) == pytest.approx(20 * samples, abs=20)
    assert (int(rows[GEMM]["Samples"]) > 170) == (pause == 3)


def test_averages_by_range_and_of_the_report(report):
    [step] = [row for row in rows_of(report, "gpu_metric_util_sum:nvtx") if row["Range"] == ":step"]
    assert float(step["SMs Active (%)"]) == pytest.approx((2 * 98 + 95) / 3, abs=3)
    whole = {row["Metric"]: row for row in rows_of(report, "gpu_metric_util_sum")}
    assert set(whole) == {f"{metric} (%)" for metric in METRICS}
    trace = rows_of(report, "gpu_metrics_trace")
    active = [float(row["SMs Active (%)"]) for row in trace]
    assert int(whole["SMs Active (%)"]["Samples"]) == len(trace)
    assert float(whole["SMs Active (%)"]["Avg"]) == pytest.approx(sum(active) / len(active), abs=0.06)
    assert {int(row["Duration (ns)"]) for row in trace} == {METRIC_PERIOD}


def test_a_time_filter_takes_samples_too(report):
    rows = rows_of(report, "gpu_metrics_trace", "--filter-time", "1ms/2ms")
    assert [int(row["Start (ns)"]) for row in rows] == list(range(1 * MS, 2 * MS + 1, METRIC_PERIOD))


def test_a_wrong_argument_is_named(report):
    done = prof("stats", "-r", "gpu_metric_util_sum:thread", report)
    assert done.returncode != 0
    assert "unknown argument thread (allowed: nvtx or kernel)" in done.stderr


def test_a_report_without_metrics_says_how_to_record_them(tmp_path):
    program = Program(tmp_path / "report.sqlite")
    program.database.executescript("DROP TABLE GPU_METRICS; DROP TABLE TARGET_INFO_GPU_METRICS;")
    done = prof("stats", "-r", "gpu_metric_util_sum", program.path)
    program.database.close()
    assert "--gpu-metrics-devices" in done.stdout + done.stderr
