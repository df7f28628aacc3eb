"""Statistics of operators: a made-up training step with known answers, in all formats."""
import csv
import io
import json
from types import SimpleNamespace

import pytest
from made_up_report import PROCESS, SCHEMA, THREAD, MadeUpReport
from profiling import prof
from test_operator_findings import Operators

BACKWARD = THREAD + 1  # a thread of the autograd engine
GPU = """
    CREATE TABLE TARGET_INFO_GPU (cuDevice, computeMajor, computeMinor, smCount, name, clockRate, memoryBandwidth);
    INSERT INTO TARGET_INFO_GPU VALUES (0, 9, 0, 132, 'NVIDIA H100 80GB HBM3', 1980000000, 3352320000000);
"""
GEMM = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64"
STEPS = 4
LENGTH = 10_000_000  # of a step, ns
# A linear layer [4096, 1024] x [1024, 4096] takes 2 * 4096 * 1024 * 4096 operations, and twice that backward.
FLOPS = 2 * 4096 * 1024 * 4096
PEAK = 132 * 1.83e9 * 4096


class Training(MadeUpReport):
    """Steps of forward pass, backward pass and optimizer."""

    def __init__(self, path):
        super().__init__(path, SCHEMA + GPU)
        self.launches = 0
        self.total = 0
        self.insert("NVTX_EVENTS", 0, None, 75, "PyTorch", None, THREAD, 1)
        for step in range(STEPS):
            self.step(step, 1_000_000 + step * LENGTH)

    def range(self, start, end, text, thread=THREAD, domain=0):
        self.insert("NVTX_EVENTS", start, end, 59, text, None, thread, domain)

    def kernel(self, name, time, duration, thread=THREAD):
        self.launches += 1
        self.total += duration
        self.insert("CUPTI_ACTIVITY_KIND_RUNTIME", time, time + 10, 0, thread, self.launches, self.string("cudaLaunchKernel"), 0)
        self.insert("CUPTI_ACTIVITY_KIND_KERNEL", time + 100, time + 100 + duration, 0, 1, 7, self.launches, PROCESS,
                    self.string(name), self.string(name), 32, 16, 1, 128, 1, 1, 128, 0, 49152)

    def copy(self, time, duration, size):
        self.launches += 1
        self.total += duration
        self.insert("CUPTI_ACTIVITY_KIND_RUNTIME", time, time + 10, 0, THREAD, self.launches, self.string("cudaMemcpyAsync"), 0)
        self.insert("CUPTI_ACTIVITY_KIND_MEMCPY", time + 100, time + 100 + duration, 0, 1, 7, self.launches, PROCESS, size,
                    1, 1, 2)

    def step(self, number, at):
        sequence, ids = 10 * number, 100 * number
        self.range(at, at + LENGTH, "step")
        self.copy(at + 500, 400_000, 1 << 20)
        self.range(at + 1000, at + 9000, "Net.forward", domain=1)
        self.range(at + 2000, at + 8000, "Linear.forward", domain=1)
        self.range(at + 3000, at + 7000, f"aten::linear, seq = {sequence}, op_id = {ids + 1}, sizes = "
                   "[[4096, 1024], [4096, 1024], []]")
        self.range(at + 4000, at + 6000, f"aten::mm, seq = {sequence}, op_id = {ids + 2}, sizes = "
                   "[[4096, 1024], [1024, 4096]]")
        self.kernel(GEMM, at + 5000, 100_000)
        node = f"MmBackward0, seq = {sequence}, op_id = {ids + 3}, sizes = [[4096, 4096]]"
        self.range(at + 20000, at + 29000, node, BACKWARD)
        for part, shapes in enumerate(("[[1024, 4096], [4096, 4096]]", "[[4096, 4096], [4096, 1024]]")):
            start = at + 21000 + 4000 * part
            self.range(start, start + 3000, f"aten::mm, op_id = {ids + 4 + part}, sizes = {shapes}", BACKWARD)
            self.kernel(GEMM, start + 1000, 120_000 + part, BACKWARD)
        self.range(at + 40000, at + 49000, f"Optimizer.step#AdamW.step, op_id = {ids + 6}")
        self.range(at + 41000, at + 48000, f"aten::_fused_adamw_, op_id = {ids + 7}, sizes = [" +
                   ", ".join(4 * ["[4096, 1024]"]) + ", [], [], []]")
        self.kernel("multi_tensor_apply_kernel<FusedAdamMathFunctor<float>>", at + 42000, 50_000)
        self.kernel("mine", at + 60000, 7)


@pytest.fixture(scope="module", name="training")
def make_training(tmp_path_factory):
    report = Training(tmp_path_factory.mktemp("training") / "training.sqlite")
    report.done()
    return report


def rows(report, statistic):
    done = prof("stats", "-q", "-r", statistic, "-f", "json", report.path)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("statistic, column", [
    ("operator_sum", "Total Time (ns)"), ("operator_sum:name", "Total Time (ns)"), ("operator_sum:module", "Total Time (ns)"),
    ("operator_sum:category", "Total Time (ns)"), ("operator_trace", "GPU Time (ns)"), ("module_tree", "Self Time (ns)")])
def test_the_times_of_operators_are_those_of_all_gpu_operations(training, statistic, column):
    assert sum(row[column] for row in rows(training, statistic)) == training.total
    assert sum(row["Total Time (ns)"] for row in rows(training, "cuda_gpu_sum")) == training.total


def test_operators_have_shapes_directions_work_and_limits(training):
    first = next(row for row in rows(training, "operator_sum") if row["Direction"] == "forward" and row["Source"] == "operator")
    assert (first["Operator"], first["Called As"], first["Module"]) == ("aten::mm", "aten::linear", "step > Net > Linear")
    assert (first["Calls"], first["Type"], first["Tensor Cores"]) == (STEPS, "bf16", "yes")
    assert first["Matrix FLOPs"] == STEPS * FLOPS
    assert first["Bytes"] == STEPS * 2 * (2 * 4096 * 1024 + 4096 * 4096)
    assert first["TFLOP/s"] == pytest.approx(FLOPS / 100_000 / 1000, abs=0.001)
    assert first["Bound"] == "neither" and first["Roof (%)"] == pytest.approx(100 * FLOPS / PEAK / 1e-4, abs=0.1)
    assert first["Headroom (ns)"] == pytest.approx(STEPS * (100_000 - FLOPS / PEAK * 1e9), abs=STEPS)
    backward = [row for row in rows(training, "operator_sum") if row["Direction"] == "backward"]
    assert [row["Module"] for row in backward] == 2 * ["step > Net > Linear"]
    optimizer = next(row for row in rows(training, "operator_sum") if row["Direction"] == "step")
    assert optimizer["Vector FLOPs"] == STEPS * 12 * 4096 * 1024 and optimizer["Bytes"] == STEPS * 28 * 4096 * 1024
    unknown = next(row for row in rows(training, "operator_sum") if row["Operator"] == "mine")
    assert unknown["Matrix FLOPs"] is None and unknown["Bytes"] is None and unknown["Source"] == "range"
    copies = next(row for row in rows(training, "operator_sum") if row["Operator"].startswith("[CUDA memcpy"))
    assert copies["Bytes"] == STEPS << 20


def test_the_roofline_is_sorted_by_the_time_at_stake(training):
    roofline = rows(training, "roofline")
    assert [row["Headroom (ns)"] for row in roofline] == sorted((row["Headroom (ns)"] for row in roofline), reverse=True)
    assert {row["Operator"] for row in roofline} == {"aten::mm", "aten::_fused_adamw_"}
    product = next(row for row in roofline if row["Direction"] == "forward")
    assert product["Peak TFLOP/s"] == pytest.approx(PEAK / 1e12, abs=0.1) and product["Peak GB/s"] == 3352.3
    assert product["Attainable TFLOP/s"] == pytest.approx(PEAK / 1e12, abs=0.01)


def test_the_utilization_of_iterations_is_that_of_the_formula(training):
    whole, *iterations = rows(training, "mfu:range=step")
    assert whole["Found By"] == "whole recording" and whole["Matrix FLOPs"] == 3 * STEPS * FLOPS
    assert [row["Iteration"] for row in iterations] == list(range(STEPS))
    for row in iterations:
        assert row["Length (ns)"] == LENGTH and row["Matrix FLOPs"] == 3 * FLOPS
        assert row["MFU (%)"] == row["HFU (%)"] == pytest.approx(100 * 3 * FLOPS / PEAK / (LENGTH / 1e9), abs=0.01)
        assert row["Matrix Roof (%)"] == pytest.approx(100 * 3 * FLOPS / PEAK / 340_001e-9, abs=0.01)
        assert row["TFLOP/s"] == pytest.approx(3 * FLOPS / LENGTH / 1000, abs=0.001)


def test_iterations_of_a_gpu_that_is_behind_last_until_it_has_done_them(tmp_path):
    """A step is launched in 24 us, and takes the GPU 10 ms. It starts 4 us after the first launch."""
    program = Operators(tmp_path / "report.sqlite")
    for step in range(5):
        with program.range(f"step {step}"):
            for _ in range(4):
                program.operator("aten::mm", [[4096, 4096], [4096, 4096]], GEMM, 2_500_000)
    whole, *steps = rows(SimpleNamespace(path=program.done()), "mfu:range=step")
    assert [row["Length (ns)"] for row in steps[1:]] == 4 * [10_000_000] and whole["Length (ns)"] == 50_000_000
    assert steps[0]["Length (ns)"] == pytest.approx(10_000_000, abs=50_000)
    for row in steps:
        assert row["MFU (%)"] == pytest.approx(whole["MFU (%)"], abs=0.1)


def pyprof(report, words=""):
    done = prof("stats", "-q", "-r", f"pyprof{words}", "-f", "csv", report.path)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout.strip())))


def test_pyprof_has_the_columns_that_are_asked_for(training):
    default = pyprof(training)
    assert list(default[0]) == ["Idx", "Direction", "Sub", "Module", "Op", "Kernel", "Params", "Sil(ns)"]
    assert len(default) == 5 * STEPS
    first = default[0]
    assert (first["Idx"], first["Direction"], first["Module"], first["Op"], first["Kernel"], first["Sil(ns)"]) == (
        "1", "fprop", "aten", "mm", GEMM, "100000")
    assert first["Params"] == "M=4096,N=4096,K=1024,type=bf16"
    words = "idx:seq:altseq:tid:layer:trace:dir:sub:mod:op:kernel:params:sil:tc:device:stream:grid:block:flops:bytes"
    row = pyprof(training, f":c={words}")[1]
    assert len(row) == 20
    assert (row["SeqId"], row["Direction"], row["TC"], row["Grid"], row["Block"], row["Stream"]) == (
        "0", "bprop", "1", "(32,16,1)", "(128,1,1)", "7")
    assert int(row["FLOPs"]) == FLOPS
    assert list(pyprof(training, ":c=kernel:sil")[0]) == ["Kernel", "Sil(ns)"]


@pytest.mark.parametrize("words, message", [
    ("pyprof:c=idx:color", "unknown column color (known: idx, seq,"), ("pyprof:x", "unknown argument x (allowed: c="),
    ("operator_sum:shape", "unknown argument shape (allowed: name, module or category)"),
    ("roofline:x", "this report takes no arguments")])
def test_wrong_arguments_are_named(training, words, message):
    done = prof("stats", "-r", words, training.path)
    assert done.returncode == 2 and message in done.stderr


def test_a_report_without_operators_says_what_is_missing(tmp_path):
    report = MadeUpReport(tmp_path / "plain.sqlite", SCHEMA)
    report.insert("CUPTI_ACTIVITY_KIND_KERNEL", 1, 5, 0, 1, 7, 1, PROCESS, report.string("k"), report.string("k"), 1, 1, 1, 1, 1,
                  1, 1, 0, 0)
    report.done()
    done = prof("stats", "-r", "operator_sum", report.path)
    assert done.returncode == 0 and "100.0 % only a name" in done.stderr and "--pytorch=autograd-shapes-nvtx" in done.stderr
