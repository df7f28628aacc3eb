#!/usr/bin/env python3
"""On a machine with a GPU and PyTorch: checks that each launch names its Python line, and
measures the cost. PROF=/path/to/prof tests/gpu/python_launches.py"""
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = Path(__file__).parent / "programs" / "python_launches.py"


def profiled(folder, backtrace):
    path = Path(folder) / f"{backtrace}.db"
    done = subprocess.run(
        [os.environ.get("PROF", "prof"), "profile", "-t", "cuda", f"--python-backtrace={backtrace}",
         "-o", path, "--", sys.executable, PROGRAM], stdout=subprocess.PIPE, text=True, check=True)
    answer = next(line for line in reversed(done.stdout.splitlines()) if line.startswith("{"))
    return sqlite3.connect(path), json.loads(answer)


def launches_at(report, place):
    """Number of kernels whose launching call came from this line, which need not be the innermost frame."""
    return report.execute("""
        SELECT count(DISTINCT r.rowid) FROM CUPTI_ACTIVITY_KIND_RUNTIME r
        JOIN CUDA_CALLCHAINS c ON c.id = r.callchainId
        JOIN StringIds s ON s.id = c.symbol JOIN StringIds m ON m.id = c.module
        JOIN StringIds n ON n.id = r.nameId
        WHERE s.value = ? AND m.value = ? AND (n.value LIKE '%Launch%')""",
        (place["function"], f"{place['file']}:{place['line']}")).fetchone()[0]


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        _, without = profiled(folder, "none")
        report, answer = profiled(folder, "cuda")
        for place in answer["places"]:
            found = launches_at(report, place)
            failed += found < place["launches"]
            print(f"{'ok' if found >= place['launches'] else 'MISSED':7}{place['function']}:{place['line']}"
                  f"  {found} of at least {place['launches']}")
        all_of, chained = report.execute("""
            SELECT count(*), count(callchainId) FROM CUPTI_ACTIVITY_KIND_RUNTIME""").fetchone()
    print(f"{chained} of {all_of} API calls have a chain")
    print(f"ns a launch: {without['ns a launch']} without, {answer['ns a launch']} with call chains")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
