"""Matrix products of cuBLAS and cuBLASLt: sizes, types and work, in a C++ program and in PyTorch."""
import importlib.util
import json
import os
import sys
from pathlib import Path

from suite import PROF, PROGRAMS, SOURCES, Report, check, last_json, run, show, under_prof

# The outermost calls that compute something: cuBLAS may compute by cuBLASLt.
CALLS = """SELECT value, m, n, k, batchCount, operationA, operationB, typeA, typeB, typeC, computeType, globalTid, start, end
           FROM CUBLAS_EVENTS JOIN StringIds ON StringIds.id = nameId JOIN PROF_MATRIX_PRODUCTS p ON p.id = productId
           ORDER BY globalTid, start, end DESC"""


def outermost(report):
    calls, end = [], 0
    for *product, _, start, stop in report.rows(CALLS):
        if start > end:
            calls.append(product)
            end = stop
    return calls


def statistic(path, name):
    status, out, err, _ = run([PROF, "stats", "-q", "-r", name, "-f", "json", path])
    check(f"products: {name}", status == 0, status, err[-300:])
    return json.loads(out) if status == 0 else []


def with_libraries():
    """The environment, with the libraries of CUDA that PyTorch has brought."""
    torch = importlib.util.find_spec("torch")
    packages = Path(torch.origin).parents[1] if torch else Path(sys.prefix)
    folders = sorted({str(path.parent) for path in packages.glob("nvidia/**/libcublas*.so.13")})
    return {**os.environ, "LD_LIBRARY_PATH": ":".join([*folders, os.environ.get("LD_LIBRARY_PATH", "")])}


def of_a_program():
    program = [PROGRAMS / "library_products"]
    status, out, err, _ = run(program, env=with_libraries())
    plain = last_json(out)
    check("products: the program", status == 0 and plain, status, err[-300:])
    (status, out, err, _), path = under_prof(program, "library_products", "--cuda-graph-trace=node", trace="cuda,cublas",
                                           env=with_libraries())
    check("products: the same under prof", status == 0 and last_json(out) == plain, status, err[-300:])
    report = Report(path)
    expected = [row[:-1] for row in plain["products"]]
    found = outermost(report)
    wrong = [pair for pair in zip(found, expected) if pair[0] != pair[1]]
    check("products: rows as the program says", found == expected, wrong[:3] or f"{len(found)} of {len(expected)}")
    nested = report.rows("SELECT count(*) FROM CUBLAS_EVENTS WHERE productId IS NOT NULL")[0][0] - len(found)
    show("products: of cuBLASLt, by which cuBLAS computes", nested)
    work_of_program(path, plain)


def work_of_program(path, plain):
    rows = statistic(path, "operator_sum")
    products = [row for row in rows if row["cuBLAS Product"]]
    flops = sum((row["Matrix FLOPs"] or 0) + (row["Vector FLOPs"] or 0) for row in products)
    # The last product runs only in the graph. The epilogues of two products of 1024 x 256 add 1 and 2 operations for each element.
    wanted = sum(row[-1] for row in plain["products"]) + (plain["graph_launches"] - 1) * plain["products"][-1][-1] + 3 * 1024 * 256
    check("products: operations of operator_sum", flops == wanted, flops, wanted)
    calls = sum(row["Calls"] for row in products)
    check("products: calls", calls == len(plain["products"]) + plain["graph_launches"] - 1, calls, len(plain["products"]) + 2)
    check("products: all have a type", all(row["Type"] for row in products), [row["Operator"] for row in products if not row["Type"]])
    graph = [row for row in products if row["cuBLAS Product"] == "NN 777 x 333 x 111"]
    check("products: in a graph", [row["Calls"] for row in graph] == [plain["graph_launches"]], [row["Calls"] for row in graph])
    unknown = [row["Operator"] for row in rows if not row["cuBLAS Product"] and not row["Operator"].startswith("[CUDA")]
    check("products: kernels without one", not unknown, unknown)


def of_pytorch():
    program = [sys.executable, SOURCES / "products" / "torch_products.py"]
    (status, out, err, _), path = under_prof(program, "torch_products", "--pytorch=autograd-shapes-nvtx", trace="cuda,nvtx,cublas")
    plain = last_json(out)
    check("products of PyTorch: status", status == 0, status, err[-300:])
    rows = [row for row in statistic(path, "operator_trace") if row["cuBLAS Product"]]
    differ = [(row["Operator"], row["Shapes"], row["cuBLAS Product"]) for row in rows if row["cuBLAS Product"].startswith("differs")]
    check("products of PyTorch: both sources agree", rows and not differ, differ[:5] or f"{len(rows)} agree")
    check("products of PyTorch: calls", len(rows) == plain["products"], len(rows), plain["products"])
    flops = sum(row["Matrix FLOPs"] or 0 for row in rows)
    check("products of PyTorch: operations", flops == plain["flops"], flops, plain["flops"])
    (status, _, err, _), path = under_prof(program, "torch_products_alone", trace="cuda,cublas")
    check("products of PyTorch without ranges: status", status == 0, status, err[-300:])
    alone = sum((row["Matrix FLOPs"] or 0) for row in statistic(path, "operator_trace") if row["cuBLAS Product"])
    check("products of PyTorch without ranges: operations", alone == plain["flops"], alone, plain["flops"])


def of_looked_up_functions(framework):
    program = [sys.executable, SOURCES / "products" / "looked_up_products.py", framework]
    status, _, err, _ = run(program)
    if status != 0:
        show(f"products of {framework}: left out", err[-200:])
        return
    (status, out, err, _), path = under_prof(program, f"products_{framework}", trace="cuda,cublas")
    plain = last_json(out)
    check(f"products of {framework}: status", status == 0 and plain, status, err[-300:])
    report = Report(path)
    if "PROF_MATRIX_PRODUCTS" not in report.tables:
        check(f"products of {framework}: sizes", False, "none", plain.get("products"))
        return
    found = {(*sorted(row[:2]), *row[2:]) for row in report.rows("SELECT m, n, k, batchCount FROM PROF_MATRIX_PRODUCTS")}
    missing = [size for size in plain["products"] if (*sorted(size[:2]), *size[2:]) not in found]
    check(f"products of {framework}: sizes", not missing, sorted(found) if missing else len(found), missing)


def products():
    of_a_program()
    of_pytorch()
    of_looked_up_functions("jax")
    of_looked_up_functions("cupy")
