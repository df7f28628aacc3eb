"""Python call chains of events: function, file and line of every frame, as Python itself sees them."""
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest
from cuda_app import CUPTI, FAKES, needs_cuda, run
from profiling import SCRIPTS, profile

CALLS = FAKES / "libfake_cuda_calls.so"
# Interpreters of this machine: that of the tests, and others where there are some.
PYTHONS = sorted({sys.executable, *map(str, Path("/root/.pyenv/versions").glob("3.*/bin/python3"))})


def usable(python):
    done = subprocess.run([python, "-c", "import ctypes, sys; print(*sys.version_info[:2])"],
                          capture_output=True, text=True, check=False)
    return done.returncode == 0 and tuple(map(int, done.stdout.split())) >= (3, 9)


def chains(report, table="CUDA_CALLCHAINS"):
    """Frames of each chain: [function, file, line], innermost first."""
    found = defaultdict(list)
    for row in report.query(f"""
            SELECT c.*, s.value AS function, m.value AS place FROM {table} c
            JOIN StringIds s ON s.id = c.symbol JOIN StringIds m ON m.id = c.module
            ORDER BY c.id, c.stackDepth"""):
        assert row["stackDepth"] == len(found[row["id"]])
        place = row["place"]
        if row["line"] is not None:
            place, line = place.rsplit(":", 1)
            assert int(line) == row["line"] and row["unresolved"] is None
        found[row["id"]].append([row["function"], place, row["line"]])
    return found


@needs_cuda
@pytest.mark.parametrize("python", list(filter(usable, PYTHONS)))
def test_chains_are_those_of_python(tmp_path, python):
    report = run(tmp_path, command=[python, SCRIPTS / "python_calls.py", CALLS], traces="cuda",
                 options=("--python-backtrace=cuda",),
                 environment={"LD_LIBRARY_PATH": str(FAKES)}.items())
    found = chains(report)
    calls = defaultdict(list)
    for row in report.query("""SELECT globalTid >> 24 & 0xffffff AS pid, globalTid & 0xffffff AS tid,
                               callchainId FROM CUPTI_ACTIVITY_KIND_RUNTIME ORDER BY start"""):
        calls[row["pid"], row["tid"]].append(found[row["callchainId"]])
    expected = defaultdict(list)
    for event in report.expected():
        expected[event["pid"], event["tid"]].append(event["frames"])
    assert calls.keys() == expected.keys()
    for thread, frames in expected.items():
        for seen, real in zip(calls[thread], frames):
            assert seen == real
        assert len(calls[thread]) == len(frames)
