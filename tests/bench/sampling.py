#!/usr/bin/env python3
"""Prints the cost of CPU samples for a program, and their number: prof and perf (if it is there) on the same work, interleaved.

    tests/bench/sampling.py [build/release] [rounds]"""
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

RATE = 1000


def main():
    build = Path(sys.argv[1] if len(sys.argv) > 1 else "build/release").resolve()
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 7
    with tempfile.TemporaryDirectory() as folder:
        compare(build, rounds, Path(folder))


def ways(build, folder):
    prof = [build / "bin" / "prof", "profile", "-t", "none", "-f", "true"]
    profile = [*prof, f"--sampling-frequency={RATE}", "--cpuctxsw=none", "--python-sampling=false"]
    perf = ["perf", "record", "-q", "-F", str(RATE), "-e", "cpu-clock", "-g"]
    yield "untraced", [], None
    yield "prof -s process-tree", [*profile, "-o", folder / "s.db", "-s", "process-tree"], folder / "s.db"
    yield "prof by default", [*prof, "-o", folder / "c.db"], folder / "c.db"
    yield "prof -s process-tree -b fp", [*profile, "-o", folder / "f.db", "-s", "process-tree", "-b", "fp"], folder / "f.db"
    if shutil.which("perf"):
        yield "perf record, dwarf", [*perf, "--call-graph", "dwarf", "-o", folder / "d.data"], folder / "d.data"
        yield "perf record, fp", [*perf, "--call-graph", "fp", "-o", folder / "p.data"], folder / "p.data"


def samples_in(path):
    if path.suffix == ".db":
        return sqlite3.connect(path).execute("SELECT count(*) FROM COMPOSITE_EVENTS").fetchone()[0]
    script = subprocess.run(["perf", "script", "-F", "time", "-G", "-i", path], stdout=subprocess.PIPE, text=True, check=True)
    return len(script.stdout.split())


def compare(build, rounds, folder):
    program = build / "bin" / "bench" / "bench_fixed_work"
    times = {}
    rates = {}
    all_ways = list(ways(build, folder))
    for _ in range(rounds):
        for name, command, output in all_ways:
            done = subprocess.run([*command, program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
            wall, cpu = map(float, done.stdout.split()[:2])
            times.setdefault(name, []).append((wall, cpu))
            if output:
                rates.setdefault(name, []).append((samples_in(output) / cpu, output.stat().st_size))
    base = [statistics.median(column) for column in zip(*times["untraced"])]
    least = [min(column) for column in zip(*times["untraced"])]
    print(f"{'':28} {'wall':>7} {'CPU':>7} {'fastest':>8} {'samples/s':>10} {'bytes/sample':>13}")
    for name, _, output in all_ways:
        medians = [statistics.median(column) for column in zip(*times[name])]
        fastest = min(cpu for _, cpu in times[name]) / least[1]
        line = f"{name:28} {medians[0] / base[0]:7.3f} {medians[1] / base[1]:7.3f} {fastest:8.3f}"
        if output:
            rate, size = (statistics.median(column) for column in zip(*rates[name]))
            line += f" {rate:10.0f} {size / (rate * medians[1]):13.0f}"
        print(line)


if __name__ == "__main__":
    main()
