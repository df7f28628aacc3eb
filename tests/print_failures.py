"""Prints the failed tests of a JUnit file of ctest, each with the end of its output: at the end of a
long log, where a reader looks first.

print_failures.py FILE
"""
import sys
from xml.etree import ElementTree

LAST_LINES = 80
HANG = "==== hangs"  # tests/integration/watchdog.py; what follows is printed whole


def main(path):
    for case in ElementTree.parse(path).iter("testcase"):
        if case.get("status") != "fail":
            continue
        print(f"\n==== failed: {case.get('name')}")
        lines = (case.findtext("system-out") or "").splitlines()
        hang = next((i for i, line in enumerate(lines) if line.startswith(HANG)), len(lines))
        print("\n".join(lines[min(hang, max(len(lines) - LAST_LINES, 0)):]))


if __name__ == "__main__":
    main(sys.argv[1])
