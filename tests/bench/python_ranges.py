#!/usr/bin/env python3
"""Prints the cost of a function that is shown as an NVTX range (--python-functions-trace), and the cost of
taking and dropping the interpreter's lock with -t python-gil. Medians of interleaved rounds, ns.

  PROF=build/release/bin/prof tests/bench/python_ranges.py [PYTHON ...]
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

MODULE = """
def shown(): pass
def steps():
    while True: yield
"""
CALLS = """
import ctypes, known, sys, time
def bare(): pass
def bare_steps():
    while True: yield
def ns(function, times=100_000):
    start = time.perf_counter_ns()
    for _ in range(times): function()
    return (time.perf_counter_ns() - start) / times
unlocked = ctypes.CDLL(None).getpid
unlocked.argtypes = []
functions = [bare, known.shown, bare_steps().__next__, known.steps().__next__, unlocked]
rounds = [[ns(f) for f in functions] for _ in range(9)]
print([sorted(r[i] for r in rounds)[4] for i in range(len(functions))])
"""


def measure(python, options):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "known.py").write_text(MODULE)
        Path(folder, "functions.json").write_text(json.dumps([{"module": "known", "functions": ["shown", "steps"]}]))
        options = [option.format(folder) for option in options]
        command = [python, "-c", CALLS]
        if options:
            command = [os.environ.get("PROF", "prof"), "profile", "-o", f"{folder}/r.db", *options, "--", *command]
        done = subprocess.run(command, capture_output=True, text=True, check=True,
                              env={**os.environ, "PYTHONPATH": folder})
        return json.loads(done.stdout.splitlines()[0])


def main():
    for python in sys.argv[1:] or [sys.executable]:
        cases = {"plain": [], "functions": ["-t", "none", "--python-functions-trace={}/functions.json"],
                 "lock": ["-t", "python-gil"]}
        runs = [{name: measure(python, options) for name, options in cases.items()} for _ in range(5)]
        median = {name: [statistics.median(run[name][i] for run in runs) for i in range(5)] for name in cases}
        print(f"{python}: call {median['plain'][0]:.0f}, shown {median['functions'][1]:.0f}; "
              f"generator's step {median['plain'][2]:.0f}, shown {median['functions'][3]:.0f}; "
              f"C call without the lock {median['plain'][4]:.0f}, shown {median['lock'][4]:.0f}")


main()
