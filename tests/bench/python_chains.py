#!/usr/bin/env python3
"""Prints the cost of the Python call chain of a CUDA API call: launches of the fake CUDA (tests/fake_cupti) from
stacks of several depths, with and without --python-backtrace=cuda.

    tests/bench/python_chains.py [build/release] [python ...]"""
import ctypes
import json
import subprocess
import sys
import tempfile
from pathlib import Path

DEPTHS = (3, 20, 100)


def nested(depth, launches):
    """Returns a function that launches under `depth` frames of different functions."""
    source = "def f0(n):\n  return launches(n)\n"
    for number in range(1, depth - 2):
        source += f"def f{number}(n):\n  return f{number - 1}(n)\n"
    functions = {"launches": launches}
    exec(compile(source, "<nested>", "exec"), functions)  # pylint: disable=exec-used
    return functions[f"f{max(depth - 3, 0)}"]


def measure(library):
    cuda = ctypes.PyDLL(library)
    cuda.fake_time_launches.restype = ctypes.c_double
    cuda.fake_init()
    best = {}
    for depth in DEPTHS:
        function = nested(depth, cuda.fake_time_launches)
        function(20000)
        best[depth] = min(function(50000) for _ in range(7))
    print(json.dumps(best))


def profiled(build, python, backtrace):
    fakes = build / "bin" / "fake_cuda"
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [build / "bin" / "prof", "profile", "-t", "cuda", "--cupti-path", fakes / "libcupti.so.13",
             f"--python-backtrace={backtrace}", "-o", f"{folder}/report.db", "-e",
             f"LD_LIBRARY_PATH={fakes}", "--", python, __file__, "--measure",
             fakes / "libfake_cuda_calls.so"], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{")))


def main():
    build = Path(sys.argv[1] if len(sys.argv) > 1 else "build/release").resolve()
    for python in sys.argv[2:] or [sys.executable]:
        without, chains = (profiled(build, python, which) for which in ("none", "cuda"))
        for depth in map(str, DEPTHS):
            print(f"{python}, {depth} frames: {without[depth]:.0f} ns a launch, "
                  f"+{chains[depth] - without[depth]:.0f} with the chain")


if __name__ == "__main__":
    measure(sys.argv[2]) if sys.argv[1:2] == ["--measure"] else main()
