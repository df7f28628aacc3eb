#!/usr/bin/env python3
"""Prints how far the shares of --python-sampling are from the real values, compared with py-spy: functions from 0.1 us to 1 ms long,
whose time the program takes itself, a batch of calls at a time. Interleaved rounds; percent of the whole.

  PROF=build/release/bin/prof PY_SPY=py-spy tests/bench/python_sampling.py [PYTHON] [SECONDS] [ROUNDS]
"""
import collections
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile

PROGRAM = """
import json, sys, time
def tiny(x): return x + 1
def short(x): return [i for i in range(20)]
def middle(x):
    for i in range(300): x += i
def of_tiny():
    for i in range(3000): tiny(i)
def of_short():
    for i in range(300): short(i)
def of_middle():
    for i in range(20): middle(i)
def long():
    x = 0
    for i in range(20000): x += i
def main():
    batches = [of_tiny, of_short, of_middle, long]
    spent, clock = [0] * 4, time.perf_counter_ns
    begin = clock()
    while clock() < begin + float(sys.argv[1]) * 1e9:
        for number, batch in enumerate(batches):
            start = clock()
            batch()
            spent[number] += clock() - start
    print(json.dumps({f.__name__: 100 * ns / sum(spent) for f, ns in zip(batches, spent)}), flush=True)
main()
"""
NAMES = ("of_tiny", "of_short", "of_middle", "long")
SQL = """SELECT s.value, count(*) FROM PROF_PYTHON_SAMPLES p JOIN PROF_PYTHON_CALLCHAINS c ON c.id = p.callchainId
         JOIN StringIds s ON s.id = c.symbol GROUP BY 1"""


def shares(counts):
    total = sum(counts[name] for name in NAMES)
    return {name: 100 * counts[name] / total for name in NAMES}


def with_prof(command, folder):
    report = f"{folder}/r.db"
    done = subprocess.run([os.environ.get("PROF", "prof"), "profile", "-f", "true", "-t", "none", "--python-sampling=true",
                           "-o", report, "--", *command], capture_output=True, text=True, check=True)
    return done.stdout, collections.Counter(dict(sqlite3.connect(report).execute(SQL)))


def with_py_spy(command, folder, *options):
    done = subprocess.run([os.environ.get("PY_SPY", "py-spy"), "record", "-r", "1000", "-F", "-f", "raw", "-o", f"{folder}/raw",
                           *options, "--", *command], capture_output=True, text=True, check=True)
    counts = collections.Counter()
    with open(f"{folder}/raw", encoding="utf-8") as raw:
        for line in raw:
            stack, number = line.rsplit(" ", 1)
            for frame in {part.split(" ")[0] for part in stack.split(";")}:
                counts[frame] += int(number)
    return done.stdout, counts


def main():
    python, seconds, rounds = [*sys.argv[1:], *[sys.executable, "8", "4"][len(sys.argv) - 1:]]
    gaps = collections.defaultdict(lambda: collections.defaultdict(list))
    with tempfile.TemporaryDirectory() as folder:
        command = [python, "-c", PROGRAM, seconds]
        tools = {"prof": lambda: with_prof(command, folder),
                 "py-spy": lambda: with_py_spy(command, folder),
                 "py-spy --nonblocking": lambda: with_py_spy(command, folder, "--nonblocking")}
        for _ in range(int(rounds)):
            for name, tool in tools.items():
                out, counts = tool()
                truth = json.loads(next(line for line in out.splitlines() if line.startswith("{")))
                for function, share in shares(counts).items():
                    gaps[name][function].append(share - truth[function])
    for name, of_tool in gaps.items():
        print(f"{name}: " + ", ".join(f"{function} {statistics.mean(found):+.2f} (worst {max(found, key=abs):+.2f})"
                                      for function, found in of_tool.items()))


main()
