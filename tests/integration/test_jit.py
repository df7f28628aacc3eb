"""Code that is generated while a program runs: its names, by address and time, and its frames."""
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from named import with_names
from profiling import prof, profile, program, source_of

STATUS = json.loads(prof("status", "--json").stdout)
BY_PERF = STATUS["sampling"]["detail"].startswith("by the kernel")
METHODS = [pytest.param("perf", marks=pytest.mark.skipif(not BY_PERF, reason=STATUS["sampling"]["detail"])), "timer"]
PYTHONS = sorted(Path.home().glob(".pyenv/versions/*/bin/python3"))


def sampled(tmp_path, method, *command):
    return profile(tmp_path, *command, traces="none", cwd=tmp_path,
                   options=("-s", "process-tree", f"--sampling-method={method}"))


def functions(report):
    """function -> percentage of the time with it anywhere in the call chain, as in cpu_sample_sum."""
    return {row["Function"]: row["Total (%)"] for row in report.statistics("cpu_sample_sum")}


@pytest.mark.alone
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("way", ["at_once", "late"])
def test_names_go_by_time(tmp_path, way, method):
    """Three functions that replace each other at one address, and one that is moved."""
    report = sampled(tmp_path, method, program("acts_as_jit"), way)
    found = functions(report)
    for function, percent in report.expected().items():
        assert found[function] == pytest.approx(percent, abs=3 if method == "perf" else 6), function
    # The callers are found if call frame information arrives in time: the code uses the frame pointer for
    # something else.
    if way == "at_once":
        assert found["call_jit_code"] > 95


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("unshare") is None, reason="has to make a mount namespace")
@pytest.mark.parametrize("method", METHODS)
def test_a_dump_that_only_the_target_sees(tmp_path, method):
    """As in a container with another file system."""
    folder = tmp_path / "private"
    folder.mkdir()
    script = f"mount -t tmpfs none {folder} && cd {folder} && exec {program('acts_as_jit')} at_once"
    if subprocess.run(["unshare", "-m", "true"], check=False).returncode != 0:
        pytest.skip("unshare is refused")
    report = sampled(tmp_path, method, "unshare", "-m", "sh", "-c", script)
    assert not list(folder.iterdir())
    assert functions(report)["jit_half"] > 30


def trampolines():
    """(interpreter, option) for each interpreter that can generate a trampoline for every Python function."""
    probe = "import sys; sys.activate_stack_trampoline('perf'); print(sys.version_info[1])"
    for python in PYTHONS:
        done = subprocess.run([python, "-c", probe], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        if done.returncode != 0:
            continue
        minor = int(done.stdout)
        yield pytest.param(python, "perf", id=f"3.{minor}-perf")
        if minor >= 13:
            yield pytest.param(python, "perf_jit", id=f"3.{minor}-perf_jit")


@pytest.mark.alone
@pytest.mark.skipif(not BY_PERF, reason=STATUS["sampling"]["detail"])
@pytest.mark.parametrize("python,option", list(trampolines()) or [pytest.param("", "", marks=pytest.mark.skip(
    reason="no CPython with stack trampolines"))])
def test_python_functions_between_native_frames(tmp_path, python, option):
    """CPython's trampolines, also in interpreters without frame pointers."""
    script = source_of("python_trampolines.py")
    report = sampled(tmp_path, "perf", python, "-X", option, script)
    expected = report.expected()
    for path in (f"/tmp/jit-{expected['pid']}.dump", f"/tmp/perf-{expected['pid']}.map"):
        Path(path).unlink(missing_ok=True)
    found = functions(report)
    for function, percent in expected["shares"].items():
        assert found[f"py::{function}:{script}"] == pytest.approx(percent, abs=3), function
    assert found[f"py::main:{script}"] > 90
    chains = {}
    for row in report.query("SELECT c.id, s.value AS symbol FROM SAMPLING_CALLCHAINS c "
                            "JOIN StringIds s ON s.id = c.symbol ORDER BY c.id, c.stackDepth"):
        chains.setdefault(row["id"], []).append(row["symbol"])
    whole = [chain for chain in chains.values() if chain[-1] == "_start" or "ld-linux" in chain[-1]]
    assert len(whole) >= 0.99 * len(chains)
    # The frames of native code are inside the Python function that called it, which main called.
    in_checksums = [chain for chain in whole if f"py::in_checksums:{script}" in chain]
    assert all(chain.index(f"py::in_checksums:{script}") < chain.index(f"py::main:{script}")
               for chain in in_checksums)
    assert sum("crc32" in " ".join(chain[:3]) for chain in in_checksums) > 0.9 * len(in_checksums)


@pytest.mark.alone
@pytest.mark.skipif(shutil.which("node") is None, reason="no Node.js here")
@pytest.mark.skipif(not BY_PERF, reason=STATUS["sampling"]["detail"])
@pytest.mark.parametrize("option", ["--perf-basic-prof", "--no-warnings"])
def test_findings_about_javascript(tmp_path, option):
    """Most of the time is in Node's own code, which JavaScript functions call."""
    path = profile(tmp_path, "node", option, source_of("node_work.js"), defaults=True, cwd=tmp_path).path
    document = with_names(prof("analyze", "-f", "json", path).stdout)
    hot = [each["evidence"] for each in document["findings"] if each["rule"] == "hot_function"]
    hints = [each for each in document["not_recorded"] if "node --perf-basic-prof" in each]
    if option == "--perf-basic-prof":
        assert not hints and re.match(r"(takeApart|sumUp) \(\S*node_work\.js:\d+\)", hot[0])
        assert "Builtins_" not in hot[0]
    else:
        assert hints and "node_work.js" not in "".join(hot)
