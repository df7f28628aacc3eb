#!/usr/bin/env python3
"""What --max-overhead costs, and how far its estimates are off.

    tests/bench/thinning.py BUILD [--pairs N] [--max-overhead 1%] [--rounds N]

First the price, in one process (bench_price): calls through prof beside calls past it, in turn,
with the option, without it, and without prof. Then the error of counts and totals of known_rates.
Times are CPU times of the program's own clock, so that other programs matter less.
"""
import argparse
import json
import sqlite3
import statistics
import subprocess
import tempfile
from pathlib import Path

PRICED = (["calls", "170"], ["ranges", "380"])
CASES = {
    "calls, 5 M/s": ["calls", "4000000", "170"],
    "ranges, 2.5 M/s": ["ranges", "2000000", "380"],
    "uneven": ["uneven", "200000"],
}
NOTHING_ELSE = ["-t", "osrt,nvtx", "--sample=none", "--cpuctxsw=none", "--osrt-threshold=0"]


def run(command):
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])


def estimates(report):
    """Counts and times by name, as the statistics add them up, and how many were recorded."""
    database = sqlite3.connect(report)
    tables = {name for name, in database.execute("SELECT name FROM sqlite_master")}
    found = {}

    def add(query):
        for name, count, time, recorded in database.execute(query):
            one = found.setdefault(name, [0, 0, 0])
            for i, value in enumerate((count, time, recorded)):
                one[i] += value

    for table, name in (("OSRT_API", "(SELECT value FROM StringIds WHERE id = nameId)"), ("NVTX_EVENTS", "text")):
        if table not in tables:
            continue
        weighted = "weight" in [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
        weight = "weight" if weighted else "1"
        where = "WHERE eventType = 59" if table == "NVTX_EVENTS" else ""
        add(f"SELECT {name}, SUM({weight}), SUM({weight} * (end - start) * (end - start < 1500000)), COUNT(*) FROM {table} {where} GROUP BY 1")
    if "PROF_SHORT_CALLS" in tables:
        add("SELECT value, calls, duration, 0 FROM PROF_SHORT_CALLS JOIN StringIds ON id = nameId")
    left_out = (list(database.execute("SELECT SUM(events), SUM(recorded) FROM PROF_THINNING"))
                if "PROF_THINNING" in tables else [])
    return found, left_out


def price(build, pairs, share):
    """The same process with and without prof, so that nothing but prof differs."""
    bench = str(build / "bin/bench/bench_price")
    for words in PRICED:
        for label, options in (("without prof", None), (f"--max-overhead={share}", [f"--max-overhead={share}"]),
                               ("everything recorded", [])):
            with tempfile.TemporaryDirectory() as folder:
                report = f"{folder}/report.db"
                command = [bench, words[0], str(pairs), words[1]]
                if options is not None:
                    command = [str(build / "bin/prof"), "profile", "-o", report, *NOTHING_ELSE, *options, *command]
                found = run(command)
                estimate = estimated_cost(report) if options else None
            ratios = found["medians"]
            error = statistics.stdev(ratios) / len(ratios) ** 0.5 if len(ratios) > 1 else 0
            print(f"{words[0]}, {found['per_second'] / 1e6:.1f} M/s, {label}: "
                  f"{100 * (statistics.median(ratios) - 1):+.2f} % (mean {100 * (statistics.mean(ratios) - 1):+.2f} "
                  f"+- {100 * error:.2f}; by means of windows {100 * (statistics.median(found['means']) - 1):+.2f}; "
                  f"{pairs} pairs)" + (f"; prof's own estimate {estimate:.2f} % of the time with calls" if estimate else ""),
                  flush=True)


def estimated_cost(report):
    """What PROF_THINNING says, in % of the seconds in which something was left out."""
    database = sqlite3.connect(report)
    tables = {name for name, in database.execute("SELECT name FROM sqlite_master")}
    if "PROF_THINNING" not in tables:
        return None
    cost, time = database.execute("SELECT SUM(cost), SUM(end - start) FROM PROF_THINNING").fetchone()
    return 100 * cost / time


def errors(build, rounds, share):
    """How far counts and times are from what the program knows."""
    program, prof = str(build / "bin/programs/known_rates"), str(build / "bin/prof")
    for case, words in CASES.items():
        print(case)
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as folder:
                report = f"{folder}/report.db"
                truth = run([prof, "profile", "-o", report, *NOTHING_ELSE, "--max-overhead", share, program, *words])
                found, left_out = estimates(report)
            for name, known in truth.items():
                if not isinstance(known, dict):
                    continue
                count, time, _ = found.get(name, (0, 0, 0))
                line = f"  {name}: count off by {100 * (count / known['count'] - 1):+.3f} %"
                if known.get("time"):
                    line += f", time off by {100 * (time / known['time'] - 1):+.2f} %"
                print(line, f"left out, recorded: {left_out}" if name == list(truth)[0] else "", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--pairs", type=int, default=20, help="of windows of 0.75 s")
    parser.add_argument("--rounds", type=int, default=5, help="of known_rates")
    parser.add_argument("--max-overhead", default="1%")
    arguments = parser.parse_args()
    if arguments.pairs > 0:
        price(arguments.build, arguments.pairs, arguments.max_overhead)
    errors(arguments.build, arguments.rounds, arguments.max_overhead)


main()
