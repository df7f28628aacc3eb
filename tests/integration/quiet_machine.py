"""Tests marked as `alone` compare samples with CPU time. The kernel samples at its ticks, and a program that shares its CPU
with others may be off the CPU at each tick. Then such a test is tried again, and says nothing if that does not help."""
import os
import resource
import time

import pytest
from _pytest.runner import runtestprotocol

TRIES = 3
BUSY = 0.2  # of all CPUs, used by programs that are not of this test


def used_by_all():
    """CPU time of all programs, s."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system = map(int, file.readline().split()[1:4])
    return (user + nice + system) / os.sysconf("SC_CLK_TCK")


def used_here():
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


class QuietMachine:
    """A plugin of pytest."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item, nextitem):
        if item.get_closest_marker("alone") is None:
            return None
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for left in reversed(range(TRIES)):
            begin, all_before, here_before = time.monotonic(), used_by_all(), used_here()
            reports = runtestprotocol(item, nextitem=nextitem, log=False)
            others = (used_by_all() - all_before) - (used_here() - here_before)
            is_busy = others > BUSY * os.cpu_count() * (time.monotonic() - begin)
            failed = [report for report in reports if report.failed]
            if not failed or not is_busy or left == 0:
                break
            item._initrequest()  # pylint: disable=protected-access; as pytest's own plugins do to run a test again
        for report in failed if is_busy else ():
            report.outcome = "skipped"
            report.longrepr = (str(item.path), item.location[1], "Skipped: other programs have the CPUs")
        for report in reports:
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True
