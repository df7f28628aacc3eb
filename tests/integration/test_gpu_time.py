"""gpu_time_breakdown, gpu_idle_sum and iteration_sum: made-up programs with known times."""
import csv
import io
import json

import pytest
from made_up_program import D2H, MS, US, Program
from profiling import prof


@pytest.fixture
def program(tmp_path):
    return Program(tmp_path / "report.sqlite")


def stats(program, name):
    done = prof("stats", "-q", "-r", name, "-f", "csv", program.done())
    assert (done.returncode, done.stderr) == (0, "")
    return list(csv.DictReader(io.StringIO(done.stdout.strip())))


def breakdown(program):
    return {row["Category"]: int(row["Time (ns)"]) for row in stats(program, "gpu_time_breakdown")}


def idle(program):
    """Number and duration of the gaps, by cause, range and call."""
    return {(row["Cause"], row["Range"], row["API Call"]): (int(row["Times"]), int(row["Total Time (ns)"]))
            for row in stats(program, "gpu_idle_sum")}


# --- gpu_time_breakdown

def test_what_overlaps_is_hidden_and_the_rest_adds_up(program):
    # All launches come first and take 5 us each. On different streams the kernels start 5 us apart.
    program.kernel("compute", 100 * US, stream=7)                          # 7 to 107
    program.kernel("ncclDevKernel_AllReduce", 150 * US, stream=8)          # 12 to 162: 55 alone
    program.copy(4096, 200 * US, stream=9)                                 # 17 to 217: 55 alone
    program.compute(300 * US)
    program.kernel("compute", 10 * US, stream=7)                           # from 322: idle for 105
    assert breakdown(program) == {
        "Compute": 110 * US, "Communication, exposed": 55 * US, "Copies and fills, exposed": 55 * US,
        "Idle": 105 * US, "Communication, hidden by compute": 95 * US, "Copies and fills, hidden": 145 * US}


def test_breakdown_of_each_device(program):
    program.kernel("a", 100 * US)
    program.device = 1
    program.kernel("b", 50 * US, stream=8)
    rows = stats(program, "gpu_time_breakdown")
    assert {(row["Device"], row["Time (ns)"], row["Time (%)"], row["Operations"]) for row in rows
            if row["Category"] == "Compute"} == {("0", "100000", "100.0", "1"), ("1", "50000", "100.0", "1")}


def test_breakdown_of_a_span_is_of_that_span(program):
    program.kernel("a", 100 * US)             # 1007 to 1107
    program.compute(300 * US)
    program.kernel("b", 100 * US)             # 1312 to 1412
    report = program.done()

    def parts(span):
        done = prof("stats", "-q", "-r", "gpu_time_breakdown", "-f", "csv", f"--filter-time={span}", report)
        rows = csv.DictReader(io.StringIO(done.stdout.strip()))
        return {row["Category"]: (int(row["Time (ns)"]), row["Time (%)"]) for row in rows}
    part = parts("1057us/1357us")
    assert (part["Compute"], part["Idle"]) == ((95 * US, "31.7"), (205 * US, "68.3"))
    # A span without an end ends with the operations.
    part = parts("1057us/")
    assert (part["Compute"][0], part["Idle"][0]) == (150 * US, 205 * US)


# --- gpu_idle_sum

def test_idle_because_the_host_had_not_launched(program):
    program.kernel("a", 10 * US)
    program.compute(1 * MS)
    program.kernel("b", 10 * US)
    # From 5 + 2 + 10 us to the start of the second kernel, at 1010 + 2.
    assert idle(program) == {("host wait", "", ""): (1, 995 * US)}


def test_idle_in_a_call_and_a_range(program):
    with program.range("step 1"):
        program.kernel("a", 10 * US)
        program.call("cudaMalloc_v3020", 1 * MS)
        program.kernel("b", 10 * US)
    assert idle(program) == {("host wait", ":step #", "cudaMalloc"): (1, 995 * US)}


def test_idle_after_a_synchronization(program):
    for _ in range(3):
        program.kernel("a", 10 * US)
        program.synchronize()
    # The wait ends 5 us after the kernel. The next launch takes 5 us, and 2 us to reach the GPU.
    assert idle(program) == {("sync", "", "cudaDeviceSynchronize"): (2, 24 * US)}


def test_work_on_the_cpu_after_a_synchronization_is_not_a_synchronization(program):
    program.kernel("a", 10 * US)
    program.synchronize()
    program.compute(100 * US)
    program.kernel("b", 10 * US)
    assert idle(program) == {("host wait", "", ""): (1, 112 * US)}


def test_idle_while_the_thread_waits_for_input(program):
    program.kernel("a", 10 * US)
    program.os_call("read", 1 * MS)
    program.kernel("b", 10 * US)
    program.os_call("nanosleep", 1 * MS)
    program.kernel("c", 10 * US)
    assert idle(program) == {("data loading", "", ""): (1, 995 * US), ("host wait", "", ""): (1, 995 * US)}


def test_idle_though_launched(program):
    """The second kernel waits on its stream for something that is not in the report."""
    program.kernel("a", 100 * US)
    program.ready[8] = program.now + 500 * US
    program.kernel("b", 10 * US, stream=8)
    assert list(idle(program)) == [("launch queue", "", "")]


def test_idle_between_the_nodes_of_a_graph(program):
    """The gaps inside of a launch are the graph's. The gap between two launches is the thread's."""
    program.graph([("a", 10 * US), ("b", 10 * US), ("c", 10 * US)], gap=1 * US)
    program.compute(100 * US)  # the last node ends 34 us after the call, and the next call takes 7 us to its first node
    program.graph([("a", 10 * US), ("b", 10 * US)], gap=2 * US)
    assert idle(program) == {("graph", "", ""): (3, 4 * US), ("host wait", "", ""): (1, 73 * US)}


def test_the_profiler_is_not_a_cause(program):
    program.kernel("a", 10 * US)
    start = program.now
    program.compute(1 * MS)
    program.overhead(start, program.now)
    program.kernel("b", 10 * US)
    assert list(idle(program)) == [("other", "", "")]


# --- iteration_sum

def test_iterations_by_range(program):
    for step in range(10):
        with program.range(f"step {step}"):
            program.kernel("a", 100 * US)
            if step == 6:
                program.kernel("checkpoint", 3 * MS)
            program.synchronize()
    row, = stats(program, "iteration_sum")
    # The launch, its latency, the kernel and the end of the wait.
    usual = (5 + 2 + 100 + 5) * US
    assert (row["Iterations"], row["Med (ns)"], row["Min (ns)"]) == ("10", f"{usual}.0", str(usual))
    assert (row["Max #"], row["Max (ns)"]) == ("6", str(usual + 3 * MS))
    assert (row["Most Added in Max"], row["Added (ns)"]) == ("checkpoint", str(3 * MS))
    assert row["Found By"] == "NVTX range :step #"


def test_iterations_by_the_period_of_kernels(program):
    for step in range(20):
        for _ in range(3):
            for name in ("conv", "relu"):
                program.kernel(name, 100 * US)
        program.kernel("optimizer", 50 * US)
        program.synchronize()
        program.compute(2 * MS if step != 11 else 9 * MS)
    row, = stats(program, "iteration_sum")
    assert (row["Iterations"], row["Found By"]) == ("19", "period of 7 kernels")
    assert (row["Max #"], row["Most Added in Max"], row["Added (ns)"]) == ("11", "idle, host wait", str(7 * MS))


def test_a_range_may_be_named(program):
    for _ in range(5):
        with program.range("epoch"):
            with program.range("a: b"):
                program.kernel("a", 100 * US)
                program.synchronize()
            program.compute(1 * MS)
    report = program.done()
    for name, found in (("epoch", ":epoch"), ("a: b", ":a: b"), (":a: b", ":a: b")):
        done = prof("stats", "-q", "-r", f"iteration_sum:range={name}", "-f", "json", report)
        row, = json.loads(done.stdout)
        assert row["Found By"] == f"NVTX range {found}"
    assert "iterations" in prof("stats", "-r", "iteration_sum:range=nothing", report).stderr


def test_a_range_may_be_named_without_its_number(program):
    for step in range(4):
        with program.range(f"step {step}"):
            with program.range(f"steps of layer {step}"):
                with program.range("train"):
                    program.kernel("a", 100 * US)
            program.synchronize()
    report = program.done()
    for name, found in (("step", "step #"), (":step", "step #"), ("step 7", "step #"), ("st", "step #"),
                        ("steps", "steps of layer #"), ("train", "train"), ("tra", "train")):
        done = prof("stats", "-q", "-r", f"iteration_sum:range={name}", "-f", "json", report)
        row, = json.loads(done.stdout)
        assert (row["Found By"], row["Iterations"]) == (f"NVTX range :{found}", 4), name
    assert "iterations" in prof("stats", "-r", "iteration_sum:range=rain", report).stderr


def test_repeating_one_kernel_is_not_an_iteration(program):
    for _ in range(50):
        program.kernel("a", 10 * US)
    assert stats(program, "iteration_sum") == []


def test_copies_of_results_count_as_copies(program):
    program.copy(4096, 10 * US, kind=D2H)
    assert breakdown(program)["Copies and fills, exposed"] == 10 * US
