"""How the page looks and what it withstands: dark, dense screens, forced colors, hostile names, a thousand threads."""
import contextlib
import io
import os
import subprocess
import sys
from xml.etree import ElementTree

import pytest
from made_up_program import MS, Program
from profiling import PROF, SOURCE
from view_server import viewing
from viewed_page import Place, Training, browsing, hostile_report, many_threads_report, view_of

THREADS = 1000


@pytest.fixture(scope="module")
def browser():
    with browsing() as made:
        yield made


@contextlib.contextmanager
def served(browser, *reports):
    with viewing(*reports) as server:
        server.exact_rows()
        yield Place(browser=browser, server=server)


@pytest.fixture(scope="module")
def place(browser, tmp_path_factory):
    path = Training(tmp_path_factory.mktemp("looks") / "training.db").path
    with served(browser, path) as made:
        yield made


def pixel(view, x, y):
    """Color of a point of the timeline's canvas."""
    return view.page.evaluate("""([x, y]) => {
      const canvas = document.querySelector('#body');
      const copy = document.createElement('canvas');
      copy.width = copy.height = 1;
      const context = copy.getContext('2d');
      context.drawImage(canvas, -x, -y);
      return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
    }""", [x, y])


@pytest.mark.parametrize("scheme,is_dark", [("dark", True), ("light", False)])
def test_page_follows_the_scheme_of_the_system_and_its_switch(place, scheme, is_dark):
    with place.view(color_scheme=scheme) as view:
        view.open("#view=timeline")
        size = view.get("pixels")
        assert (sum(pixel(view, 5, size["height"] - 5)) < 384) == is_dark
        view.press("Shift+T")
        assert (sum(pixel(view, 5, size["height"] - 5)) < 384) != is_dark


@pytest.mark.parametrize("ratio", [1, 2, 1.25])
def test_canvas_has_the_pixels_of_the_screen(place, ratio):
    with place.view(device_scale_factor=ratio) as view:
        view.open("#view=timeline")
        box = view.canvas()
        size = view.get("pixels")
        assert size["ratio"] == ratio
        assert abs(size["width"] - box.width * ratio) <= 1 and abs(size["height"] - box.height * ratio) <= 1
        kernel = place.events(view.row("kernels")["id"])[3]
        view.show(kernel["start"] - 300_000, kernel["end"] + 300_000)
        hit = view.hit(kernel)
        assert hit["ref"]["id"] == kernel["id"]
        x, y = view.point(kernel)
        assert pixel(view, round((x - box.x) * ratio), round((y - box.y) * ratio)) != pixel(view, 1, size["height"] - 5)


def test_texts_can_be_read_on_their_colors(place):
    """WCAG: 4.5 for texts of the page in both themes, and for labels on every color of the palette."""
    for scheme in ("dark", "light"):
        with place.view(color_scheme=scheme) as view:
            view.open("#view=timeline")
            least = view.page.evaluate("""async () => {
              const { contrast, colorOf, textOn } = await import('./page/colors.js');
              const theme = __view.theme;
              const names = Array.from({ length: 500 }, (_, i) => `name ${i}`);
              return [contrast(theme.text, theme.background), contrast(theme.muted, theme.background),
                contrast(theme.muted, theme.stripe), ...names.map((name) => contrast(textOn(colorOf(name)), colorOf(name)))];
            }""")
            assert min(least) >= 4.5


def test_selection_is_seen_with_forced_colors(place):
    with place.view(forced_colors="active") as view:
        view.open("#view=timeline")
        row = view.row("kernels")
        view.page.click(f"#row-{row['id']} .name")
        view.settle()
        style = view.page.evaluate("id => getComputedStyle(document.querySelector(`#row-${id}`)).outlineStyle", row["id"])
        assert style == "solid"


def test_zooming_moves_smoothly_unless_the_system_asks_for_less(place):
    with place.view(reduced_motion="no-preference") as view:
        view.open("#view=timeline")
        frames = view.get("frames.count")
        view.press("w")
        animated = view.get("frames.count") - frames
        span = view.get("span")
    with place.view() as view:
        view.open("#view=timeline")
        view.press("w")
        assert view.get("span") == span
    assert animated > 1


# --- Hostile names

@pytest.fixture(scope="module")
def hostile(browser, tmp_path_factory):
    path = tmp_path_factory.mktemp("hostile") / "<img src=x>.db"
    names = hostile_report(path)
    with served(browser, path) as made:
        made.names = names
        yield made


def check_harmless(view):
    assert view.page.title().endswith("prof view")
    assert view.page.evaluate("document.querySelectorAll('script, img, iframe, object').length") == 1
    text = view.page.evaluate("document.body.innerText")
    assert not set(text) & set("\x07\x1b\u202e\u200b")
    assert len(text) < 100_000


def test_hostile_names_are_shown_as_text(hostile):
    with hostile.view() as view:
        view.open("#view=timeline")
        row = view.row("nvtx")
        events = hostile.events(row["id"])
        assert len(events) == len(hostile.names)
        for event in events:
            view.show(event["start"] - 1000, event["end"] + 1000)
            view.select(event)
            check_harmless(view)
        view.select(events[0] if events[0]["start"] >= view.get("span.start") else event)
        view.press("3")
        view.wait("document.querySelectorAll('#events-table tbody tr').length > 0")
        assert "<script>" in view.text("#events-table")
        check_harmless(view)


def test_hostile_names_on_the_start_page(hostile):
    with hostile.view() as view:
        view.open()
        view.wait("document.querySelector('#verdict')")
        check_harmless(view)


def test_hostile_names_in_statistics_and_pictures(hostile):
    with hostile.view() as view:
        view.open("#view=timeline")
        view.press("1")
        view.page.select_option("#statistic", "nvtx_sum")
        view.wait("document.querySelector('#statistic-table td')")
        check_harmless(view)
        with view.page.expect_download() as saved:
            view.page.evaluate("__view.run('svg')")
        tree = ElementTree.parse(io.BytesIO(saved.value.path().read_bytes()))
        assert not [each for each in tree.iter() if each.tag.endswith(("script", "image", "foreignObject"))]


# --- Many rows

def test_a_thousand_threads(browser, tmp_path):
    path = tmp_path / "threads.db"
    many_threads_report(path, THREADS)
    with served(browser, path) as place, place.view() as view:
        view.open("#view=timeline")
        rows = view.get("rows")
        assert [row["note"] for row in rows if row["kind"] == "threads"] == ["1,000 threads"]
        assert len(rows) < 10
        assert view.page.locator("#tree [role=treeitem]").count() < 100
        view.run("open-all")
        assert len(view.get("rows")) >= 2 * THREADS
        assert view.page.locator("#tree [role=treeitem]").count() < 100
        requests = view.get("requests.requests")
        view.page.evaluate("document.querySelector('#scroller').scrollTop = 1e9")
        last = view.get("rows")[-1]
        view.wait("id => document.querySelector(`#row-${id}`) !== null", last["id"])
        view.settle()
        assert view.get("requests.requests") - requests < 60
        thread = next(row for row in reversed(view.get("rows")) if row["kind"] == "thread")
        events = place.events(thread["id"])
        assert len(events) == 2
        view.show(events[0]["start"] - 500_000, events[0]["end"] + 500_000)
        assert view.hit(events[0])["text"] == "read"


def test_many_events_are_few_rectangles(browser, tmp_path):
    """What is drawn and asked for depends on the screen, not on the number of events."""
    sys.path.insert(0, str(SOURCE / "tests" / "bench"))
    from make_report import make
    path = tmp_path / "many.db"
    make(path, 20_000)
    with served(browser, path) as place, place.view() as view:
        view.open("#view=timeline")
        end = view.get("whole.end")
        rows = len(view.get("rows"))
        for share in (1, 0.1, 0.01, 0.001):
            view.show(end / 2, end / 2 + end * share)
            drawn = view.get("drawn.body")
            assert 0 < drawn["rects"] + drawn["rasters"] < 5000
            assert drawn["rasters"] <= 3 * rows
        assert view.get("cache.bytes") < 64 << 20
        requests = view.get("requests.requests")
        view.show(end / 2, end / 2 + end * 0.001)  # the same again
        assert view.get("requests.requests") == requests


# --- What goes wrong

def test_report_that_disappears_gives_a_message(browser, tmp_path):
    path = Training(tmp_path / "gone.db").path
    with served(browser, path) as place, place.view() as view:
        view.open("#view=timeline")
        kernel = place.events(view.row("kernels")["id"])[3]
        view.show(kernel["start"] - 300_000, kernel["end"] + 300_000)
        os.truncate(path, 100)
        view.page.mouse.click(*view.point(kernel))
        view.wait("document.querySelector('#notices').textContent.length > 10")
        assert place.server.process.poll() is None


def test_server_that_ended_gives_a_message(browser, tmp_path):
    path = Training(tmp_path / "training.db").path
    with served(browser, path) as place, place.view() as view:
        view.open("#view=timeline")
        place.server.end()
        view.show(1_000_000, 1_500_000)
        view.wait("document.querySelector('#notices').textContent.includes('prof view')")


def test_dense_events_are_slices_of_the_name_with_most_of_their_time(place):
    """Events of one pixel side by side: 40 of "a", then 40 of which every fourth is "b", then a gap and a single "c"."""
    with place.view() as view:
        view.open("#view=timeline")
        pixels, labels = view.page.evaluate("""async () => {
          const { Merger } = await import('./page/merged.js');
          const labels = [];
          const pen = { width: 200, ratio: 1, pixels: new Uint32Array(200), text: (x, y, text) => labels.push(text) };
          const names = { get: (number) => ({ faint: number, text: 'abc'[number - 1] }), fit: (name, room) => `${name.text} ${room}` };
          const merger = new Merger({ pen, names, theme: { text: '' } });
          for (let x = 0; x < 80; x += 1) merger.add(x, x + 1, x < 40 || x % 4 ? 1 : 2);
          if (!merger.isEndedBy(120)) throw new Error('the gap is overlooked');
          merger.finish(0, 10);
          merger.add(120, 121, 3);
          merger.finish(0, 10);
          return [[...pen.pixels], labels];
        }""")
    # One slice with one label. A single event stays as it was drawn.
    assert pixels == [1] * 80 + [0] * 120 and labels == ["a 74"]


# --- One file

def test_page_as_one_file(browser, tmp_path):
    training = Training(tmp_path / "training.db")
    page = tmp_path / "page.html"
    subprocess.run([PROF, "view", "--html", page, training.path], check=True, stdout=subprocess.PIPE)
    (number,), = training.query("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL")
    with view_of(browser, page.as_uri()) as view:
        requests = []
        view.page.on("request", lambda request: requests.append(request.url))
        view.open("#view=timeline")
        assert view.row("kernels")["events"] == number
        view.page.fill("#query", "layer<2>")
        view.page.press("#query", "Enter")
        view.wait("__view.selected")
        assert "layer<2>" in view.get("selected.name")
        assert view.get("drawn.body.labels") > 0
        view.press("Escape", "Escape")
        view.show(0, 1_000_000)  # before the first kernel
        kinds = [row["kind"] for row in view.get("rows")]
        assert "nvtx" in kinds and "kernels" not in kinds
        assert all(url.startswith(("file:", "blob:", "data:")) for url in requests)


# --- NVTX ranges

def test_open_end_and_payload_of_a_range(browser, tmp_path):
    program = Program(tmp_path / "ranges.db")
    with program.range("ended", payload={"Message size [bytes]": 4096, "nested": {"rank": 3}, "<b>x</b>": "text"}):
        program.kernel("work", 10 * MS)
        program.synchronize()
    program.open_range("never popped")
    program.kernel("work", 10 * MS)
    program.synchronize()
    program.database.execute("CREATE TABLE ANALYSIS_DETAILS AS SELECT ? AS duration", (program.now,))
    with served(browser, program.done()) as place, place.view() as view:
        view.open()
        view.wait("document.querySelector('#verdict')?.parentElement.textContent.includes("
                  "'1 NVTX range never ended: never popped.')")
        view.open("#view=timeline")
        row = view.row("nvtx")
        ranges = {event["name"]: event for event in place.events(row["id"])}
        ended, never = ranges["ended"], {**ranges["never popped"], "end": view.get("whole.end")}

        view.select(ended)
        facts = dict(view.table("#event-facts"))
        assert facts.pop("Duration").startswith("10")
        facts = {name: text for name, text in facts.items() if name not in ("Start", "Thread", "Process")}
        assert facts == {"Message size [bytes]": "4096", "nested": '{"rank":3}', "<b>x</b>": "text"}
        view.select(never)
        assert dict(view.table("#event-facts"))["Duration"].startswith("open: not ended after 10")

        def shades(event):
            """The color near the left and the right end, below the name."""
            found = []
            for share in (0.02, 0.99):
                time = event["start"] + share * (event["end"] - event["start"])
                x, y = view.point({**event, "start": time, "end": time})
                box = view.canvas()
                found.append(pixel(view, x - box.x, y - box.y + 6))
            return found
        view.press("Escape")
        first, last = shades(ended)
        assert first == last
        first, last = shades(never)
        assert max(abs(a - b) for a, b in zip(first, last)) > 30, (first, last)
