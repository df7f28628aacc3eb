"""The pages of seven reports, at four widths, light and dark: nothing overlaps, is cut without a sign, leaves its box, or
is hard to read. With PROF_SCREENSHOTS=FOLDER the pictures are kept."""
import os
from pathlib import Path

import pytest
from profiling import SOURCE
from seven_reports import REPORTS
from view_server import viewing
from viewed_page import browsing, view_of

WIDTHS = (900, 1280, 1600, 2560)
SCHEMES = ("light", "dark")
MEASURES = (SOURCE / "tests" / "integration" / "page_measures.js").read_text()
TABS = ("statistics", "flame", "events", "event", "query")


@pytest.fixture(scope="module")
def browser():
    with browsing() as made:
        yield made


def picture(view, name):
    if folder := os.environ.get("PROF_SCREENSHOTS"):
        view.page.screenshot(path=Path(folder) / f"{name}.png")


def measured(view, name, problems):
    for width in WIDTHS:
        view.page.set_viewport_size({"width": width, "height": 900})
        for scheme in SCHEMES:
            view.page.emulate_media(color_scheme=scheme)
            view.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            view.settle()
            found = view.page.evaluate("__measure()")
            problems += [f"{name} at {width} px, {scheme}: {each}" for each in found]
            picture(view, f"{name}-{width}-{scheme}")


def select_an_event(view, server):
    """The first event of the first row that has events."""
    row = next(row for row in view.get("allRows") if row["style"] in ("events", "states") and row["events"])
    event = server.json("events", row=row["id"], limit=1)["events"][0]
    view.page.evaluate("event => __view.select(event)", event)
    view.wait("__view.selected")


@pytest.mark.parametrize("report", REPORTS)
def test_nothing_overlaps_is_cut_or_hard_to_read(browser, tmp_path, report):
    problems = []
    with viewing(*REPORTS[report](tmp_path)) as server:
        server.exact_rows()
        with view_of(browser, server.url) as view:
            view.page.add_init_script(MEASURES)
            view.open()
            view.wait("document.querySelector('#verdict') && document.querySelector('.facts, #top-kernels, #verdict-sentence')")
            if report == "ranks":
                view.wait("document.querySelector('#diff li')")
            measured(view, f"{report}-start", problems)
            view.press("t")
            view.wait("__view.page === 'timeline'")
            measured(view, f"{report}-timeline", problems)
            select_an_event(view, server)
            for tab in TABS:
                view.page.evaluate("id => __view.run(id)", tab)
                view.wait("!/^(Computing|Loading)/.test(document.querySelector('#drawer-body').textContent)")
                view.settle()
                measured(view, f"{report}-{tab}", problems)
    assert not problems, "\n".join(problems[:60])
