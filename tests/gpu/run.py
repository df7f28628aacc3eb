#!/usr/bin/env python3
"""The GPU suite: everything that needs a GPU, compared with nsys, in one table.

  PROF=/tmp/p/bin/prof tests/gpu/run.py [SECTION ...]

Sections: known events names ranges graph_nodes tools programs endings others libraries products pytorch profilers
price_of_both parts_of_both nvtx_repository gpus metrics metric_findings kernel_counters operator_counters power
on_demand exports launches steps price. Runs all by default; exits 1 on a miss. Needs what
tests/gpu/build_programs.sh and build_nvtx_programs.sh made (build/gpu, build/nvtx). NVIDIA's nsys is taken from $NSYS
or from Nsight Compute's folder.
"""
import sys

from exports import exports
from gpu_metrics import metrics
from kernel_counters import kernel_counters
from matrix_products import products
from metric_findings import metric_findings
from nvtx_repository import nvtx_repository
from on_demand import on_demand
from operator_counters import operator_counters
from other_profilers import parts_of_both, price_of_both, profilers
from power import power
from price import launches, price, steps
from pytorch_ranges import pytorch
from real_programs import endings, libraries, others, programs
from rows import events, gpus, graph_nodes, known, names, ranges, tools
from suite import check, finish, setup

SECTIONS = {section.__name__: section for section in (
    known, events, names, ranges, graph_nodes, tools, programs, endings, others, libraries, products, pytorch,
    profilers, price_of_both, parts_of_both, nvtx_repository, gpus, metrics, metric_findings, kernel_counters,
    operator_counters, power, on_demand, exports, launches, steps, price)}


def main():
    wanted = sys.argv[1:] or [name for name in SECTIONS if name != "steps"]  # it is a part of price
    unknown = [name for name in wanted if name not in SECTIONS]
    if unknown:
        sys.exit(__doc__)
    setup()
    for name in wanted:
        print(f"== {name}", flush=True)
        try:
            SECTIONS[name]()
        except Exception as error:  # a failing section must not hide the others
            check(f"section {name}", False, repr(error))
    return finish()


if __name__ == "__main__":
    sys.exit(main())
