"""Runs in a root, with the root's Python (3.6 or later): smoke.py PROF PYTHON. Uses prof as its user would."""
import csv
import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

PROF, PYTHON = sys.argv[1:3]
SLEEPS = "import time\nfor i in range(5): time.sleep(0.001)"
CALLS = "SELECT count(*) FROM OSRT_API JOIN StringIds ON id = nameId WHERE value "


def run(*words):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    assert "ld.so" not in done.stderr and "relocation" not in done.stderr, done.stderr
    return done.stdout


def table(report, statistic):
    text = run(PROF, "stats", "-q", "-r", statistic, "-f", "csv", "-o", "-", report)
    return list(csv.DictReader(text.strip().splitlines()))


def query(report, text):
    return sqlite3.connect(str(report)).execute(text).fetchone()[0]


def main():
    folder = Path(tempfile.mkdtemp())
    os.chdir(str(folder))
    run(PROF, "--version")
    run(PROF, "status")
    run(PROF, "profile", "-t", "nvtx,osrt", "-o", "r.db", "/dist/ranges")
    counts = {row["Range"].lstrip(":"): int(row["Instances"]) for row in table("r.db", "nvtx_sum")}
    assert counts == {"step": 10, "thread step": 10}, counts
    assert {row["Name"]: row["Num Calls"] for row in table("r.db", "osrt_sum")}.get("nanosleep") == "20"
    assert query("r.db", CALLS + "= 'pthread_create'") == 1
    run(PROF, "analyze", "r.db")
    run(PROF, "info", "r.db")
    run(PROF, "export", "-t", "chrome", "-o", "r.json", "r.db")
    run(PROF, "profile", "-t", "nvtx,osrt", "--osrt-threshold=0", "-o", "p.db", PYTHON, "-c", SLEEPS)
    assert query("p.db", CALLS + "IN ('select', 'clock_nanosleep')") == 5
    # Programs that need neither libdl nor libpthread, and a shell's child processes.
    run(PROF, "profile", "-t", "nvtx,osrt", "-o", "s.db", "sh", "-c", "ls / | cat; (exit 0)")
    assert query("s.db", "SELECT count(DISTINCT globalTid / 0x1000000) FROM OSRT_API") >= 3
    if sys.version_info >= (3, 8):
        # A stream that nobody reads yet: pyarrow is not here.
        code = "import prof_report as pr; t = pr.open('r.db')['OSRT_API']; print(t, type(t.__arrow_c_stream__()).__name__)"
        assert run(PYTHON, "-c", code) == "<prof_report.Table OSRT_API> PyCapsule\n"
        assert "usage" in run(PYTHON, "-m", "prof_report", "--help").lower()
    print("ok", PROF, "for", os.getuid())


main()
