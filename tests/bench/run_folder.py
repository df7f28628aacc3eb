#!/usr/bin/env python3
"""prof stats and DuckDB on the same job: count, mean and median of the kernels by name. Prints times, and whether the
values are equal.

prof reads the reports; DuckDB reads the Parquet of `prof export -t run`, whose time is printed, too. Needs duckdb and
pyarrow in the Python that runs it.

Usage: run_folder.py BUILD [--ranks 8] [--events 20000] [--runs 3]
"""
import argparse
import csv
import io
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

MAKE_RUN = Path(__file__).with_name("make_run.py")
QUERY = """SELECT demangledName::VARCHAR, count(*), avg("end" - start), quantile_cont("end" - start, 0.5)
FROM read_parquet('{out}/tables/CUPTI_ACTIVITY_KIND_KERNEL/*/*/*.parquet', hive_partitioning=true) GROUP BY 1"""


def timed(work, runs):
    """(shortest time in s, result)"""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - start)
    return min(times), result


def of_prof(prof, run):
    done = subprocess.run([prof, "stats", "-f", "csv", "-r", "cuda_gpu_kern_sum", run], check=True, capture_output=True,
                          text=True)
    return {row["Name"]: (int(row["Instances"]), float(row["Avg (ns)"]), float(row["Med (ns)"]))
            for row in csv.DictReader(io.StringIO(done.stdout.strip()))}


def of_duckdb(out):
    return {name: tuple(figures) for name, *figures in duckdb.sql(QUERY.format(out=out)).fetchall()}


def differences(ours, theirs):
    """Names whose figures differ by more than prof's rounding to one decimal."""
    return [name for name in ours.keys() | theirs.keys()
            if name not in ours or name not in theirs
            or any(abs(a - b) > 0.0501 for a, b in zip(ours[name], theirs[name]))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--events", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    prof = options.build.resolve() / "bin" / "prof"
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    with tempfile.TemporaryDirectory() as folder:
        run, out = Path(folder) / "run", Path(folder) / "out"
        subprocess.run([sys.executable, MAKE_RUN, str(options.ranks), str(options.events), "-o", run], check=True)
        export, _ = timed(lambda: subprocess.run([prof, "export", "-t", "run", "-o", out, run], check=True, env=environment),
                          1)
        ours, found = timed(lambda: of_prof(prof, run), options.runs)
        theirs, wanted = timed(lambda: of_duckdb(out), options.runs)
        sizes = [sum(path.stat().st_size for path in folder.rglob(pattern)) / 1e6
                 for folder, pattern in ((run, "*.db"), (out, "*.parquet"))]
        print(f"{options.ranks} ranks, {options.events} events each: reports {sizes[0]:.1f} MB, Parquet {sizes[1]:.1f} MB")
        print(f"prof stats on the reports  {ours:7.3f} s")
        print(f"DuckDB on Parquet          {theirs:7.3f} s, after an export of {export:.2f} s")
        wrong = differences(found, wanted)
        print(f"{len(found)} names, {len(wrong)} differ{': ' if wrong else ''}{', '.join(sorted(wrong)[:5])}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
