#!/usr/bin/env python3
"""Prints what exports of a made-up report cost: speed, memory, and the size of a slice in Perfetto's format.

Usage: exports.py BUILD_DIRECTORY [--kernels N] [--rounds N]     (4 events for each kernel; with tests/requirements.txt)
"""
import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from stats_reports import MAKE_REPORT, cost

KERNELS = "CUPTI_ACTIVITY_KIND_KERNEL"
# Runs alone, and prints rows and CPU seconds without those of imports.
STREAM = """
import sys, time, prof_report
prof_report.open(sys.argv[1]).table(sys.argv[2]).head(1)
begin = time.process_time()
rows = sum(batch.num_rows for batch in prof_report.open(sys.argv[1]).table(sys.argv[2]).reader())
print(rows, time.process_time() - begin)
"""
READ_SQL = """
import sqlite3, sys, time, pandas
begin = time.process_time()
rows = sum(map(len, pandas.read_sql(f"SELECT * FROM {sys.argv[2]}", sqlite3.connect(sys.argv[1]), chunksize=100000)))
print(rows, time.process_time() - begin)
"""


def rate(build, code, *arguments):
    """Million rows per CPU second, and the peak in MB."""
    child = subprocess.Popen([sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE, text=True,
                             env={**os.environ, "PYTHONPATH": str(build / "python"), "OPENBLAS_NUM_THREADS": "1"})
    rows, seconds = map(float, child.stdout.read().split())
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0
    return rows / seconds / 1e6, usage.ru_maxrss / 1024


def size(path):
    return sum(each.stat().st_size for each in path.rglob("*")) if path.is_dir() else path.stat().st_size


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--kernels", type=int, default=400_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--types", default="perfetto,chrome,jsonlines,sqlite,parquetdir,arrow")
    arguments = parser.parse_args()
    events = 4 * arguments.kernels
    os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"  # prof looks for a Python with pyarrow
    with tempfile.TemporaryDirectory() as folder:
        report, output = Path(folder) / "report.db", Path(folder) / "out"
        subprocess.run([sys.executable, MAKE_REPORT, report, "--kernels", str(arguments.kernels)], check=True)
        print(f"Exports of {events} events, best of {arguments.rounds} rounds (load {os.getloadavg()[0]:.1f}): "
              "CPU s, wall s, peak MB, million events per CPU second, bytes per event")
        for kind in arguments.types.split(","):
            command = [arguments.build / "bin" / "prof", "export", "-q", "-f", "true", "-t", kind, "-o", output, report]
            cpu, wall, peak = map(min, zip(*(cost(command) for _ in range(arguments.rounds))))
            print(f"  {kind:<24} {cpu:>6.2f} {wall:>6.2f} {peak:>6.0f} {events / cpu / 1e6:>6.2f} {size(output) / events:>6.1f}")
            subprocess.run(["rm", "-rf", output], check=True)
        print("All columns of tables, as Arrow batches in Python: million rows per CPU second, peak MB")
        for table in (KERNELS, "CUPTI_ACTIVITY_KIND_RUNTIME", "NVTX_EVENTS"):
            rates = [rate(arguments.build, STREAM, report, table) for _ in range(arguments.rounds)]
            print(f"  {table:<28} {max(each[0] for each in rates):>6.2f} {min(each[1] for each in rates):>6.0f}")
        speed, peak = rate(arguments.build, READ_SQL, report, KERNELS)
        print(f"  {KERNELS} by pandas.read_sql {speed:>6.2f} {peak:>6.0f}")


if __name__ == "__main__":
    main()
