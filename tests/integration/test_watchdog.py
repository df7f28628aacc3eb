"""A test that hangs says where, and its processes are ended."""
import re
import subprocess
import sys
from pathlib import Path

CONFTEST = """
from watchdog import Watchdog

def pytest_configure(config):
    config.pluginmanager.register(Watchdog(test_seconds={}, file_seconds={}))
"""

HANGS = """
import subprocess

def test_fine():
    pass

def test_hangs():
    subprocess.run(["setsid", "-f", "sleep", "1234.5"], check=True)
    subprocess.run(["sh", "-c", "sleep 2345.6; true"], check=True)

def test_after_it():
    print("it runs")
"""


def hanging(folder, *limits):
    (folder / "conftest.py").write_text(CONFTEST.format(*limits))
    (folder / "test_it.py").write_text(HANGS)
    return subprocess.run([sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", folder / "test_it.py"],
                          env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(Path(__file__).parent)}, timeout=100,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def check(done):
    assert done.returncode == 1
    assert "==== hangs: test_it.py::test_hangs" in done.stdout and "in test_hangs" in done.stdout
    for command in "sleep 1234.5", "sleep 2345.6":
        assert re.search(rf"^ +\d+ {command} \n +thread \d+ sleep: state S, wchan ", done.stdout, re.M)
    assert "1 failed, 1 passed" in done.stdout and "it runs" not in done.stdout


def test_a_test_that_hangs_says_where(tmp_path):
    check(hanging(tmp_path, 2, 90))


def test_a_file_that_takes_too_long_says_where(tmp_path):
    check(hanging(tmp_path, 90, 4))
