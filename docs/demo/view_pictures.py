#!/usr/bin/env python3
"""Makes the pictures of docs/view.md from reports of tests/gpu/programs/slow_training.py.

Usage: view_pictures.py SLOW.db FIXED.db [FOLDER]     (with the environment of tests/integration)
"""
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "integration"))
from view_server import viewing  # noqa: E402
from viewed_page import browsing, view_of  # noqa: E402

FOLDER = Path(__file__).resolve().parents[1] / "images"
SIZE = {"width": 1280, "height": 640}
MS = 1_000_000


class Pictures:
    def __init__(self, view, server, folder):
        self.view, self.server, self.folder = view, server, folder
        view.open()
        view.run("open-all")
        self.key_of = {row["id"]: row["key"] for row in view.get("rows")}
        view.page.goto("about:blank")
        view.open()
        self.ranges = {}
        for row in self.rows("nvtx"):
            for event in server.json("events", row=row["id"], limit=1000)["events"]:
                self.ranges.setdefault(event["name"], []).append(event)

    def rows(self, kind):
        return [row for row in self.view.get("allRows") if row["kind"] == kind]

    def keys(self, wanted):
        """The keys of the rows, which addresses have."""
        return [self.key_of[row["id"]] for row in wanted]

    def take(self, name):
        self.view.settle()
        time.sleep(0.3)  # fonts and shadows
        self.view.page.screenshot(path=str(self.folder / name))

    def show(self, span, pins=(), hide=(), more=""):
        fragment = f"#view=timeline&t={span[0]},{span[1]}&pins={'.'.join(self.keys(pins))}&hide={'.'.join(self.keys(hide))}"
        self.view.page.goto(self.server.url + fragment + more)
        self.view.wait("__view.page === 'timeline'")
        self.view.settle()

    def main_thread(self):
        parent = {row["id"]: row["parent"] for row in self.view.get("allRows")}
        return parent[self.rows("nvtx")[0]["id"]]

    def other_threads(self):
        return [row for row in self.rows("thread") if row["id"] != self.main_thread()]

    def noise(self):
        """Rows that these pictures do not need."""
        return self.other_threads() + [row for kind in ("overhead", "library", "state", "other", "waits", "nvtx_gpu", "fills")
                                       for row in self.rows(kind)]

    def work(self):
        """The GPU's rows with copies to the GPU, and those with most kernels."""
        kernels = max(self.rows("kernels"), key=lambda row: row["events"])
        copies = max(self.rows("copies"), key=lambda row: row["duration"])
        return [kernels, copies]


def slow(pictures):
    view = pictures.view
    view.wait("document.querySelector('#start')?.textContent.includes('Show it on the timeline')")
    pictures.take("view-start.png")
    steps = pictures.ranges
    pictures.show((steps["step 4"][0]["start"], steps["step 7"][0]["end"]), pictures.work(), pictures.noise())
    pictures.take("view-gap.png")
    load, copy = next((load, copy) for load, copy in zip(steps["load batch"], steps["copy to GPU"])
                      if load["start"] >= steps["step 6"][0]["start"])
    key = pictures.key_of[pictures.main_thread()]
    pictures.show((load["start"] - 2 * MS, load["end"] + 12 * MS), pictures.work(), pictures.noise(),
                  f"&area={load['start']},{load['end']},{key}")
    view.run("flame")
    view.page.locator("#drawer-body select").first.select_option(label="Python samples")
    view.wait("document.querySelector('#drawer-body')?.textContent.includes('__getitem__')")
    pictures.take("view-flame.png")
    pictures.show((copy["start"] - MS, copy["end"] + 6 * MS), pictures.work(), pictures.noise())
    copies = max(pictures.rows("copies"), key=lambda row: row["duration"])
    event = max(pictures.server.json("events", row=copies["id"], limit=1000, **{"from": copy["start"], "to": copy["end"]})["events"],
                key=lambda each: each["end"] - each["start"])
    view.page.mouse.click(*pinned_point(view, event))
    view.wait("id => __view.selected?.id === id", event["id"])
    view.page.evaluate("document.querySelector('#drawer-body').scrollTop = 150")
    pictures.take("view-copy.png")


def pinned_point(view, event):
    view.show(event["start"] - 2 * MS, event["end"] + 6 * MS)
    return view.point(event)


def fixed(pictures):
    steps = pictures.ranges
    pictures.show((steps["step 17"][0]["start"], steps["step 19"][0]["end"]), pictures.work(), pictures.noise())
    pictures.take("view-fixed.png")


def main():
    folder = Path(sys.argv[3]) if len(sys.argv) > 3 else FOLDER
    folder.mkdir(exist_ok=True)
    for report, take in ((sys.argv[1], slow), (sys.argv[2], fixed)):
        with browsing() as browser, viewing(report) as server, view_of(browser, server.url, viewport=SIZE) as view:
            take(Pictures(view, server, folder))


if __name__ == "__main__":
    main()
