#!/usr/bin/env python3
"""What --max-overhead costs, and how far its estimates are off.

    tests/bench/thinning.py BUILD [--rounds N] [--max-overhead 1%]

Prints the CPU time of known_rates under prof beside that of the program alone, in pairs, and the
error of counts and totals. Times are CPU times of the program's own clock, so that other programs
matter less.
"""
import argparse
import json
import sqlite3
import statistics
import subprocess
import tempfile
from pathlib import Path

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


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--max-overhead", default="1%")
    parser.add_argument("--case", default="")
    arguments = parser.parse_args()
    program = str(arguments.build / "bin/programs/known_rates")
    prof = str(arguments.build / "bin/prof")
    for case, words in CASES.items():
        if arguments.case not in case:
            continue
        ratios = []
        for _ in range(arguments.rounds):
            with tempfile.TemporaryDirectory() as folder:
                report = f"{folder}/report.db"
                alone = run([program, *words])
                if "steps" in alone:
                    words = [*words[:2], f"={alone['steps']}"]
                truth = run([prof, "profile", "-o", report, *NOTHING_ELSE,
                             "--max-overhead", arguments.max_overhead, program, *words])
                found, left_out = estimates(report)
            if "cpu" in truth:
                ratios.append(truth["cpu"] / alone["cpu"])
            for name, known in truth.items():
                if not isinstance(known, dict):
                    continue
                count, time, _ = found.get(name, (0, 0, 0))
                line = f"  {name}: count off by {100 * (count / known['count'] - 1):+.3f} %"
                if known.get("time"):
                    line += f", time off by {100 * (time / known['time'] - 1):+.2f} %"
                print(line, f"left out, recorded: {left_out}" if name == list(truth)[0] else "", flush=True)
        if ratios:
            print(f"{case}: cost {100 * (statistics.median(ratios) - 1):+.2f} % (median of {len(ratios)}; "
                  f"{', '.join(f'{100 * (ratio - 1):+.2f}' for ratio in sorted(ratios))})", flush=True)


main()
