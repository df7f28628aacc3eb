"""Prints the failed tests of a JUnit file of ctest, each with the end of its output: at the end of a
long log, where a reader looks first.

print_failures.py FILE
"""
import sys
from xml.etree import ElementTree

LAST_LINES = 80


def main(path):
    for case in ElementTree.parse(path).iter("testcase"):
        if case.get("status") != "fail":
            continue
        print(f"\n==== failed: {case.get('name')}")
        print("\n".join((case.findtext("system-out") or "").splitlines()[-LAST_LINES:]))


if __name__ == "__main__":
    main(sys.argv[1])
