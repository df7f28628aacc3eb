"""Operators of kernels that torch.compile made, from the comments in the files that PyTorch's Inductor writes."""
import sys

import pytest
from cuda_app import FAKES, needs_cuda, run
from profiling import source_of

pytestmark = needs_cuda

CALLS = FAKES / "libfake_cuda_calls.so"
STEPS = 3
KERNEL = "triton_poi_fused_add_relu_0"
CHAINS = ("--python-backtrace=cuda",)


def profiled(folder, *arguments, options=CHAINS):
    return run(folder, command=[sys.executable, source_of("compiled_step.py"), CALLS, folder / "cache", *arguments],
               traces="cuda", options=options, environment={"LD_LIBRARY_PATH": str(FAKES)}.items())


@pytest.fixture(scope="module", name="report")
def make_report(tmp_path_factory):
    return profiled(tmp_path_factory.mktemp("compiled"))


def operators(report):
    return {row["Called As"]: row for row in report.statistics("operator_sum")}


def test_kernels_have_operators_shapes_and_work(report):
    fused = operators(report)[KERNEL]
    assert (fused["Operator"], fused["Source"], fused["Calls"]) == ("aten::relu + aten::add", "compiled", STEPS)
    assert fused["Shapes"] == "[[8, 512], [512]]" and fused["Type"] == "fp32"
    assert fused["Vector FLOPs"] == STEPS * 2 * 8 * 512 and fused["Matrix FLOPs"] == 0
    assert fused["Line"].endswith(".py:34 (call)") and "/torchinductor_me/ab/cab" in fused["Line"]
    assert fused["Bytes"] == STEPS * 4 * (8 * 512 + 512 + 8 * 512)


def test_called_operators_have_shapes_and_work(report):
    called = operators(report)["extern_kernels.mm"]
    assert (called["Operator"], called["Source"]) == ("aten::mm", "compiled")
    assert called["Calls"] == STEPS  # of two kernels
    assert called["Shapes"] == "[[8, 512], [512, 16]]" and called["Type"] == "tf32"
    assert called["Matrix FLOPs"] == STEPS * 2 * 8 * 512 * 16
    assert len(operators(report)) == 2


def test_the_report_has_what_the_file_said(report):
    rows = [tuple(row) for row in report.query("""
        SELECT line, definitionLine, k.value, o.value, bytesRead, bytesWritten, elementCount FROM PROF_COMPILED_LAUNCHES
        JOIN StringIds k ON k.id = kernelId JOIN StringIds o ON o.id = operatorsId ORDER BY line""")]
    assert rows == [(34, 13, KERNEL, "aten::relu + aten::add", 4 * (8 * 512 + 512), 4 * 8 * 512, 8 * 512),
                    (37, None, "extern_kernels.mm", "aten::mm", None, None, None)]


@pytest.mark.parametrize("arguments, options", [(("vanish",), CHAINS), ((), ())])
def test_without_the_file_or_chains_the_name_counts(tmp_path, arguments, options):
    report = profiled(tmp_path, *arguments, options=options)
    assert not report.query("SELECT 1 FROM sqlite_master WHERE name = 'PROF_COMPILED_LAUNCHES'") or \
        not report.value("SELECT count(*) FROM PROF_COMPILED_LAUNCHES")
    fused = operators(report)[KERNEL]
    assert (fused["Operator"], fused["Source"], fused["Shapes"]) == ("aten::add + aten::relu", "compiled", "")
    assert fused["Vector FLOPs"] is None
