"""Findings about operators of PyTorch, and prof diff by operator: made-up programs with known problems."""
import json

import pytest
from made_up_program import MS, US, Program
from made_up_report import THREAD
from named import with_names
from profiling import prof

GEMM = "ampere_fp16_s16816gemm_fp16_128x128_tn"
ADD = "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::Half> >(int)"


class Operators(Program):
    """Launches operators on an H100."""

    def __init__(self, path):
        super().__init__(path)
        self.database.executescript("""
            ALTER TABLE TARGET_INFO_GPU ADD COLUMN name; ALTER TABLE TARGET_INFO_GPU ADD COLUMN clockRate;
            ALTER TABLE TARGET_INFO_GPU ADD COLUMN memoryBandwidth;
            UPDATE TARGET_INFO_GPU SET name = 'NVIDIA H100 80GB HBM3', clockRate = 1980000000, memoryBandwidth = 3352320000000;
        """)
        self.ids = 0

    def operator(self, name, shapes, kernel, duration, sequence=None):
        self.ids += 1
        number = "" if sequence is None else f", seq = {sequence}"
        with self.range(f"{name}{number}, op_id = {self.ids}, sizes = {json.dumps(shapes)}"):
            self.kernel(kernel, duration)


def efficient(program, count=20):
    """Products that take 1.25 times what the GPU needs: 2 * 8192^3 / 989.4 TFLOP/s = 1.111 ms."""
    for _ in range(count):
        program.operator("aten::mm", [[8192, 8192], [8192, 8192]], GEMM, 1_389 * US)


def slow_products(program):
    """The flags of the operator have no shape."""
    for _ in range(20):
        program.operator("aten::mm", [[8192, 8192], [8192, 8192], [], []], GEMM, 11_110 * US)


def tiny_products(program):
    efficient(program, 5)
    for _ in range(2000):
        program.operator("aten::bmm", [[4, 64, 64], [4, 64, 64]], GEMM, 30 * US)


def a_vocabulary(program):
    for _ in range(20):
        program.operator("aten::addmm", [[50257], [8192, 768], [768, 50257]], GEMM, 2 * MS)


def of_cublas(program, m, n, k, duration):
    """Products of a C++ program: half precision, no ranges."""
    program.database.executescript(f"""
        CREATE TABLE CUBLAS_EVENTS (start, end, eventClass, globalTid, nameId, productId);
        CREATE TABLE PROF_MATRIX_PRODUCTS (id, kind, m, n, k, batchCount, operationA, operationB, typeA, typeB, typeC, computeType,
                                           epilogue, sharedA, sharedB);
        INSERT INTO PROF_MATRIX_PRODUCTS VALUES (1, 0, {m}, {n}, {k}, 1, 0, 0, 2, 2, 2, 68, NULL, 0, 0);
    """)
    for _ in range(20):
        start = program.now
        program.kernel("gemm", duration)
        program.insert("CUBLAS_EVENTS", start, program.now, 29, THREAD, program.string("cublasGemmEx"), 1)


def slow_products_of_cublas(program):
    of_cublas(program, 8192, 8192, 8192, 11_110 * US)


def a_vocabulary_of_cublas(program):
    of_cublas(program, 50257, 8192, 768, 2 * MS)


def elementwise_chains(program):
    for _ in range(20):
        efficient(program, 1)
        for name in ("aten::mul", "aten::add", "aten::gelu"):
            program.operator(name, [[8192, 8192], [8192, 8192]], ADD, 150 * US)
        program.synchronize()


def checkpoints(program):
    for number in range(20):
        efficient(program, 1)
        with program.range(f"CheckpointFunctionBackward, seq = {number}, op_id = {9000 + number}, sizes = [[1]]"):
            program.compute(US)
            program.operator("aten::mm", [[8192, 8192], [8192, 8192]], GEMM, 1_389 * US, sequence=number)


def findings(path, run):
    program = Operators(path / "report.sqlite")
    run(program)
    done = prof("analyze", "-r", "findings", "-f", "json", program.done())
    assert done.returncode == 0, done.stderr
    # Names of the program are apart from sentences.
    assert not [each for each in json.loads(done.stdout)["findings"] if "aten::" in each["evidence"]]
    return {each["rule"]: each for each in with_names(done.stdout)["findings"]}


OWN = {"inefficient_operators", "small_products", "unaligned_products", "unfused_operators", "recomputation"}


@pytest.mark.parametrize("run, rule, words", [
    (slow_products, "inefficient_operators", ["20 calls", "aten::mm [[8192, 8192], [8192, 8192]] (", "10.0 % of the roof"]),
    (tiny_products, "small_products", ["2000 calls", "aten::bmm"]),
    (a_vocabulary, "unaligned_products", ["N = 50257; pad it to 50264"]),
    (slow_products_of_cublas, "inefficient_operators", ["20 calls", "cublasGemmEx [[8192, 8192], [8192, 8192]] (", "10.0 % of the roof"]),
    (a_vocabulary_of_cublas, "unaligned_products", ["M = 50257; pad it to 50264"]),
    (elementwise_chains, "unfused_operators", ["operators in", "aten::mul, aten::add, aten::gelu"]),
    (checkpoints, "recomputation", ["20 calls", "aten::mm"])])
def test_the_known_problem_is_found(tmp_path, run, rule, words):
    found = findings(tmp_path, run)
    assert rule in found, found
    for word in words:
        assert word in found[rule]["evidence"]
    assert found[rule]["where"]["device"] == 0


def captured_once(program):
    """Launches a CUDA graph ten times, which was captured in an operator before all launches."""
    program.database.execute("CREATE TABLE CUDA_GRAPH_NODE_EVENTS (start, end, globalTid, graphNodeId, originalGraphNodeId)")
    with program.range("aten::mm, op_id = 1, sizes = [[8192, 8192], [8192, 8192]]"):
        program.insert("CUDA_GRAPH_NODE_EVENTS", program.now, program.now, THREAD, 77, None)
        program.compute(US)
    for number in range(10):
        with program.range(f"step {number}"):
            program.graph([(GEMM, 11_110 * US)], 0)
            program.synchronize()
    program.database.execute("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN graphNodeId DEFAULT 77")


def queued_before(program):
    """The steps of the program end before the GPU begins with their work."""
    program.kernel("first", 50 * MS)
    for number in range(10):
        with program.range(f"step {number}"):
            program.operator("aten::mm", [[8192, 8192], [8192, 8192]], GEMM, 11_110 * US)
            program.compute(11 * MS)


@pytest.mark.parametrize("run, calls", [(captured_once, 9), (queued_before, 6)])
def test_operators_before_the_analyzed_time_count_for_its_work(tmp_path, run, calls):
    found = findings(tmp_path, run)["inefficient_operators"]
    assert found["at_stake_ns"] == pytest.approx(calls * (11_110 - 1_111.3) * US, rel=0.001)
    assert f"{calls} calls" in found["evidence"] and "aten::mm [[8192, 8192], [8192, 8192]]" in found["evidence"]


def test_efficient_operators_are_no_problem(tmp_path):
    assert not OWN & set(findings(tmp_path, efficient))


def test_times_at_stake_are_those_of_the_programs(tmp_path):
    for run, rule, expected in ((slow_products, "inefficient_operators", 20 * (11_110 - 1_111.3) * US),
                                # The first step warms up, and the last one has no end.
                                (elementwise_chains, "unfused_operators", 18 * 300 * US),
                                (checkpoints, "recomputation", 20 * 1_389 * US)):
        folder = tmp_path / rule
        folder.mkdir()
        assert findings(folder, run)[rule]["at_stake_ns"] == pytest.approx(expected, rel=0.001)


def test_diff_compares_operators_by_name_shapes_and_direction(tmp_path):
    reports = []
    for name, duration in (("before", 100 * US), ("after", 130 * US)):
        program = Operators(tmp_path / f"{name}.sqlite")
        for size in (512, 1024):
            program.operator("aten::mm", [[size, size], [size, size]], GEMM, duration if size == 512 else 50 * US)
        program.kernel("not of an operator", 10 * US)
        reports.append(program.done())
    done = prof("diff", "-q", "-f", "json", "--category", "operator", "--min-change=0", "--rows=0", *reports)
    assert done.returncode == 0, done.stderr
    changes = {row["Name"]: row for row in json.loads(done.stdout)["changes"]}
    assert set(changes) == {f"aten::mm [[{size}, {size}], [{size}, {size}]]" for size in (512, 1024)}
    changed = changes["aten::mm [[512, 512], [512, 512]]"]
    assert (changed["Count Before"], changed["Count After"], changed["Difference (ns)"]) == (1, 1, 30 * US)


def test_diff_compares_products_of_cublas(tmp_path):
    reports = []
    for name, duration in (("before", 100 * US), ("after", 130 * US)):
        program = Operators(tmp_path / f"{name}.sqlite")
        of_cublas(program, 256, 128, 64, duration)
        program.kernel("not of an operator", 10 * US)
        reports.append(program.done())
    done = prof("diff", "-q", "-f", "json", "--category", "operator", "--min-change=0", "--rows=0", *reports)
    assert done.returncode == 0, done.stderr
    change, = json.loads(done.stdout)["changes"]
    assert (change["Name"], change["Count After"], change["Difference (ns)"]) == (
        "cublasGemmEx [[256, 64], [64, 128]]", 20, 20 * 30 * US)
