"""Programs in Go: call chains, signals, threads, and system calls without the C library."""
import json
import os
import re
import shutil
import subprocess
from collections import Counter

import pytest
from named import with_names
from profiling import BUILD, PROF, prof, profile, source_of

pytestmark = pytest.mark.skipif(shutil.which("go") is None, reason="no go here")

STATUS = json.loads(subprocess.run([str(PROF), "status", "--json"], stdout=subprocess.PIPE, check=True).stdout)
by_the_kernel_samples = pytest.mark.skipif(
    not STATUS["sampling"]["detail"].startswith("by the kernel"), reason="the kernel gives no samples")
by_the_kernel = pytest.mark.skipif(
    not STATUS["sampling"]["detail"].startswith("by the kernel") or not STATUS["syscall"]["available"],
    reason="the kernel gives no samples or no system calls")
SECONDS = 0.5


def built(name, *flags, cgo=False):
    """Path of a program of tests/programs, built once."""
    folder = BUILD / "go"
    folder.mkdir(exist_ok=True)
    path = folder / (name + "".join(flags))
    environment = {**os.environ, "CGO_ENABLED": "1" if cgo else "0", "GO111MODULE": "off",
                   "GOCACHE": str(folder / "cache")}
    command = ["go", "build", "-p", "2", *flags, "-o", str(path), str(source_of(f"{name}.go"))]
    if subprocess.run(command, env=environment, check=False).returncode != 0:
        pytest.skip("go does not build here")
    return str(path)


def chains(report, pid):
    """(function, ...) of each sample of a process, innermost first."""
    result = {}
    for row in report.query("""
            SELECT c.id, s.value AS symbol FROM SAMPLING_CALLCHAINS c JOIN COMPOSITE_EVENTS e ON e.id = c.id
            JOIN StringIds s ON s.id = c.symbol WHERE e.globalTid >> 24 & 0xffffff = ?
            ORDER BY c.id, c.stackDepth""", pid):
        result.setdefault(row["id"], []).append(row["symbol"])
    return [tuple(chain) for chain in result.values()]


def test_without_a_c_library(tmp_path):
    report = profile(tmp_path, built("go_static"), 0, options=["--osrt-threshold", "0"])
    expected = report.expected()
    assert "statically linked" in report.done.stderr
    assert report.pids() == {expected["inherits"]}
    assert report.calls(expected["inherits"])["write"] == 25


@pytest.mark.alone
@by_the_kernel
def test_what_the_kernel_sees_of_it(tmp_path):
    report = profile(tmp_path, built("go_static"), SECONDS, traces="osrt,syscall", options=["-s", "process-tree"])
    expected = report.expected()
    assert {expected["pid"], expected["inherits"], expected["owns"]} <= report.pids()
    writes = Counter(row["pid"] for row in report.query("""
        SELECT globalTid >> 24 & 0xffffff AS pid FROM SYSCALL JOIN StringIds ON id = nameId WHERE value = 'write'"""))
    assert writes[expected["pid"]] >= 30 + 1 and writes[expected["owns"]] == 25
    found = chains(report, expected["pid"])
    work = [chain for chain in found if "main.innermost" in chain]
    assert len(work) > 0.5 * len(found)
    whole = ("main.innermost", "main.middle", "main.work", "main.main.func1", "runtime.goexit.abi0")
    assert sum(chain[-5:] == whole for chain in work) >= 0.98 * len(work)


def check_cgo(report):
    expected = report.expected()
    pid = expected["pid"]
    calls = report.calls(pid)
    assert expected["signals"] == 20
    assert calls["usleep"] == 12 and calls["write"] == 240
    sleepers = Counter(row[0] for row in report.query("""
        SELECT globalTid FROM OSRT_API JOIN StringIds ON id = nameId WHERE value = 'usleep'"""))
    assert sorted(sleepers.values()) == [3, 3, 3, 3]
    assert report.calls(expected["child"])["write"] == 25
    return pid


def test_with_a_c_library(tmp_path):
    check_cgo(profile(tmp_path, built("go_cgo", cgo=True), SECONDS, options=["--osrt-threshold", "0"]))


def test_timers_on_the_stacks_of_goroutines(tmp_path):
    """Go handles nearly all signals, and moves its stacks while prof's signal interrupts it."""
    report = profile(tmp_path, built("go_cgo", cgo=True), SECONDS,
                     options=["--osrt-threshold", "0", "-s", "process-tree", "--sampling-method=timer"])
    found = chains(report, check_cgo(report))
    assert not [text for text in report.diagnostics() if "uses signal" in text]
    spinning = [chain for chain in found if "main.spin" in chain]
    assert spinning and all(chain[-1] == "runtime.goexit.abi0" for chain in spinning)


def test_a_signal_that_go_takes_is_reported(tmp_path):
    """A program that is not recognized as a Go program keeps the handlers that it has installed."""
    report = profile(tmp_path, built("go_cgo", "-ldflags=-buildid=", cgo=True), 0.1,
                     options=["--osrt-threshold", "0", "-s", "process-tree", "--sampling-method=timer"])
    check_cgo(report)
    assert any("uses signal 55" in text for text in report.diagnostics())


def analysis(tmp_path, problem):
    report = profile(tmp_path, built("go_work"), problem, defaults=True)
    document = with_names(prof("analyze", "-f", "json", report.path).stdout)
    return document, {each["rule"]: each["evidence"] for each in document["findings"]}


@pytest.mark.alone
@by_the_kernel_samples
def test_findings_name_functions_and_lines(tmp_path):
    _, findings = analysis(tmp_path, "computes")
    assert re.match(r"main\.checksum \(.*go_work\.go:1[4-7]\), called by main\.checksumOfItself \(.*go_work\.go:28\)",
                    findings["hot_function"])


@pytest.mark.alone
@by_the_kernel_samples
def test_system_calls_without_the_c_library(tmp_path):
    _, findings = analysis(tmp_path, "reads")
    assert "calls of read " in findings["small_transfers"]
    assert re.search(r" < main\.readByteByByte \(.*go_work\.go:39\)", findings["small_transfers"])


@by_the_kernel_samples
def test_waits_without_the_c_library(tmp_path):
    document, _ = analysis(tmp_path, "sleeps")
    assert document["not_recorded"] == ["what go_work waits for, because its calls do not go through the C library "
                                        "(prof profile -t syscall)"]
