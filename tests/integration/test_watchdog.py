"""A test that hangs says where, and its processes are ended."""
import re
import subprocess
import sys
from pathlib import Path

CONFTEST = """
from watchdog import Watchdog

def pytest_configure(config):
    config.pluginmanager.register(Watchdog(20))
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


def test_what_hangs_says_where(tmp_path):
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_it.py").write_text(HANGS)
    done = subprocess.run([sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider",
                           f"--rootdir={tmp_path}", tmp_path / "test_it.py"],
                          env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(Path(__file__).parent)}, timeout=100,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 1
    assert "==== hangs: test_it.py::test_hangs" in done.stdout and "in test_hangs" in done.stdout
    for command in "sleep 1234.5", "sleep 2345.6":
        assert re.search(rf"^ +\d+ {command} \n +thread \d+ sleep: state S, wchan ", done.stdout, re.M)
    assert "1 failed, 1 passed" in done.stdout and "it runs" not in done.stdout
