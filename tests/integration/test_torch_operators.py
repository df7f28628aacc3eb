"""Operators of a genuine PyTorch (PROF_TORCH_PYTHON names its Python), as prof's observer shows them."""
import importlib.util
import json
import os
import subprocess
import sys
from collections import Counter

import pytest
from profiling import PUSH_POP, profile, source_of

TORCH = os.environ.get("PROF_TORCH_PYTHON") or (sys.executable if importlib.util.find_spec("torch") else "")
SCRIPT = source_of("torch_operators.py")
DOMAIN = "PyTorch operators"
SEQUENCE_BITS = 40


def is_fallback(text):
    return "--pytorch=operators" in text


@pytest.fixture(scope="module", name="report")
def fixture_report(tmp_path_factory):
    if not TORCH:
        pytest.skip("no PyTorch (PROF_TORCH_PYTHON)")
    plain = subprocess.run([TORCH, SCRIPT], stdout=subprocess.PIPE, text=True, check=True)
    report = profile(tmp_path_factory.mktemp("torch"), TORCH, SCRIPT, options=("--pytorch=operators",))
    assert report.done.stdout == plain.stdout
    assert "Warning" not in report.done.stderr  # which PyTorch has for some types of tensors
    return report


def test_operators_have_their_sizes_types_strides_and_values(report):
    assert not [text for text in report.diagnostics() if is_fallback(text)]
    seen = Counter(row["name"] for row in report.nvtx(PUSH_POP, DOMAIN))
    expected = json.loads(report.done.stdout)
    assert {name: seen[name] for name in expected} == expected


def test_nodes_of_the_backward_pass_have_the_number_and_the_thread_of_their_operator(report):
    rows = report.query("SELECT s.value AS name, uint64Value AS payload FROM NVTX_EVENTS JOIN StringIds s ON s.id = textId "
                        "WHERE payload IS NOT NULL ORDER BY start")
    payloads = {}
    for row in rows:
        payloads.setdefault(row["name"].split(",")[0], row["payload"])
    threads = set()
    for operator, node in (("aten::sin", "SinBackward0"), ("aten::cos", "CosBackward0")):
        assert payloads[operator] == payloads[node]
        threads.add(payloads[operator] >> SEQUENCE_BITS)
    assert len(threads) == 2 and 0 not in threads


# The stand-in for PyTorch has no header.
def test_an_unknown_pytorch_shows_its_own_ranges(tmp_path):
    report = profile(tmp_path, sys.executable, source_of("python_torch.py"), options=("--pytorch=operators",))
    assert report.done.stdout.splitlines()[-1] == str([["enter", True], ["exit", True]])
    assert len([text for text in report.diagnostics() if is_fallback(text) and "record_function.h" in text]) == 1
    assert not report.nvtx(PUSH_POP, DOMAIN)
