"""prof kernel --baseline, with the fake CUPTI: whose values do not differ from launch to launch."""
import sqlite3

import pytest
from cuda_app import CUPTI, FAKES, needs_cuda
from profiling import prof

pytestmark = needs_cuda
APP = FAKES / "fake_kernel_app"
WORDS = ("_Z4copyPKfPf*4", "_ZN4demo4gemmILi4EEEvPKfPf*3@7")


def kernel(path, *options, words=WORDS):
    return prof("kernel", "--cupti-path", CUPTI, "-o", path, "--set=quick", *options, "--", APP, *words)


@pytest.fixture(name="baseline")
def first_report(tmp_path):
    done = kernel(tmp_path / "first.db")
    assert done.returncode == 0, done.stdout + done.stderr
    return tmp_path / "first.db"


def test_a_repeat_has_no_changes(tmp_path, baseline):
    done = kernel(tmp_path / "second.db", "--baseline", baseline)
    assert done.returncode == 0, done.stderr
    assert f"Changes since {baseline}" in done.stdout
    assert "Metrics that differ by more than between launches: 0." in done.stdout


def test_a_slower_kernel_is_named(tmp_path, baseline):
    with sqlite3.connect(baseline) as database:
        database.execute("UPDATE PROF_KERNEL_METRICS SET value = value / 1.05 WHERE metricId IN (SELECT metricId "
                         "FROM PROF_METRIC_NAMES WHERE name = 'gpu__time_duration.sum') AND profileId IN "
                         "(SELECT id FROM PROF_KERNEL_PROFILES WHERE gridX = 7)")
    done = kernel(tmp_path / "second.db", "--baseline", baseline)
    assert "Metrics that differ by more than between launches: 1." in done.stdout
    line, = (line for line in done.stdout.splitlines() if "gpu__time_duration.sum" in line)
    assert "1.050" in line and "gemm" in line


def test_what_is_no_baseline_is_refused_before_the_program_starts(tmp_path, baseline):
    for wrong in (tmp_path / "missing.db", tmp_path / "empty.db"):
        if wrong.name == "empty.db":
            assert prof("profile", "-t", "osrt", "-o", wrong, "true").returncode == 0
        done = kernel(tmp_path / "second.db", "--baseline", wrong)
        assert done.returncode == 1 and wrong.name in done.stderr and "memory" not in done.stdout, done.stderr
        assert not (tmp_path / "second.db").exists()
    assert "--baseline needs a program" in prof("kernel", "--import", baseline, "--csv", "--baseline", baseline).stderr
    assert kernel(tmp_path / "second.db", "--baseline", baseline, words=[]).returncode == 1
