"""prof replay-op: the script for one operator. A stand-in for PyTorch runs it where there is none."""
import json
import subprocess
import sys

import pytest
from made_up_program import US
from profiling import prof
from test_operator_findings import GEMM, Operators

# A PyTorch with one operator. It prints what it is called with.
STUB = '''
from types import SimpleNamespace as Space
class Packet:
    class Tensor:
        _schema = Space(arguments=[Space(name=name, type=kind, kwarg_only=by_name, is_out=False, has_default_value=lambda kind=kind: kind == "number",
                                         default_value=1)
                                   for name, kind, by_name in (("self", "Tensor", False), ("mat1", "Tensor", False), ("mat2", "Tensor", False),
                                                               ("beta", "number", True), ("alpha", "number", True))])
        def __call__(self, *values, **named):
            Packet.calls.append((values, named))
    calls = []
    form = Tensor()
    def overloads(self):
        return ["form"]
class Random:
    def __init__(self, shape): self.shape = shape
    def to(self, type): return Typed((type, self.shape))
class Typed(tuple):
    def as_strided(self, shape, strides): return (f"{self[0]} {strides} of {self[1]}", shape)
def randn(shape, device): return Random(shape)
def randint(high, shape, device): return Random([high, *shape])
class no_grad:
    def __enter__(self): pass
    def __exit__(self, *_): print(len(Packet.calls), Packet.calls[0])
float16, float32, int64, int32, int16, int8, uint8, bool = "half", "float", "long", "int", "short", "char", "byte", "bool"
ops = Space(aten=Space(addmm=Packet()))
cuda = Space(is_available=lambda: False)
flags = Space(allow_tf32=False)
backends = Space(cuda=Space(matmul=flags), cudnn=flags)
'''


@pytest.fixture(scope="module", name="report")
def fixture_report(tmp_path_factory):
    program = Operators(tmp_path_factory.mktemp("replay") / "report.sqlite")
    for duration in (30, 10, 20):
        program.operator("aten::addmm", [[16], [32, 64], [64, 16], [], []], GEMM, duration * US)
    with program.range("aten::addmm, sizes = [[16], [8, 64], [64, 16], [], []], "
                       "arguments = [float32, int64, float16 [1, 128], 0.5, ?]"):
        program.kernel(GEMM, 5 * US)
    program.kernel("mine", 2 * US)
    program.operator("aten::x\"; import os", [[16]], "other", US)
    program.operator("aten::relu", "x", "last", 500)
    return program.done()


def script(report, row):
    done = prof("replay-op", report, str(row))
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_script_runs_the_operator_with_the_shapes_of_the_report(report, tmp_path):
    (tmp_path / "torch.py").write_text(STUB)
    (tmp_path / "op.py").write_text(script(report, 1))
    done = subprocess.run([sys.executable, tmp_path / "op.py", "--runs", "3", "--warm-up", "1", "--set", "beta=0"], capture_output=True,
                          text=True, check=True, cwd=tmp_path)
    lines = done.stdout.splitlines()
    values = "(('half', [16]), ('half', [32, 64]), ('half', [64, 16]))"
    assert f"4 ({values}, {{'beta': 0, 'alpha': 1}})" in lines
    assert any("not in the report: alpha = 1 (--set" in line for line in lines)
    assert any(line.startswith("report: 20,000 ns (median of 3 calls, NVIDIA H100 80GB HBM3)  0.00 TFLOP/s, 0.36 GB/s")
               for line in lines), lines


def test_recorded_arguments_are_taken(report, tmp_path):
    """Types and strides of tensors and numbers. The value of the last one is not in the report."""
    (tmp_path / "torch.py").write_text(STUB)
    (tmp_path / "op.py").write_text(script(report, 2))
    done = subprocess.run([sys.executable, tmp_path / "op.py", "--runs", "1", "--warm-up", "0"], capture_output=True,
                          text=True, check=True, cwd=tmp_path)
    # The indices of a tensor of whole numbers are less than each size of the other tensors.
    values = "(('float', [16]), ('long', [16, 8, 64]), ('half [1, 128] of [1984]', [64, 16]))"
    assert f"1 ({values}, {{'beta': 0.5, 'alpha': 1}})" in done.stdout.splitlines()
    assert "not in the report: alpha = 1 (--set NAME=VALUE)" in done.stdout


@pytest.mark.parametrize("row, says", [
    (3, "mine, which is not an operator"), (4, "which is not an operator"), (5, "does not have the shapes of aten::relu"),
    (6, "rows 1 to 5"), (99, "rows 1 to 5")])
def test_other_rows_are_refused(report, row, says):
    done = prof("replay-op", report, str(row))
    assert done.returncode == 1 and says in done.stderr and not done.stdout


@pytest.mark.parametrize("words", [[], ["0"], ["-1"], ["x"]])
def test_wrong_usage(report, words):
    assert prof("replay-op", report, *words).returncode == 2


def test_row_numbers_are_those_of_operator_sum(report):
    rows = json.loads(prof("stats", "-q", "-f", "json", "-r", "operator_sum", report).stdout)
    assert [row["Operator"] for row in rows][0] == "aten::addmm" and len(rows) == 5
