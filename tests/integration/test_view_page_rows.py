"""Rows of the timeline in a real browser: the tree, pins, order, filter; everything by keyboard; the start page."""
import pytest
from view_server import viewing
from viewed_page import STEPS, Training, view_of

pytestmark = pytest.mark.usefixtures("place")


def kinds(view):
    return [row["kind"] for row in view.get("rows")]


def focus_row(view, row):
    view.page.click(f"#row-{row['id']} .name")
    view.wait("id => __view.active?.id === id", row["id"])


# --- The tree

def test_names_of_rows_are_a_tree(view):
    items = view.page.locator("#tree [role=treeitem]")
    rows = view.get("rows")
    assert items.count() == len(rows)
    for row in rows:
        item = view.page.locator(f"#row-{row['id']}")
        assert int(item.get_attribute("aria-level")) == row["depth"] + 1
        assert row["name"] in item.inner_text()


def test_row_is_closed_and_opened(view):
    thread = view.row("thread")
    before = kinds(view)
    view.page.click(f"#row-{thread['id']} .twist")
    view.wait("number => __view.rows.length < number", len(before))
    assert "cuda_api" not in kinds(view)
    assert view.page.get_attribute(f"#row-{thread['id']}", "aria-expanded") == "false"
    view.page.click(f"#row-{thread['id']} .twist")
    view.wait("number => __view.rows.length === number", len(before))
    assert kinds(view) == before


def test_row_is_pinned_with_a_key_and_kept_in_the_address(view, place):
    row = view.row("kernels")
    focus_row(view, row)
    view.press("p")
    assert [pin["id"] for pin in view.get("pins")] == [row["id"]]
    assert view.page.locator("#pins").is_visible()
    view.wait("location.hash.includes('pins=')")
    with place.view() as other:
        other.open(view.page.evaluate("location.hash"))
        assert [pin["kind"] for pin in other.get("pins")] == ["kernels"]
    view.press("p")
    assert view.get("pins") == [] and view.page.locator("#pins").is_hidden()


def test_events_of_a_pinned_row_are_selected_there(view, place):
    row = view.row("kernels")
    focus_row(view, row)
    view.press("p")
    kernel = place.events(row["id"])[3]
    view.show(kernel["start"] - 1_000_000, kernel["end"] + 1_000_000)
    _, y = view.point(kernel)
    box = view.page.locator("#pins-canvas").bounding_box()
    assert box["y"] < y < box["y"] + box["height"]
    view.select(kernel)


def test_row_is_hidden_and_shown_again(view):
    row = view.row("cuda_api")
    focus_row(view, row)
    view.press("h")
    assert "cuda_api" not in kinds(view)
    view.press("Shift+H")
    assert "cuda_api" in kinds(view)


def test_row_is_moved_among_its_siblings(view):
    thread = view.row("thread")
    of_thread = [row for row in view.get("rows") if row["parent"] == thread["id"]]
    focus_row(view, of_thread[0])
    view.press("Shift+ArrowDown")
    moved = [row["id"] for row in view.get("rows") if row["parent"] == thread["id"]]
    assert moved == [of_thread[1]["id"], of_thread[0]["id"], *[row["id"] for row in of_thread[2:]]]


def test_rows_are_filtered_by_name(view):
    number = len(kinds(view))
    view.page.keyboard.press("Shift+F")
    view.page.keyboard.type("KERN")
    view.wait("number => __view.rows.length < number", number)
    rows = view.get("rows")
    parents = {row["parent"] for row in rows}
    assert all("kern" in row["name"].lower() or row["id"] in parents for row in rows)
    view.page.keyboard.press("Escape")
    view.wait("number => __view.rows.length === number", number)


def test_menu_of_a_row_by_mouse_and_by_keys(view):
    row = view.row("cuda_api")
    view.page.click(f"#row-{row['id']}", button="right")
    view.page.click("#menu [data-command=pin]")
    assert [pin["id"] for pin in view.get("pins")] == [row["id"]]
    view.page.focus("#tree")
    view.press("Shift+F10", "ArrowDown", "Enter")  # the second entry: hide
    assert "cuda_api" not in kinds(view)
    view.press("Shift+F10", "Escape")
    assert view.page.locator("#menu").is_hidden()


# --- By keyboard only

def test_everything_is_reached_without_a_mouse(view, place):
    page = view.page
    page.focus("#tab-timeline")
    for _ in range(30):
        if page.evaluate("document.activeElement.id") == "tree":
            break
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "tree"
    target = view.row("kernels")["id"]
    for _ in range(len(kinds(view)) + 1):
        if view.get("active.id") == target if view.get("active") else False:
            break
        view.press("ArrowDown")
    assert view.get("active.id") == target
    assert page.get_attribute("#tree", "aria-activedescendant") == f"row-{target}"
    first, second = place.events(target)[:2]
    view.press("Period")
    view.wait("id => __view.selected?.id === id", first["id"])
    view.press("Period")
    view.wait("id => __view.selected?.id === id", second["id"])
    assert first["name"].split("(")[0] not in page.text_content("#announcements")
    assert second["name"] in page.text_content("#announcements")
    view.press("f", "f")
    span = view.get("span")
    assert span["end"] - span["start"] < 2 * (second["end"] - second["start"])
    view.press("r")
    assert view.get("area") == {"start": second["start"], "end": second["end"], "row": None}
    view.press("3")
    view.wait("document.querySelectorAll('#events-table tbody tr').length > 0")
    page.focus("#events-table tbody tr")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    view.wait("id => __view.selected?.id !== id", second["id"])
    view.page.focus("#tree")
    view.press("q")
    assert page.locator("#drawer-body").is_hidden()


def test_keys_zoom_and_move(view):
    view.show(10_000_000, 20_000_000)
    view.press("w")
    assert view.get("span.end") - view.get("span.start") < 10_000_000
    view.press("s")
    assert abs(view.get("span.end") - view.get("span.start") - 10_000_000) < 1000
    before = view.get("span.start")
    view.press("d")
    assert view.get("span.start") > before
    view.press("a")
    assert abs(view.get("span.start") - before) < 1000
    view.press("0")
    assert view.get("span") == view.get("whole")


def test_go_to_a_time(view):
    view.show(10_000_000, 11_000_000)
    view.page.keyboard.press("g")
    view.page.fill("#answer", "15 ms")
    view.page.press("#answer", "Enter")
    view.wait("Math.abs((__view.span.start + __view.span.end) / 2 - 15e6) < 1000")


def test_every_command_is_in_the_list_and_runs_from_it(view):
    view.page.keyboard.press("?")
    commands = view.get("commands")
    assert view.page.locator("#command-list button").count() == len(commands)
    keys = [key for command in commands for key in command["keys"]]
    assert len(keys) == len(set(keys))
    view.page.keyboard.type("whole report")
    view.show(1_000_000, 2_000_000)
    view.page.keyboard.press("Enter")
    view.settle()
    assert view.page.locator("#dialog").is_hidden()
    assert view.get("span") == view.get("whole")


# --- The start page

def test_start_page_is_first_and_leads_to_the_timeline(place):
    with place.view() as view:
        view.open()
        assert view.get("page") == "start"
        view.wait("document.querySelector('#verdict')")
        assert view.text("#verdict")
        link = view.page.locator("#findings [data-where]").first
        start, end = map(int, link.get_attribute("data-where").split(","))
        link.click()
        view.settle()
        assert view.get("page") == "timeline"
        assert view.get("span.start") <= start and view.get("span.end") >= end
        assert view.get("area.start") == start and view.get("area.end") == end
        view.page.go_back()
        view.wait("__view.page === 'start'")


def test_start_page_has_the_top_kernels_with_their_sums(place):
    with place.view() as view:
        view.open()
        view.wait("document.querySelector('#top-kernels')")
        lines = view.table("#top-kernels")
        expected = place.training.query(
            "SELECT value, count(*), sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON demangledName = id"
            " GROUP BY value ORDER BY 3 DESC")
        counts = {line[-1].strip(): int(line[2]) for line in lines}
        for name, number, _ in expected:
            matching = [count for shown, count in counts.items() if shown and shown in name]
            assert matching == [number], (name, counts)


def test_iterations_are_a_chart_that_leads_to_the_timeline(place):
    with place.view() as view:
        view.open()
        view.wait("document.querySelector('.iteration')")
        bars = view.page.locator(".iteration")
        assert bars.count() == STEPS
        bars.nth(4).click()
        view.settle()
        (start, end), = place.training.query("SELECT start, end FROM NVTX_EVENTS WHERE text = 'step 4'")
        assert view.get("area.start") <= end and view.get("area.end") >= start
        assert view.get("span.start") <= view.get("area.start")


def test_tabs_by_keyboard(place):
    with place.view() as view:
        view.open()
        view.page.focus("#tab-start")
        view.page.keyboard.press("ArrowRight")
        view.wait("__view.page === 'timeline'")
        assert view.page.evaluate("document.activeElement.id") == "tab-timeline"
        view.page.keyboard.press("ArrowLeft")
        view.wait("__view.page === 'start'")


# --- What is under the pointer

def test_pointer_shows_name_and_length_of_an_event(view, place):
    kernel = place.events(view.row("kernels")["id"])[6]
    view.show(kernel["start"] - 500_000, kernel["end"] + 500_000)
    view.page.mouse.move(*view.point(kernel))
    tooltip = view.wait("document.querySelector('#tooltip').hidden ? '' : document.querySelector('#tooltip').innerText")
    assert kernel["name"] in tooltip
    assert "200.0 µs" in tooltip


def test_pointer_shows_the_value_of_a_curve_and_the_busy_share_of_a_group(view, place):
    kernel = place.events(view.row("kernels")["id"])[0]
    middle = (kernel["start"] + kernel["end"]) / 2
    view.show(kernel["start"] - 500_000, kernel["end"] + 500_000)
    for kind, text in (("queue", "Queue length"), ("stream", "100 % busy")):
        x, y = view.point({"row": view.row(kind)["id"], "start": middle, "end": middle, "lane": 0})
        view.page.mouse.move(x, y)
        view.wait("text => document.querySelector('#tooltip').innerText.includes(text)", text)


# --- Two reports

def test_two_reports_side_by_side_with_what_changed(place, tmp_path):
    after = Training(tmp_path / "after.db")
    with viewing("--align=start", place.training.path, after.path) as server:
        reports = server.exact_rows()["reports"]
        with view_of(place.browser, server.url) as view:
            view.open()
            view.wait("document.querySelector('#diff li')")
            view.wait("document.querySelector('#top-kernels') && document.querySelector('#top-kernels-1')")
            assert view.page.locator(".report header > p:first-child").all_inner_texts() == [report["name"] for report in reports]
            view.page.click("#tab-timeline")
            view.settle()
            kernels = [row for row in view.get("allRows") if row["kind"] == "kernels"]
            assert [row["report"] for row in kernels] == [0, 1]
            first, second = (server.json("events", row=row["id"], limit=1)["events"][0] for row in kernels)
            assert first["start"] == second["start"] and first["name"] == second["name"]
