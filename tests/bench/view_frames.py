#!/usr/bin/env python3
"""How fast the page of `prof view` draws: zooms from the whole report to one event and back, and pans, in headless
Chromium without a GPU. Prints the time from frame to frame, the time of the page's own code, and the slowest request.

Usage: view_frames.py BUILD [REPORT...] [--kernels N]     (makes a report of 4 N events if none is given: 10 M)
"""
import argparse
import contextlib
import os
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from make_report import make

OPTIONS = ["--headless=new", "--no-sandbox", "--disable-gpu"]
WIDTH, HEIGHT = 1920, 1080

# Spreads the events of make_report.py over threads, GPUs and streams.
SPREAD = """
    UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET globalTid = globalTid + (rowid / 2) % 16;
    UPDATE NVTX_EVENTS SET globalTid = globalTid + (rowid / 4) % 16;
    UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = rowid % 8, streamId = 7 + (rowid / 8) % 4;
"""

# Runs in the page: one step of a journey in each frame.
JOURNEY = """async ([spans, frames]) => {
  const times = [];
  let last = 0;
  for (let leg = 0; leg + 1 < spans.length; leg += 1) {
    const [from, to] = [spans[leg], spans[leg + 1]];
    const [a, b] = [from[1] - from[0], to[1] - to[0]];
    for (let i = 1; i <= frames; i += 1) {
      const share = i / frames;
      const length = a * (b / a) ** share;
      const moved = Math.abs(a - b) < a * 1e-9 ? share : (length - a) / (b - a);
      const start = from[0] + (to[0] - from[0]) * moved;
      __view.setSpan(start, start + length);
      const now = await new Promise(requestAnimationFrame);
      if (last) times.push(now - last);
      last = now;
    }
  }
  return times;
}"""


def spread(path):
    with contextlib.closing(sqlite3.connect(path)) as report:
        report.execute("PRAGMA synchronous = OFF")
        report.executescript(SPREAD)
        report.commit()


def wait(page, expression):
    while not page.evaluate(expression):
        time.sleep(0.01)


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def measure(page, name, spans, frames):
    page.evaluate("__view.clearCounters()")
    times = page.evaluate(JOURNEY, [spans, frames])
    work = page.evaluate("__view.frames.work")
    requests = page.evaluate("__view.requests")
    wait(page, "__view.isIdle")
    print(f"{name:24} frames {len(times):5}  median {statistics.median(times):6.1f} ms  95th {percentile(times, 0.95):6.1f} ms"
          f"  longest {max(times):6.1f} ms   code: median {statistics.median(work):5.1f} ms  95th {percentile(work, 0.95):5.1f} ms"
          f"   requests {requests['requests']:4}, slowest {requests['slowest']:.1f} ms ({requests['slowestPath'].split('?')[0]})")


def journeys(page, frames):
    whole = page.evaluate("[__view.whole.start, __view.whole.end]")
    middle = (whole[0] + whole[1]) / 2
    near = [middle, middle + 20_000]
    between = [middle, middle + (whole[1] - whole[0]) / 100]
    shifted = [end + (between[1] - between[0]) * 5 for end in between]
    measure(page, "all to one event, back", [whole, near, whole], frames)
    measure(page, "the same again", [whole, near, whole], frames)
    measure(page, "pan at 1 %", [between, shifted, between], frames)
    measure(page, "pan at one event", [near, [end + 200_000 for end in near], near], frames)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("reports", type=Path, nargs="*")
    parser.add_argument("--kernels", type=int, default=2_500_000)
    parser.add_argument("--frames", type=int, default=240, help="of one leg of a journey")
    parser.add_argument("--open", action="store_true", help="open all rows first")
    arguments = parser.parse_args()
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        reports = arguments.reports or [Path(folder) / "report.db"]
        if not arguments.reports:
            make(reports[0], arguments.kernels)
            spread(reports[0])
        begin = time.monotonic()
        server = subprocess.Popen([arguments.build / "bin" / "prof", "view", "--no-browser", *reports],
                                  stdout=subprocess.PIPE, text=True)
        url = server.stdout.readline().strip()
        if not re.match("http://", url):
            sys.exit("prof view did not start")
        browser = driver.chromium.launch(executable_path=os.environ.get("PROF_CHROMIUM", "/usr/bin/chromium"), args=OPTIONS)
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.goto(url + "#view=timeline")
        wait(page, "Boolean(window.__view && __view.isReady && __view.frames.count > 0)")
        print(f"first frame {time.monotonic() - begin:.2f} s after the start, with the start of the browser")
        wait(page, "__view.isExact")
        print(f"all rows exact after {time.monotonic() - begin:.2f} s; load of the machine {os.getloadavg()[0]:.1f}")
        if arguments.open:
            page.evaluate("__view.run('open-all')")
        wait(page, "__view.isIdle")
        journeys(page, arguments.frames)
        browser.close()
        server.kill()


if __name__ == "__main__":
    main()
