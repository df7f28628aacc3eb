"""Code whose file is not at its path (any more): memfds, files that are removed or replaced while they run, other mount
namespaces, paths that are not UTF-8. And code that is not where it was: plug-ins that come and go, a parent's JIT code."""
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from profiling import Report, prof, profile, program

STATUS = json.loads(prof("status", "--json").stdout)
BY_PERF = STATUS["sampling"]["detail"].startswith("by the kernel")
METHODS = [pytest.param("perf", marks=pytest.mark.skipif(not BY_PERF, reason=STATUS["sampling"]["detail"])), "timer"]
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0 or shutil.which("unshare") is None, reason="has to make a mount namespace")
NAMES = {"alpha_work", "beta_work"}

pytestmark = pytest.mark.alone


def sampled(tmp_path, method, *command, traces="none", options=(), **more):
    return profile(tmp_path, *command, traces=traces,
                   options=("-s", "process-tree", f"--sampling-method={method}", *options), **more)


def shares(report, *options):
    """function -> share of the samples' own time, %"""
    rows = json.loads(prof("stats", "-q", "-r", "cpu_sample_sum", "-f", "json", *options, report.path).stdout)
    found = {}
    for row in rows:
        found[row["Function"]] = found.get(row["Function"], 0) + row["Self (%)"]
    return found


def has_names(report):
    found = shares(report)
    return NAMES <= found.keys() and found["alpha_work"] + found["beta_work"] > 80 and \
        found.get("[Broken backtraces]", 0) < 5


MEMFD = """import os, sys
fd = os.memfd_create("packed", os.MFD_CLOEXEC)
os.sendfile(fd, os.open(sys.argv[1], os.O_RDONLY), 0, os.stat(sys.argv[1]).st_size)
os.execve(fd, ["packed", sys.argv[2]], os.environ)
"""


@pytest.mark.parametrize("method", METHODS)
def test_a_program_in_a_memfd(tmp_path, method):
    report = sampled(tmp_path, method, sys.executable, "-c", MEMFD, program("two_functions"), "0.8")
    assert has_names(report), shares(report)
    modules = {row[0] for row in report.query("SELECT DISTINCT m.value FROM SAMPLING_CALLCHAINS c JOIN StringIds m ON "
                                              "m.id = c.module JOIN StringIds s ON s.id = c.symbol WHERE s.value = 'alpha_work'")}
    assert modules == {"/memfd:packed"}


MEMFD_LIBRARY = """import ctypes, os, sys
fd = os.memfd_create("plugin")
os.sendfile(fd, os.open(sys.argv[1], os.O_RDONLY), 0, os.stat(sys.argv[1]).st_size)
library = ctypes.CDLL(f"/proc/self/fd/{fd}")
os.close(fd)
library.run()
"""


@pytest.mark.parametrize("method", METHODS)
def test_a_library_in_a_memfd(tmp_path, method):
    library = Path(program("reloads_plugins")).parent / "opened/plugin_1.so"
    report = sampled(tmp_path, method, sys.executable, "-c", MEMFD_LIBRARY, library)
    assert shares(report).get("plugin_1_work", 0) > 50, shares(report)


def replaced(path, by, when):
    """Replaces the file when a program has it mapped."""
    def replace():
        if when(path):
            new = path.with_name("new")
            shutil.copy2(by, new)  # with the older time of the other file
            new.rename(path)
    thread = threading.Thread(target=replace)
    thread.start()
    return thread


def runs(path):
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        for each in Path("/proc").glob("[0-9]*/exe"):
            try:
                if os.readlink(each) == str(path):
                    time.sleep(0.2)
                    return True
            except OSError:
                continue
        time.sleep(0.02)
    return False


@pytest.mark.parametrize("method", METHODS)
def test_a_program_that_is_replaced_while_it_runs(tmp_path, method):
    """Neither file has a build-id. The new one's functions have other names, and its time is older than the run."""
    victim = tmp_path / "victim"
    shutil.copy(program("two_functions"), victim)
    thread = replaced(victim, program("renamed_functions"), runs)
    report = sampled(tmp_path, method, victim, "1.5")
    thread.join()
    assert subprocess.run(["nm", victim], stdout=subprocess.PIPE, text=True, check=True).stdout.count("WRONG") == 2
    for options in ((), ("--lines",)):
        assert "WRONG" not in "".join(shares(report, *options))
    assert shares(report).get("[victim]", 0) + sum(shares(report).get(name, 0) for name in NAMES) > 80


@pytest.mark.parametrize("method", METHODS)
def test_a_program_that_removes_itself(tmp_path, method):
    victim = tmp_path / "victim"
    shutil.copy(program("two_functions"), victim)
    script = f"(until [ $(readlink /proc/$$/exe) = {victim} ]; do sleep 0.02; done; rm {victim}) & exec {victim} 0.8"
    report = sampled(tmp_path, method, "bash", "-c", script)
    assert not victim.exists()
    found = shares(report)
    assert found.get("[victim]", 0) + sum(found.get(name, 0) for name in NAMES) > 80, found


@pytest.mark.parametrize("method", METHODS)
def test_the_source_lines_of_a_file_that_is_replaced_later(tmp_path, method):
    victim = tmp_path / "victim"
    shutil.copy(program("two_functions"), victim)
    report = sampled(tmp_path, method, victim, "0.5")
    places = prof("stats", "-q", "-r", "cpu_sample_sum", "-f", "csv", "--lines", report.path).stdout
    assert "two_functions.c:" in places
    shutil.copy2(program("renamed_functions"), tmp_path / "new")
    (tmp_path / "new").rename(victim)
    places = prof("stats", "-q", "-r", "cpu_sample_sum", "-f", "csv", "--lines", report.path).stdout
    assert "alpha_work" in places and "WRONG" not in places and "two_functions.c:" not in places


@AS_ROOT
@pytest.mark.parametrize("method", METHODS)
def test_a_program_in_another_mount_namespace(tmp_path, method):
    """At its path prof sees another file."""
    folder = tmp_path / "private"
    folder.mkdir()
    shutil.copy(program("renamed_functions"), folder / "victim")
    if subprocess.run(["unshare", "-m", "true"], check=False).returncode != 0:
        pytest.skip("unshare is refused")
    script = f"mount -t tmpfs none {folder} && cp {program('two_functions')} {folder}/victim && exec {folder}/victim 0.8"
    report = sampled(tmp_path, method, "unshare", "-m", "sh", "-c", script)
    assert has_names(report), shares(report)
    assert "WRONG" not in "".join(shares(report, "--lines"))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", [b"\xe9t\xe9", b"\\x41", b"a\\x5c\xff (deleted)"])
def test_a_path_that_is_not_utf_8(tmp_path, method, name):
    path = os.path.join(os.fsencode(tmp_path), name)
    shutil.copy(program("two_functions"), path)
    path = os.fsdecode(path)
    report = profile(tmp_path, path, "0.5", traces="none", options=("-s", "process-tree", f"--sampling-method={method}"))
    assert has_names(report), shares(report)
    rows = prof("stats", "-q", "-r", "cpu_sample_sum", "-f", "csv", report.path).stdout
    shown = "\\xe9t\\xe9" if name.startswith(b"\xe9") else "\\x41" if name == b"\\x41" else "a\\x5cx5c\\xff (deleted)"
    assert any("alpha_work" in row and shown in row for row in rows.splitlines()), rows
    lines = prof("stats", "-q", "-r", "cpu_sample_sum", "-f", "csv", "--lines", report.path).stdout
    assert "two_functions.c:" in lines


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("steps", ["234", "23F4", "12F3F4", "2F3F2", "F2F34", "123F1234"])
def test_plugins_that_come_and_go(tmp_path, steps, method):
    """All are loaded at the same address, in a process and its fork children."""
    # Not by profile(): a timer's signal may come while a call is recorded, and then its sample is dropped.
    done = prof("profile", "-t", "osrt", "-s", "process-tree", f"--sampling-method={method}", "--osrt-threshold=0",
                "--osrt-backtrace-threshold=0", "-o", tmp_path / "report.db", program("reloads_plugins"), steps)
    assert done.returncode == 0, done.stderr
    report = Report(tmp_path / "report.db", done)
    numbers = steps.replace("F", "")
    found = shares(report)
    for number in set(numbers):
        expected = 100 * numbers.count(number) / len(numbers)
        assert found.get(f"plugin_{number}_work", 0) == pytest.approx(expected, rel=0.3), (number, found)
    calls = {}
    for row in report.query("SELECT s.value AS symbol, count(*) AS calls FROM OSRT_API o JOIN StringIds n ON n.id = o.nameId "
                            "JOIN OSRT_CALLCHAINS c ON c.id = o.callchainId AND c.stackDepth = 0 "
                            "JOIN StringIds s ON s.id = c.symbol WHERE n.value = 'usleep' GROUP BY s.value"):
        calls[row["symbol"]] = row["calls"]
    expected = {f"plugin_{number}_work": 20 * numbers.count(number) for number in set(numbers)}
    if method == "perf":
        assert calls == expected
    else:  # by the maps of the process, which may be read late
        calls.pop("[Broken backtraces]", None)
        assert calls.keys() == expected.keys()
        assert all(0.75 * expected[each] <= calls[each] <= expected[each] for each in expected), calls


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("forks", [1, 2])
def test_jit_code_of_a_parent(tmp_path, method, forks):
    """The list of a child's own code comes first; what it inherited is in the list of the process that compiled it."""
    report = sampled(tmp_path, method, program("runs_parents_jit_code"), forks)
    for pid in report.done.stdout.split():
        Path(f"/tmp/perf-{pid}.map").unlink(missing_ok=True)
    found = shares(report)
    assert found["jit_of_parent"] > 20 and found["jit_of_child"] > 20, found
