"""The drawer of the page in a real browser: its buttons, the selected event, flame graphs, queries in SQL, a report of one's
own, and the same in a page that is one file."""
import json
import sqlite3

import pytest
from profiling import prof
from seven_reports import service
from view_server import viewing
from viewed_page import Place, view_of

TABS = ["Statistics 1", "Flame graph 2", "Event list 3", "Selected event 4", "SQL 5"]


pytestmark = pytest.mark.usefixtures("place")


def tabs(view):
    return [" ".join(text.split()) for text in view.page.locator("#drawer-tabs button").all_inner_texts()]


def test_buttons_are_seen_before_anything_is_clicked_and_have_their_keys(view):
    assert tabs(view) == TABS
    assert all(view.page.locator("#drawer-tabs button").nth(i).is_visible() for i in range(len(TABS)))
    assert view.page.locator("#drawer-body").is_hidden()
    for number, title in enumerate(TABS, 1):
        view.press(str(number))
        shown = view.page.locator("#drawer-tabs button[aria-selected=true]").all_inner_texts()
        assert [" ".join(text.split()) for text in shown] == [title]
    view.page.click("#drawer-tab-query")
    assert view.page.locator("#drawer-body").is_hidden()
    view.page.click("#drawer-tab-statistics")
    view.wait("document.querySelector('#statistic')?.checkVisibility()")


def test_drawer_has_two_fifths_of_the_window_and_does_not_cover_the_event(view, place):
    for row in reversed([row for row in view.get("rows") if row["kind"] in ("kernels", "cuda_api", "copies")]):
        event = place.events(row["id"])[3]
        view.press("q") if view.page.locator("#drawer-body").is_visible() else None
        view.page.evaluate("top => { document.querySelector('#scroller').scrollTop = top }", row["top"] - 600)
        view.page.evaluate("event => __view.select(event)", event)
        view.wait("id => __view.selected?.id === id", event["id"])
        view.press("4")
        assert abs(view.page.locator("#drawer").bounding_box()["height"] - 0.4 * 900) < 2
        view.wait("([row, time]) => { const point = __view.point(row, time);"
                  " return point && point.y < document.querySelector('#drawer').getBoundingClientRect().top; }",
                  [event["row"], event["start"]])


def test_facts_come_first_with_units_and_raw_columns_are_folded(view, place):
    kernel = place.events(view.row("kernels")["id"])[4]
    view.show(kernel["start"] - 1_000_000, kernel["end"] + 1_000_000)
    view.select(kernel)
    view.press("4")
    facts = dict(view.table("#event-facts"))
    assert facts["Duration"] == view.durations([kernel["end"] - kernel["start"]])[0]
    assert facts["Block"].endswith("256 threads") and facts["Registers per thread"] == "32"
    assert not any(name.endswith("Id") or text == "" for name, text in facts.items())
    assert view.page.locator("#event-raw").get_attribute("open") is None


def test_a_sample_has_no_length(view, place):
    row = view.row("python_samples")
    sample = place.events(row["id"])[0]
    view.page.evaluate("event => __view.select(event)", sample)
    view.wait("id => __view.selected?.id === id", sample["id"])
    view.press("4")
    assert "Duration" not in dict(view.table("#event-facts"))
    chain = view.table("#event-chain")
    assert [cells[0] for cells in chain] == ["read", "main"] and chain[0][1].startswith("data.py:7")
    view.page.evaluate("id => __view.activate(id)", row["id"])
    view.press("3")
    view.wait("document.querySelectorAll('#events-table tbody tr').length > 0")
    assert {cells[1] for cells in view.table("#events-table")} == {""}


# --- SQL

def test_row_of_a_query_leads_to_its_event(view, place):
    view.press("5")
    view.page.fill("#query-text", "SELECT start, end, correlationId FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY start LIMIT 7")
    view.page.press("#query-text", "Control+Enter")
    view.wait("document.querySelectorAll('#query-rows tbody tr').length === 7")
    start, end, _ = place.training.query("SELECT start, end, correlationId FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY start LIMIT 7")[6]
    view.page.click("#query-rows tbody tr:nth-child(7)")
    view.wait("start => __view.selected?.start === start", start)
    selected = view.get("selected")
    assert (selected["end"], selected["table"]) == (end, "CUPTI_ACTIVITY_KIND_KERNEL")


def test_row_of_a_query_leads_to_its_time_if_it_is_no_event(view, place):
    view.press("5")
    view.page.fill("#query-text", "SELECT min(start) AS start, max(end) AS end FROM CUPTI_ACTIVITY_KIND_KERNEL")
    view.page.click("#query-run")
    view.wait("document.querySelector('#query-rows td')")
    (start, end), = place.training.query("SELECT min(start), max(end) FROM CUPTI_ACTIVITY_KIND_KERNEL")
    view.page.click("#query-rows tbody tr")
    view.wait("__view.area")
    assert (view.get("area.start"), view.get("area.end")) == (start, end)


def test_examples_work_and_errors_are_shown(view):
    view.press("5")
    view.wait("document.querySelector('#query-example')")
    titles = view.page.locator("#query-example option").all_inner_texts()[1:]
    assert "The longest kernels" in titles and "CPU samples by thread" not in titles
    for title in titles:
        view.page.select_option("#query-example", label=title)
        view.wait("document.querySelector('#query-count, #query-result .bad')")
        assert view.page.locator("#query-result .bad").count() == 0, view.text("#query-result")
        view.page.evaluate("document.querySelector('#query-result').replaceChildren()")
    view.page.fill("#query-text", "SELECT nonsense")
    view.page.click("#query-run")
    view.wait("document.querySelector('#query-result .bad')?.textContent.includes('no such column')")


# --- Flame graphs

def test_python_and_cpu_samples_are_side_by_side_without_the_start(place, tmp_path):
    with viewing(*service(tmp_path)) as server:
        server.exact_rows()
        with Place(browser=place.browser, server=server).view() as view:
            view.open("#view=timeline")
            view.press("2")
            view.wait("document.querySelectorAll('.flames > section').length === 2")
            headings = view.page.locator(".flames strong").all_inner_texts()
            assert [text.split(":")[0] for text in headings] == ["Python samples", "CPU samples"]
            # The frames that start a thread are folded: chains begin with what they call.
            outermost = "[...document.querySelectorAll('.flame-frame[aria-level=\"1\"]')].map((each) => each.innerText)"
            assert not {"Thread._bootstrap", "Thread._bootstrap_inner", "_start", "clone3"} & set(view.page.evaluate(outermost))
            view.page.click("#flame-fold")
            assert {"Thread._bootstrap", "_start", "clone3"} & set(view.page.evaluate(outermost))


INNERMOST = """
    SELECT value, count(*) FROM {samples} AS s JOIN {chains} AS c ON c.id = s.{chain} AND stackDepth = 0
    JOIN StringIds ON StringIds.id = symbol GROUP BY value
"""


def test_start_page_separates_cpu_samples_and_python_samples(place, tmp_path):
    path, = service(tmp_path)
    with viewing(path) as server:
        server.exact_rows()
        with Place(browser=place.browser, server=server).view() as view:
            view.open()
            view.wait("document.querySelector('#top-functions') && document.querySelector('#top-python-functions')")
            for selector, names in (("#top-python-functions", ("PROF_PYTHON_SAMPLES", "PROF_PYTHON_CALLCHAINS", "callchainId")),
                                    ("#top-functions", ("COMPOSITE_EVENTS", "SAMPLING_CALLCHAINS", "id"))):
                sql = INNERMOST.format(samples=names[0], chains=names[1], chain=names[2])
                counts = dict(sqlite3.connect(path).execute(sql))
                shown = [(name, int(number.replace(",", ""))) for _, number, name, _ in view.table(selector)]
                compared = [(name, number) for name, number in shown
                            if name in counts and [each for each, _ in shown].count(name) == 1 and not name.startswith("<")]
                # Functions of one name in several files are several lines, of which only some are among the first.
                assert len(compared) >= 5 and all(number <= counts[name] for name, number in compared)
                assert sum(number == counts[name] for name, number in compared) >= 5


# --- A report of one's own

def test_views_are_saved_as_markdown_with_pictures(view, place):
    kernel = place.events(view.row("kernels")["id"])[4]
    view.show(kernel["start"] - 1_000_000, kernel["end"] + 1_000_000)
    view.select(kernel)
    for note in ("The *slow* kernel", ""):
        view.page.click("#notebook-add")
        view.page.fill("#answer", note)
        view.page.press("#answer", "Enter")
    view.wait("document.querySelector('#notebook-save')?.textContent === 'Save report (2)'")
    files = {}
    view.page.on("download", lambda file: files.update({file.suggested_filename: file.path().read_bytes()}))
    view.page.click("#notebook-save")
    names = {"prof-report.md", "prof-report-1.png", "prof-report-2.png"}
    for _ in range(600):
        if files.keys() >= names:
            break
        view.page.wait_for_timeout(100)
    assert files.keys() == names and all(files[name].startswith(b"\x89PNG") for name in names if name.endswith("png"))
    text = files["prof-report.md"].decode()
    summary = place.server.json("summary", wait=1)
    assert summary["verdict"]["name"] in text and summary["findings"][0]["sentence"] in text
    assert "## The \\*slow\\* kernel\n\n![The \\*slow\\* kernel](prof-report-1.png)" in text and "## View 2" in text
    assert view.durations([kernel["end"] - kernel["start"]])[0] in text and "| Duration |" in text
    assert "#view=timeline" in text


# --- One file

def test_parts_of_one_file_have_figures(place, tmp_path):
    path = place.training.path
    (start, end), = place.training.query("SELECT start, end FROM NVTX_EVENTS WHERE text = 'step 4'")
    done = prof("view", "--html", tmp_path / "page.html", path)
    assert done.returncode == 0, done.stderr
    with view_of(place.browser, (tmp_path / "page.html").as_uri()) as view:
        view.open("#view=timeline")
        view.page.evaluate("([start, end]) => __view.setArea(start, end)", [start, end])
        view.press("1")
        view.page.select_option("#statistic", "cuda_gpu_kern_sum")
        view.wait("document.querySelector('#statistic-table th:last-child')?.innerText.startsWith('Name')")
        stats = json.loads(prof("stats", "-q", "-r", "cuda_gpu_kern_sum", "-f", "json", f"--filter-time={start}ns/{end}ns", path).stdout)
        headers = [text.split(" ")[0] for text in view.page.locator("#statistic-table th").all_inner_texts()]
        shown = {row[-1]: (row[0], row[1]) for row in view.table("#statistic-table")}
        assert headers[:2] == ["Total", "Count"]
        assert {row["Name"].split("(")[0]: str(row["Instances"]) for row in stats} == {name: number for name, (_, number) in shown.items()}
        view.page.select_option("#statistic", "queue_length")
        view.wait("document.querySelector('#drawer-body').textContent.includes("
                  "'queue_length of a part is computed from the report, which is not in this file')")
        view.press("2")
        view.wait("document.querySelector('.flames strong')")
        samples = sqlite3.connect(path).execute("SELECT count(*) FROM PROF_PYTHON_SAMPLES WHERE start BETWEEN ? AND ?", (start, end)).fetchone()[0]
        assert view.text(".flames strong").startswith(f"Python samples: {samples}")
        thread, of_thread = sqlite3.connect(path).execute(
            "SELECT globalTid, count(*) FROM PROF_PYTHON_SAMPLES GROUP BY 1 ORDER BY 2 LIMIT 1").fetchone()
        row = next(row for row in view.get("allRows") if row.get("thread") == str(thread))
        view.page.evaluate("row => __view.setArea(__view.whole.start, __view.whole.end, row)", row["id"])
        view.press("2")
        view.wait("text => document.querySelector('.flames strong')?.innerText.startsWith(text)", f"Python samples: {of_thread}")
        view.press("5")
        view.wait("document.querySelector('#drawer-body').textContent.includes('cannot be queried')")
