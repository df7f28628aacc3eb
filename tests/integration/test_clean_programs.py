"""Twelve programs of different kinds that do nothing wrong. prof analyze must find nothing in them."""
import importlib.util
import shutil
import sys

import pytest
from finding_reports import analyze, record
from profiling import program, source_of

# The machine that runs the test has other work, too.
OF_THE_MACHINE = {"too_few_cpus"}


def python(name, *arguments):
    return sys.executable, str(source_of(name)), *arguments


def large_file(folder):
    path = folder / "large"
    path.write_bytes(bytes(range(256)) * 40_000)
    return path


def numbers(folder):
    path = folder / "numbers"
    path.write_text("\n".join(str(i * 7919 % 100_003) for i in range(100_000)))
    return path


PROGRAMS = {
    "compute": lambda folder: (program("cpu_problems"), "balanced"),
    "thread_pool": lambda folder: (program("thread_habits"), "few"),
    "numpy": lambda folder: python("numpy_columns.py"),
    "asyncio_server": lambda folder: python("asyncio_server.py"),
    "node_timers": lambda folder: ("node", str(source_of("event_timers.js"))),
    "file_copy": lambda folder: ("cp", str(large_file(folder)), str(folder / "copy")),
    "sort_pipeline": lambda folder: ("/bin/sh", "-c", f"sort -n {numbers(folder)} | uniq -c | tail -n 3"),
    "http_server": lambda folder: python("http_server.py"),
    "pool_of_processes": lambda folder: python("messages.py", "small"),
    "sqlite": lambda folder: python("sqlite_orders.py", str(folder / "orders.db")),
    "periodic_script": lambda folder: ("/bin/sh", str(source_of("periodic.sh"))),
    "subprocesses": lambda folder: python("runs_tools.py"),
}
NEEDS = {"numpy": lambda: importlib.util.find_spec("numpy"), "node_timers": lambda: shutil.which("node")}


# True of these short programs on some machines: they compute in one function, or in a file without names of functions, or
# import for longer than they work. Whether that is named depends on how fast the machine is.
ALLOWED = {"thread_pool": {"hot_function"}, "numpy": {"hot_python_function"}, "sqlite": {"hot_python_function"},
           "sort_pipeline": {"hot_function"}, "asyncio_server": {"python_imports"}, "http_server": {"python_imports"},
           "subprocesses": {"python_imports"}}


def test_there_are_twelve_kinds_of_programs():
    assert len(PROGRAMS) >= 12


@pytest.mark.alone
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_clean_program_has_no_findings(tmp_path, name):
    if not NEEDS.get(name, lambda: True)():
        pytest.skip("not installed")
    # A program that waits for a CPU most of the time has few samples, many of them at one place. So one run of
    # five has to be without findings.
    for attempt in range(5):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        found = analyze(record(folder, *PROGRAMS[name](folder)).path)
        allowed = OF_THE_MACHINE | ALLOWED.get(name, set())
        rules = [each["rule"] for each in found["findings"] if each["rule"] not in allowed]
        if not rules:
            break
    assert rules == [], found
