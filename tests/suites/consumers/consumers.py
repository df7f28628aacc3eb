#!/usr/bin/env python3
"""Runs public readers of nsys's reports on nsys's report and on prof's of the same program.

Usage: consumers.py [--readers nsys_ai,pandas,...] [--pair NSYS OURS] [--truth FOLDER] [--build build/release] [--keep FOLDER]

The program is a stand-in that does what nsys's report says (fake_cuda_report), with made-up CUPTI, so no GPU is needed.
--pair adds two reports of a program that ran on a GPU. Readers of PyTorch's traces get prof's Chrome traces of two ranks
of nsys's, and their numbers are compared with those of prof stats.

Prints a table: what is the same, what differs and why if that is known (EXPLAINED), what fails on nsys's report too,
and which reader is not there, with what to do. Exits with 1 if a difference is not explained.
"""
import argparse
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
SOURCE = FOLDER.parents[2]
OWN_TRUTH = SOURCE / "tests" / "integration" / "nsys_truth" / "report.sqlite.gz"
READERS = ["nsys_ai", "nsightful", "nsys2json", "nsys2prv", "pipit", "pipit_sqlite", "extrap", "pyprof", "pandas", "polars",
           "duckdb", "sqlalchemy", "dask"]
TRACE_READERS = ["hta", "tracelens", "tensorboard"]
LIMIT = 600  # seconds, for a reader

# Why figures differ: reader, pattern for the figure, reason.
NAMES = "the stand-in names no threads and no categories"
PACE = "the stand-in's calls do not take exactly as long as the program's, nor do gaps between kernels"
THREADS = "the stand-in lacks threads that made neither calls nor ranges"
SYNCHRONIZATION = "nsys writes cudaStreamSynchronize as a stream's wait and lacks synchronizations that did not wait"
EXPLAINED = [
    ("hta", "queue of stream 17", "HTA does not count launches by cuLaunchKernelEx, which NCCL uses"),
    *((reader, "NVTX_EVENTS", NAMES) for reader in ("pandas", "polars", "duckdb", "dask")),
    ("nsys_ai", "thread_utilization", THREADS),
    ("nsys_ai", "sync_cost_analysis|host_sync_parent_ranges", SYNCHRONIZATION),
    ("nsys_ai", "profile_health_manifest", f"{SYNCHRONIZATION}; {PACE}"),
    ("nsys_ai", "gpu_idle_gaps|iteration_timing|kernel_launch_overhead|kernel_launch_pattern|cpu_gpu_pipeline|"
                "gc_impact|critical_path|stream_concurrency|root_cause_matcher", PACE),
]


@dataclass
class Pair:
    name: str
    nsys: Path
    ours: Path


class Suite:
    def __init__(self, arguments, work):
        self.arguments, self.work = arguments, work
        self.prof = (arguments.build / "bin" / "prof").resolve()
        self.unexplained = 0

    def pairs(self):
        found = [OWN_TRUTH]
        found += [path for path in [self.arguments.truth / "nsightful_power_iteration" / "report.sqlite.gz"] if path.exists()]
        for compressed in found:
            name = "zoo" if compressed == OWN_TRUTH else compressed.parent.name
            nsys = self.work / f"{name}_nsys.sqlite"
            nsys.write_bytes(gzip.decompress(compressed.read_bytes()))
            yield Pair(name, nsys, self.recorded(name, nsys))
        for nsys, ours in self.arguments.pair or []:
            yield Pair(Path(ours).stem, Path(nsys).resolve(), Path(ours).resolve())

    def recorded(self, name, nsys):
        fakes = self.arguments.build / "bin" / "fake_cuda"
        if not (fakes / "fake_cuda_report").exists():
            raise SystemExit("fake_cuda_report is not built: it needs the headers of CUDA and NVTX")
        path = self.work / f"{name}.db"
        done = subprocess.run([self.prof, "profile", "-t", "cuda,nvtx,osrt", "--cuda-trace-all-apis=true", "-o", path,
                               "--cupti-path", fakes / "libcupti.so.13", "--", fakes / "fake_cuda_report", nsys],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"cannot record {nsys}: {done.stderr}")
        return path

    def run(self, program, *words):
        """(figures, None), or (None, what went wrong)"""
        environment = {**os.environ, "HOME": str(self.work), "PYTHONDONTWRITEBYTECODE": "1",
                       "PYTHONHASHSEED": "0"}  # PyProf lists sets
        try:
            done = subprocess.run([sys.executable, FOLDER / program, *words], capture_output=True, text=True, check=False,
                                  timeout=LIMIT, env=environment)
        except subprocess.TimeoutExpired:
            return None, f"takes longer than {LIMIT} s"
        lines = done.stdout.strip().splitlines()
        if done.returncode == 0 and lines:
            return json.loads(lines[-1]), None
        return None, (done.stderr.strip().splitlines() or ["no output"])[-1]

    def read(self, reader, report):
        folder = Path(tempfile.mkdtemp(dir=self.work))
        return self.run("readers.py", reader, report, folder, self.prof)

    def compare(self, reader, pair):
        theirs, their_failure = self.read(reader, pair.nsys)
        ours, our_failure = self.read(reader, pair.ours)
        if "missing" in (theirs or {}):
            return self.line(reader, pair.name, "not there", theirs["missing"])
        if their_failure:
            also = f"; on prof's report it {'fails too' if our_failure else 'works'}"
            return self.line(reader, pair.name, "fails on nsys's", their_failure + also)
        if our_failure:
            return self.difference(reader, pair.name, "fails on prof's", our_failure)
        different = [name for name in sorted({*theirs, *ours}) if theirs.get(name) != ours.get(name)]
        self.line(reader, pair.name, "same", f"{len({*theirs, *ours}) - len(different)} of {len({*theirs, *ours})} figures")
        for name in different:
            self.difference(reader, pair.name, name, f"nsys's {first_difference(theirs.get(name), ours.get(name))}")

    def difference(self, reader, pair, name, text):
        reason = next((why for who, pattern, why in EXPLAINED if who == reader and re.search(pattern, name)), None)
        self.unexplained += reason is None
        self.line(reader, pair, "explained" if reason else "DIFFERENT", f"{name}: {text}" + (f" ({reason})" if reason else ""))

    def ranks(self):
        folder = self.work / "ranks"
        folder.mkdir()
        for rank in (0, 1):
            compressed = self.arguments.truth / "recipes" / f"rank_{rank}.sqlite.gz"
            if not compressed.exists():
                return None
            (folder / f"rank_{rank}.sqlite").write_bytes(gzip.decompress(compressed.read_bytes()))
        return folder

    def compare_traces(self, reader, folder):
        figures, failure = self.run("traces.py", reader, folder, self.prof)
        if failure:
            return self.difference(reader, "two ranks", "fails", failure)
        if "missing" in figures:
            return self.line(reader, "two ranks", "not there", figures["missing"])
        different = {name: both for name, both in figures.items() if both[0] != both[1]}
        self.line(reader, "two ranks", "same", f"{len(figures) - len(different)} of {len(figures)} figures")
        for name, (theirs, ours) in different.items():
            self.difference(reader, "two ranks", name, f"{theirs}, prof stats {ours}")

    @staticmethod
    def line(reader, pair, verdict, text):
        print(f"{reader:<13} {pair:<26} {verdict:<15} {text}"[:600], flush=True)


def first_difference(theirs, ours, place=""):
    """Where two figures begin to differ."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for key in sorted({*theirs, *ours}):
            if theirs.get(key) != ours.get(key):
                return first_difference(theirs.get(key), ours.get(key), f"{place}{key} ")
    if isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        for number, (a, b) in enumerate(zip(theirs, ours)):
            if a != b:
                return first_difference(a, b, f"{place}#{number} ")
    if isinstance(theirs, list) and isinstance(ours, list):
        return f"{place}{len(theirs)} rows, prof's {len(ours)}"
    return f"{place}{str(theirs)[:150]}, prof's {str(ours)[:150]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--readers", default=",".join(READERS + TRACE_READERS))
    parser.add_argument("--pair", nargs=2, action="append", metavar=("NSYS", "OURS"))
    parser.add_argument("--truth", type=Path,
                        default=Path(os.environ.get("PROF_NSYS_TRUTH", SOURCE.parent / "shared" / "nsys-truth")))
    parser.add_argument("--build", type=Path, default=SOURCE / "build" / "release")
    parser.add_argument("--keep", type=Path, help="a folder for the reports")
    arguments = parser.parse_args()
    chosen = arguments.readers.split(",")
    if unknown := set(chosen) - {*READERS, *TRACE_READERS}:
        parser.error(f"unknown readers {', '.join(sorted(unknown))} (known: {', '.join(READERS + TRACE_READERS)})")
    work = arguments.keep or Path(tempfile.mkdtemp())
    work.mkdir(exist_ok=True)
    try:
        suite = Suite(arguments, work.resolve())
        if set(chosen) & set(READERS):
            for pair in suite.pairs():
                for reader in (each for each in chosen if each in READERS):
                    suite.compare(reader, pair)
        folder = suite.ranks() if set(chosen) & set(TRACE_READERS) else None
        for reader in (each for each in chosen if each in TRACE_READERS):
            if folder:
                suite.compare_traces(reader, folder)
            else:
                suite.line(reader, "two ranks", "not there", f"no nsys reports in {arguments.truth}: set PROF_NSYS_TRUTH")
    finally:
        if not arguments.keep:
            shutil.rmtree(work)
    print(f"{suite.unexplained} differences that are not explained")
    return min(1, suite.unexplained)


if __name__ == "__main__":
    sys.exit(main())
