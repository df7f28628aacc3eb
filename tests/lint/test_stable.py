"""What docs/stability.md promises, as stable.tsv has it, is still there. Other tests that hold its promises: see there."""
import ast
import functools

import pytest
from stable import LIST, current, keys, promised, signature

# Whether these are there depends on the machine: GPUs, network interfaces, a kernel that allows more.
OF_THE_MACHINE = ("JSON\tmonitor.", "JSON\tstatus.", "CSV\tmonitor")


@functools.cache
def today():
    return current()


@pytest.mark.built
def test_nothing_that_was_promised_is_missing():
    missing = sorted(promised() - today())
    assert not missing, "these are stable (docs/stability.md):\n" + "\n".join(missing)


@pytest.mark.built
def test_what_is_new_is_promised():
    new = sorted(line for line in today() - promised() if not line.startswith(OF_THE_MACHINE))
    assert not new, "run tests/lint/stable.py --write:\n" + "\n".join(new)


@pytest.mark.built
@pytest.mark.parametrize("line", ["column\tNVTX_EVENTS.start INTEGER", "option\tstats -r --report", "default\tdiff --rows=30",
                                  "statistic column\tosrt_sum: Total Time (ns)", "JSON\tanalyze.findings[].rule",
                                  "Python\tprof_report.Report.table(1 name)", "C\tprof_report.h: prof_report_options 0 size_t size",
                                  "metric\tprof_calls_total counter function"])
def test_the_list_has_all_kinds(line):
    assert line in promised() and line in today()


def test_the_list_is_sorted():
    lines = LIST.read_text().splitlines()
    assert lines == sorted(set(lines))


def test_names_in_documents_that_are_data():
    assert set(keys({"devices": [{"counters": {"rx": {"value": 1}}}]}, "monitor")) == {
        "monitor.devices", "monitor.devices[].counters", "monitor.devices[].counters.*", "monitor.devices[].counters.*.value"}


def test_signatures_have_positions_and_defaults():
    function = ast.parse("def f(self, a, b=2, *, c=None): pass").body[0]
    assert list(signature(function)) == ["1 a", "2 b=2", "c=None"]
