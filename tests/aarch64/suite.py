#!/usr/bin/env python3
"""Runs the tests of the aarch64 build under qemu-user: suite.py [NAME...]. Prints what ran, and what did not and why.

The names are of unit test programs (unit_injection) and of files of integration tests (test_nvtx.py); without one, all of
left_out.tsv's `runs` lines. Fails if a test fails that left_out.tsv does not name.
"""
import os
import re
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
SOURCE = FOLDER.parents[1]
BUILD = SOURCE / "build" / "aarch64"
TESTS = SOURCE / "tests" / "integration"
TIMEOUT = 1800  # s; for a file or a program


def table():
    """[(kind, name, why)] of left_out.tsv"""
    lines = (FOLDER / "left_out.tsv").read_text(encoding="utf-8").splitlines()
    return [tuple((line + "\t").split("\t")[:3]) for line in lines if line and not line.startswith("#")]


def in_root(*words):
    environment = dict(os.environ, PROF_BUILD=str(BUILD), PROF_SOURCE=str(SOURCE), PYTHONDONTWRITEBYTECODE="1",
                       PYTHONPATH=f"{TESTS}:{BUILD / 'python'}")
    environment.setdefault("PROF_NSYS_TRUTH", str(SOURCE.parent / "shared" / "nsys-truth"))
    return subprocess.run([FOLDER / "in_root", *map(str, words)], env=environment, cwd=SOURCE, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT, errors="replace", check=False)


def run_unit(name, left_out):
    """(whether all passed, what to print)"""
    program = BUILD / "bin" / "unit" / name
    if not program.exists():
        return False, "was not built"
    without = ":".join(pattern for kind, pattern, _ in left_out if kind == "unit")
    done = in_root(program, f"--gtest_filter=-{without}", "--gtest_brief=1")
    passed = re.search(r"\[  PASSED  \] (\d+) tests?", done.stdout)
    failed = re.findall(r"^\[  FAILED  \] ([\w./]+)(?:,.*)?(?: \(\d+ ms\))?$", done.stdout, re.M)
    text = f"{passed.group(1) if passed else 0} passed" + (f", failed: {', '.join(sorted(set(failed)))}" if failed else "")
    return done.returncode == 0, text if passed or failed else done.stdout[-2000:]


def run_pytest(name, left_out):
    deselected = [word for kind, test, _ in left_out if kind == "integration" and test.startswith(name + "::")
                  for word in ("--deselect", test)]
    done = in_root("/usr/bin/python3", "-B", "-m", "pytest", "-q", "-rsf", "-p", "no:cacheprovider", "--tb=short",
                   f"--rootdir={TESTS}", *deselected, TESTS / name)
    last = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else "no output"
    if done.returncode == 0:
        return True, last.strip("= ")
    return False, done.stdout[-6000:]


def main():
    left_out = table()
    runs = sys.argv[1:] or [name for kind, name, _ in left_out if kind == "runs"]
    bad = []
    for name in runs:
        passed, text = (run_pytest if name.startswith("test_") else run_unit)(name, left_out)
        print(f"{'passed' if passed else 'FAILED'}  {name}: {text}", flush=True)
        if not passed:
            bad.append(name)
    if not sys.argv[1:]:
        print("\nNot run under qemu-user, and why:")
        for kind, name, why in left_out:
            if kind != "runs":
                print(f"  {name}: {why}")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
