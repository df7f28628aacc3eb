"""A real program: PyTorch trains with a DataLoader whose workers are forked."""
import subprocess
from collections import Counter

import pytest
from profiling import PUSH_POP, profile, source_of

PYTHON = "/usr/bin/python3"
SCRIPT = source_of("torch_train.py")


@pytest.fixture(scope="module", name="plain")
def fixture_plain():
    done = subprocess.run([PYTHON, SCRIPT], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False)
    if "No module named 'torch'" in done.stderr:
        pytest.skip("no PyTorch here (Debian: python3-torch)")
    assert done.returncode == 3, done.stderr
    return done


def test_output_and_status_are_unchanged_and_the_workers_are_there(tmp_path, plain):
    report = profile(tmp_path, PYTHON, SCRIPT, status=3)
    assert report.done.stdout == plain.stdout
    rows = report.query("SELECT globalTid >> 24 & 0xffffff AS pid, count(*) AS calls FROM OSRT_API GROUP BY 1")
    assert len(rows) == 7  # the program, and two workers in each of three epochs
    assert all(row["calls"] > 50 for row in rows)


def test_its_steps_are_ranges_and_sampling_does_its_workers_no_harm(tmp_path, plain):
    report = profile(tmp_path, PYTHON, SCRIPT, status=3, traces="nvtx,python-gil",
                     options=("--pytorch=functions-trace", "--python-sampling=true"))
    assert report.done.stdout == plain.stdout
    seen = Counter(row["name"] for row in report.nvtx(PUSH_POP, "PyTorch"))
    steps = 3 * 8
    assert seen["Sequential.forward"] == seen["Tanh.forward"] == seen["Adam.step"] == steps
    assert seen["Linear.forward"] == 2 * steps and seen["torch.Tensor.backward"] == steps
    assert len({row["pid"] for row in report.nvtx(PUSH_POP, "Python GIL")}) == 7
    assert not [text for text in report.diagnostics() if "not annotated" in text or "not shown" in text]
