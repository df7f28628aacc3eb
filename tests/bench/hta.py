#!/usr/bin/env python3
"""Times HTA beside prof on the same job: from the files to the sums of kernels, and to the overlap of communication and
the stragglers. HTA reads Chrome traces, which prof exports of a made job (make_run.py).

Usage: hta.py BUILD_DIRECTORY --python VENV/bin/python [--ranks 8] [--events 100000]
VENV has HolisticTraceAnalysis and pandas below 3.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HTA = """
import os, sys, time
from hta.trace_analysis import TraceAnalysis
begin = time.perf_counter()
analysis = TraceAnalysis(trace_dir=sys.argv[1])
print(f"HTA, load: {time.perf_counter() - begin:.2f} s")
for name, call in (("kernel sums", lambda: analysis.get_gpu_kernel_breakdown(visualize=False)),
                   ("overlap", lambda: analysis.get_comm_comp_overlap(visualize=False)),
                   ("stragglers", analysis.get_potential_stragglers)):
    begin = time.perf_counter()
    try:
        result = call()
        what = "" if result is not None else ", no result"
    except Exception as error:
        what = f", fails: {type(error).__name__}: {str(error)[:80]}"
    print(f"HTA, {name}: {time.perf_counter() - begin:.2f} s{what}")
"""


def timed(name, command, **options):
    begin = time.perf_counter()
    done = subprocess.run([*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **options)
    print(f"{name}: {time.perf_counter() - begin:.2f} s" + (f", status {done.returncode}" if done.returncode else ""))
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--python", type=Path, required=True)
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--events", type=int, default=100_000)
    options = parser.parse_args()
    tool = options.build / "bin" / "prof"
    with tempfile.TemporaryDirectory() as folder:
        run, traces = Path(folder, "run"), Path(folder, "traces")
        make_run = Path(__file__).with_name("make_run.py")
        subprocess.run([sys.executable, make_run, str(options.ranks), str(options.events), "-o", run,
                        "--straggler", "3:cpu:1.5"], check=True, stdout=subprocess.DEVNULL)
        for statistic in ("cuda_gpu_kern_sum", "nvtx_gpu_proj_sum"):
            timed(f"prof stats -r {statistic} RUN/", [tool, "stats", "-q", "-r", statistic, run])
        timed("prof analyze --by-rank RUN/", [tool, "analyze", "--by-rank", run])
        reports = sorted(run.rglob("*.db"))
        traces.mkdir()
        timed("prof export -t chrome", [tool, "export", "-t", "chrome", "--step=step", "-o", traces, *reports])
        size = sum(path.stat().st_size for path in traces.rglob("*") if path.is_file())
        print(f"traces: {size / 1e6:.0f} MB, reports: {sum(path.stat().st_size for path in reports) / 1e6:.0f} MB")
        print(timed("HTA, whole process", [options.python, "-W", "ignore", "-c", HTA, traces],
                    env={**os.environ, "HTA_DISABLE_NS_ROUNDING": "1"}))


if __name__ == "__main__":
    main()
