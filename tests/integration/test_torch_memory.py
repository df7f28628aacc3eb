"""--pytorch=memory: what allocators of PyTorch report, in stand-ins and, if there is one, in a genuine PyTorch."""
import csv
import importlib.util
import os
import subprocess
import sys

import pytest
from profiling import BUILD, prof, profile, source_of

LIBRARIES = BUILD / "bin/fake_libraries/torch"
SCRIPT = source_of("torch_memory.py")
TORCH = os.environ.get("PROF_TORCH_PYTHON") or (sys.executable if importlib.util.find_spec("torch") else "")


def recorded(tmp_path, *words, options=("--pytorch=memory", "-t", "nvtx")):
    plain = subprocess.run([sys.executable, SCRIPT, LIBRARIES, *words], stdout=subprocess.PIPE, text=True, check=True)
    report = profile(tmp_path, sys.executable, SCRIPT, LIBRARIES, *words, options=options)
    assert report.done.stdout == plain.stdout
    return report


def statistic(report, name):
    done = prof("stats", "-q", "-r", name, "-f", "csv", report.path)
    assert done.returncode == 0, done
    return list(csv.DictReader(done.stdout.splitlines()))


def rows(report):
    return [tuple(row) for row in report.query(
        "SELECT operation, address, bytes, allocated, reserved, deviceType, deviceId FROM PROF_TORCH_MEMORY ORDER BY start")]


EXPECTED = [(0, 0x1000, 512, 512, 2048, 1, 0), (0, 0x2000, 1024, 1536, 2048, 1, 0), (0, 0x3000, 4096, 5632, 8192, 1, 0),
            (1, 0x3000, 4096, 1536, 8192, 1, 0), (2, None, 1 << 33, 1536, 8192, 1, 0), (1, 0x9000, 512, 1024, 8192, 1, 0),
            (0, 0x1000, 256, 256, 4096, 6, 3), (0, 0x5000, 64, 320, 4096, 6, 3)]


def test_what_allocators_report(tmp_path):
    report = recorded(tmp_path)
    assert rows(report) == EXPECTED
    assert len({row["globalTid"] for row in report.query("SELECT globalTid FROM PROF_TORCH_MEMORY")}) == 2
    assert any(text.startswith("PyTorch had no memory left for a request (1 in all).") for text in report.diagnostics())
    peaks = [{name: row[name] for name in ("Peak (bytes)", "Reserved at Peak (bytes)", "Unused at Peak (%)",
                                           "Peak Reserved (bytes)", "Allocations", "Frees", "At End (bytes)", "Failed",
                                           "Largest Failed (bytes)", "Unused at Failure (bytes)", "Device")}
             for row in statistic(report, "torch_memory")]
    assert [list(row.values()) for row in peaks] == [
        ["5632", "8192", "31.3", "8192", "3", "2", "1024", "1", str(1 << 33), str(8192 - 1536), "cuda:0"],
        ["320", "4096", "92.2", "4096", "2", "0", "320", "0", "0", "0", "hip:3"]]


def test_memory_belongs_to_operators(tmp_path):
    owners = [(row["Memory Kind"], row["Device"], row["Operator"], row["Shapes"], row["At Peak (bytes)"],
               row["Never Freed (bytes)"]) for row in statistic(recorded(tmp_path), "operator_memory")]
    assert owners == [("PyTorch cuda", "0", "aten::resize_", "[[4, 4]]", "4096", "0"),
                      ("PyTorch cuda", "0", "aten::empty", "[[4, 8]]", "1024", "1024"),
                      ("PyTorch cuda", "0", "", "", "512", "512"),
                      ("PyTorch hip", "3", "", "", "320", "320")]


def test_memory_from_before_the_import(tmp_path):
    report = recorded(tmp_path, "before")
    assert rows(report) == EXPECTED[1:]
    assert statistic(report, "torch_memory")[0]["Peak (bytes)"] == "5632"


def test_a_pytorch_without_these_functions(tmp_path):
    report = profile(tmp_path, sys.executable, source_of("python_torch.py"), options=("--pytorch=memory",))
    assert [text for text in report.diagnostics() if "--pytorch=memory: nothing is recorded" in text]
    assert "PROF_TORCH_MEMORY" not in report.tables()
    done = prof("stats", "-r", "torch_memory", report.path)
    assert "--pytorch=memory" in done.stdout + done.stderr


GENUINE = """
import torch
from torch.profiler import ProfilerActivity, profile
with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as seen:
    first = torch.empty(1000, dtype=torch.float64)
    second = torch.ones(300, 10)
    del second
events = [e for e in seen.profiler.kineto_results.events() if e.name() == "[memory]"]
print(sorted(e.nbytes() for e in events))
"""


def test_a_genuine_pytorch(tmp_path):
    """Its allocator for CPUs reports while the program's own profiler runs, which sees the same as without prof."""
    if not TORCH:
        pytest.skip("no PyTorch (PROF_TORCH_PYTHON)")
    plain = subprocess.run([TORCH, "-c", GENUINE], stdout=subprocess.PIPE, text=True, check=True).stdout
    report = profile(tmp_path, TORCH, "-c", GENUINE, options=("--pytorch=memory",))
    assert report.done.stdout == plain
    changes = sorted((-1 if row[0] == 1 else 1) * row[2] for row in rows(report))
    assert str(changes) == plain.strip() and {8000, 12000, -12000} <= set(changes)
