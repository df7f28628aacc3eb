"""The page of `prof view` in a real browser. A test waits for states, never for times."""
import contextlib
import os
import shutil
import sqlite3
import time
from types import SimpleNamespace

import pytest
from made_up_program import MS, US, Program
from made_up_report import PROCESS
from view_server import viewing

CHROMIUM = os.environ.get("PROF_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
OPTIONS = ["--headless=new", "--no-sandbox", "--disable-gpu",
           "--disable-dev-shm-usage"]  # /dev/shm of a container may be small
WAIT = 60  # s; for what always happens
STEPS = 12
KERNELS_OF_A_STEP = 5


@contextlib.contextmanager
def browsing():
    playwright = pytest.importorskip("playwright.sync_api", reason="no playwright (tests/requirements.txt)")
    if not CHROMIUM:
        pytest.skip("no chromium")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield browser
        browser.close()


class View:
    """One page, and what it says about itself in window.__view."""

    def __init__(self, page, url):
        self.page = page
        self.url = url
        self.errors = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda message: self.errors.append(message.text) if "Content Security" in message.text else None)

    def open(self, fragment=""):
        self.page.goto(self.url + fragment)
        self.wait("Boolean(window.__view && __view.isReady && __view.isExact)")
        self.settle()
        return self

    def wait(self, expression, argument=None):
        """Until an expression of JavaScript is true. Returns its value."""
        end = time.monotonic() + WAIT
        while not (value := self.page.evaluate(expression, argument)):
            assert time.monotonic() < end, (expression, self.errors)
            time.sleep(0.02)
        return value

    def settle(self):
        self.wait("__view.isIdle")

    def get(self, name):
        return self.page.evaluate(f"__view.{name}")

    def run(self, command):
        self.page.evaluate("id => __view.run(id)", command)
        self.settle()

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)
        self.settle()

    def show(self, start, end):
        self.page.evaluate("([start, end]) => __view.setSpan(start, end)", [start, end])
        self.settle()

    def row(self, kind, name=""):
        """The first visible row of a kind."""
        return next(row for row in self.get("rows") if row["kind"] == kind and name in row["name"])

    def point(self, event):
        """Where an event is drawn."""
        middle = (event["start"] + event["end"]) / 2
        point = self.page.evaluate("([row, time, lane]) => __view.point(row, time, lane)",
                                   [event["row"], middle, event["lane"]])
        return point["x"], point["y"]

    def hit(self, event):
        return self.page.evaluate("([x, y]) => __view.hit(x, y)", list(self.point(event)))

    def select(self, event):
        """Clicks an event that is on the screen."""
        self.page.mouse.click(*self.point(event))
        self.wait("id => __view.selected?.id === id", event["id"])
        self.settle()

    def text(self, selector):
        return self.page.text_content(selector)

    def table(self, selector):
        """The cells of a table's body, row by row."""
        return self.page.evaluate("""selector => [...document.querySelectorAll(`${selector} tbody tr`)]
            .map((row) => [...row.cells].map((cell) => cell.innerText.trim()))""", selector)

    def durations(self, times):
        """How the page shows times in ns."""
        return self.page.evaluate("async (times) => times.map((await import('./page/text.js')).duration)", times)

    def canvas(self):
        return SimpleNamespace(**self.page.locator("#body").bounding_box())

    def drag(self, x0, x1, y, key=None):
        """Drags over the timeline, with a key held down."""
        if key:
            self.page.keyboard.down(key)
        self.page.mouse.move(x0, y)
        self.page.mouse.down()
        self.page.mouse.move((x0 + x1) / 2, y)
        self.page.mouse.move(x1, y)
        self.page.mouse.up()
        if key:
            self.page.keyboard.up(key)
        self.settle()


@contextlib.contextmanager
def view_of(browser, url, **options):
    """A new window with a page. No animations, unless asked for."""
    context = browser.new_context(**{"viewport": {"width": 1400, "height": 900}, "reduced_motion": "reduce",
                                     "permissions": ["clipboard-read", "clipboard-write"], **options})
    view = View(context.new_page(), url)
    yield view
    context.close()
    assert not view.errors


class Training:
    """A made-up training: each step copies from pageable memory, and launches kernels."""

    def __init__(self, path):
        self.path = path
        program = Program(path)
        for step in range(STEPS):
            with program.range(f"step {step}"):
                with program.range("load"):
                    program.python_samples([("read", "data.py", 7), ("main", "train.py", 3)], 2 * MS)
                    program.pageable_copy(1 << 20, 300 * US)
                with program.range("compute"):
                    for kernel in range(KERNELS_OF_A_STEP):
                        program.kernel(f"void net::layer<{kernel}>(float const*, int)", 200 * US)
                    program.synchronize()
                    program.python_samples([("forward", "net.py", 12), ("main", "train.py", 3)], 1 * MS)
        self.end = program.now
        program.done()

    def query(self, sql, *parameters):
        with contextlib.closing(sqlite3.connect(self.path)) as database:
            return database.execute(sql, parameters).fetchall()


class Place(SimpleNamespace):
    """A served report and its browser."""

    def events(self, row, **parameters):
        query = {"row": row, "from": 0, "to": 1 << 50, "limit": 1000, **parameters}
        return self.server.json("events", **query)["events"]

    def view(self, **options):
        return view_of(self.browser, self.server.url, **options)


@contextlib.contextmanager
def training_in_browser(folder):
    training = Training(folder / "training.db")
    with browsing() as browser, viewing(training.path) as server:
        server.exact_rows()
        yield Place(training=training, browser=browser, server=server)


def hostile_report(path):
    """Names that would do harm as markup, on a terminal, by the direction of writing, or by their length."""
    program = Program(path)
    names = ["<script>document.title = 'hacked'</script>", "</script><img src=x onerror=\"document.title='hacked'\">",
             "bell\x07 escape\x1b[31m zero", "turned \u202e back", "line\nbreak\ttab", "x" * 1_000_000, "\u200b", ""]
    for name in names:
        with program.range(name):
            program.kernel(name or "empty", 50 * US)
        program.synchronize()
    program.insert("META_DATA_CAPTURE", "<b>name</b>", "<img src=x onerror=\"document.title='hacked'\">")
    program.done()
    return names


def many_threads_report(path, threads):
    program = Program(path)
    for number in range(threads):
        program.thread = PROCESS + 1000 + number
        program.now = 1 * MS + number * 10 * US
        program.os_call("read", 500 * US)
        program.os_call("futex", 300 * US)
    program.done()
