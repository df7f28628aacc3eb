#!/usr/bin/env python3
"""How the time and the memory of `prof stats RUN/` grow with the number of ranks.

make_run.py makes the reports of a few ranks. The others are copies of them with another rank, and with durations of
waits, all-reduces, steps and reads that are longer by 13 ns times the rank: so the tables of values of these, which are
the long ones, differ between the ranks as those of a simulation of all ranks do. The times of kernels and launches,
which have few different values, are equal.

Each SIZE is measured. With --predict, CPU time = c * ranks + r * ranks * log2(ranks) is fitted to the SIZEs, and
compared with what is measured of the further ones. All sizes then have the same events.

Usage: run_scale.py BUILD RANKSxEVENTS... [--predict RANKSxEVENTS...] [--made 8] [--runs 1] [--keep FOLDER]
       run_scale.py build/release 512x1000000
       run_scale.py build/release 512x10000 1024x10000 2048x10000 --predict 4096x10000 10000x10000
"""
import argparse
import math
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import make_run

LONGER = 13  # ns, by rank
CHANGES = ("UPDATE PROF_RANKS SET rank = :rank, size = :size",
           "UPDATE OSRT_API SET end = end + :more",
           "UPDATE NVTX_EVENTS SET end = end + :more",
           f"UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET end = end + :more WHERE nameId = {make_run.SYNCHRONIZE}",
           f"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = end + :more WHERE shortName = {make_run.ALL_REDUCE_ID}")


def size(text):
    ranks, events = text.split("x")
    return int(ranks), int(events)


def copy(source, target, rank, ranks):
    shutil.copyfile(source, target)
    database = sqlite3.connect(target, isolation_level=None)
    database.execute("PRAGMA synchronous = OFF")
    database.execute("PRAGMA journal_mode = OFF")
    database.execute("BEGIN")
    for change in CHANGES:
        database.execute(change, {"rank": rank, "size": ranks, "more": rank * LONGER})
    database.execute("COMMIT")
    database.close()


class Made:
    """The simulated reports of each number of events, which are made once."""

    def __init__(self, folder, ranks):
        self.folder, self.ranks = folder, ranks

    def reports(self, events):
        folder = self.folder / f"made-{self.ranks}x{events}"
        if not (folder / "ledger.json").exists():
            subprocess.run([sys.executable, make_run.__file__, str(self.ranks), str(events), "-o", folder,
                            "--straggler", "1:cpu:1.15"], check=True)
        return sorted(folder.glob("*.db"))

    def run(self, ranks, events):
        """A folder with the reports of all ranks."""
        sources = self.reports(events)
        folder = self.folder / f"run-{ranks}x{events}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for rank in range(ranks):
            copy(sources[rank % len(sources)], folder / f"rank_{rank:05}.db", rank, ranks)
        return folder


def measured(command):
    """(CPU time in s, elapsed time in s, largest memory in MB)"""
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: status {process.returncode}")
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - start, usage.ru_maxrss / 1024


def fitted(times):
    """The law of CPU times by number of ranks, by least squares of the relative errors."""
    terms = [(1 / t * n, 1 / t * n * math.log2(n)) for n, t in times.items()]
    aa, ab, bb = (sum(x[i] * x[j] for x in terms) for i, j in ((0, 0), (0, 1), (1, 1)))
    a, b = (sum(x[i] for x in terms) for i in (0, 1))
    determinant = aa * bb - ab * ab
    r = (b * aa - a * ab) / determinant
    if r < 0:  # not more than linear
        return a / aa, 0.0
    return (a * bb - b * ab) / determinant, r


class Scale:
    """Measures runs of several sizes."""

    def __init__(self, options, folder):
        self.prof = options.build.resolve() / "bin" / "prof"
        self.runs = options.runs
        self.made = Made(folder, options.made)

    def measure(self, ranks, events):
        """CPU time in s of the fastest of the runs."""
        folder = self.made.run(ranks, events)
        try:
            found = [measured([self.prof, "stats", "-q", "-f", "csv", folder]) for _ in range(self.runs)]
        finally:
            shutil.rmtree(folder)
        cpu, elapsed, memory = min(found)
        print(f"{ranks:6} x {events:8}: {cpu:8.2f} CPU s, {elapsed:8.2f} s, {memory:6.0f} MB, "
              f"{cpu / (ranks * events) * 1e6:.3f} CPU s for 1 M events", flush=True)
        return cpu


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("sizes", type=size, nargs="+", metavar="RANKSxEVENTS")
    parser.add_argument("--predict", type=size, nargs="+", metavar="RANKSxEVENTS", default=[])
    parser.add_argument("--made", type=int, default=8, help="number of simulated ranks")
    parser.add_argument("--runs", type=int, default=1, help="measurements of a size; the fastest counts")
    parser.add_argument("--keep", type=Path, help="folder for the simulated reports, which are used again")
    options = parser.parse_args()
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        scale = Scale(options, options.keep or Path(temporary))
        times = {ranks: scale.measure(ranks, events) for ranks, events in options.sizes}
        if not options.predict:
            return
        c, r = fitted(times)
        print(f"CPU s = {c:.3e} N + {r:.3e} N log2 N")
        for ranks, events in options.predict:
            found = scale.measure(ranks, events)
            law = c * ranks + r * ranks * math.log2(ranks)
            print(f"{ranks:6} x {events:8}: predicted {law:.2f} CPU s, {100 * (law / found - 1):+.1f} %", flush=True)


if __name__ == "__main__":
    main()
