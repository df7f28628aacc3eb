"""Matrix operations of operators beside those that the GPU's tensor cores count."""
import json
import sys

from suite import PROF, SOURCES, WORK, Report, check, run, under_prof

PROGRAM = SOURCES / "products" / "counted_operators.py"
METRICS = ",".join(f"sm__ops_path_tensor_src_{each}.sum" for each in ("bf16_dst_fp32", "fp16", "tf32_dst_fp32", "fp8"))
# The least and the largest ratio of the operator's operations to those that are counted. Tensor cores fill up whole
# tiles. Half of the products of a causal attention is not computed, but counts, as in torch.utils.flop_counter.
EXPECTED = {"mm_padded": (0.9, 1.0), "causal": (1.8, 2.0)}
CASES = ("mm_bf16", "mm_fp16", "mm_tf32", "mm_fp8", "mm_padded", "bmm", "linear", "attention", "causal",
         "attention_backward")


def counted(case):
    path = WORK / f"counted_{case}.db"
    run([PROF, "kernel", f"--metrics={METRICS}", "-f", "true", "-o", path, "--", sys.executable, PROGRAM, case])
    return Report(path).rows("SELECT sum(value) FROM PROF_KERNEL_METRICS")[0][0]


def of_operators(case):
    _, path = under_prof([sys.executable, PROGRAM, case], f"operators_{case}", "--pytorch=autograd-shapes-nvtx",
                         "--sample=none", "--cpuctxsw=none", trace="cuda,nvtx,cublas")
    rows = json.loads(run([PROF, "stats", "-q", "-r", "operator_sum", "-f", "json", path])[1])
    return sum(row["Matrix FLOPs"] or 0 for row in rows)


def operator_counters():
    for case in CASES:
        theirs, ours = counted(case), of_operators(case)
        least, most = EXPECTED.get(case, (0.98, 1.02))
        check(f"operator counters: {case}", theirs and least <= ours / theirs <= most,
              f"{ours:.0f}, counted {theirs:.0f}")
