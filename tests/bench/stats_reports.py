#!/usr/bin/env python3
"""Prints what every statistics report costs: time and memory of prof stats.

Usage: stats_reports.py BUILD_DIRECTORY [--kernels N] [--rounds N] [--format NAME]
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MAKE_REPORT = Path(__file__).with_name("make_report.py")
TOGETHER = "cuda_gpu_kern_sum,cuda_api_sum,nvtx_sum"
ARGUMENTS = ["cuda_gpu_kern_sum:nvtx-name"]


def report_names(prof):
    listed = subprocess.run([prof, "stats", "--help-reports"], stdout=subprocess.PIPE, text=True,
                            check=True).stdout
    return re.findall(r"^  (\w+) ", listed, re.M)


def cost(command):
    """(CPU seconds, wall seconds, peak MB), with the output thrown away."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise subprocess.CalledProcessError(child.returncode, command)
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - start, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--kernels", type=int, default=400_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--format", default="csv")
    arguments = parser.parse_args()
    prof = arguments.build / "bin" / "prof"
    names = [TOGETHER, *report_names(prof), *ARGUMENTS]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.db"
        # A separate process, because a child's peak starts with its parent's memory.
        subprocess.run([sys.executable, MAKE_REPORT, report, "--kernels", str(arguments.kernels)],
                       check=True)
        print(f"Statistics of {4 * arguments.kernels} events, least of {arguments.rounds} rounds: "
              "CPU s, wall s, peak MB")
        for name in names:
            figures = zip(*(cost([prof, "stats", "-q", "-f", arguments.format, "-r", name, report])
                            for _ in range(arguments.rounds)))
            cpu, wall, peak = map(min, figures)
            print(f"  {name:<44} {cpu:>6.2f} {wall:>6.2f} {peak:>7.0f}")


if __name__ == "__main__":
    main()
