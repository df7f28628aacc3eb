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
    process = view.row("process")
    before = kinds(view)
    view.page.click(f"#row-{process['id']} .twist")
    view.wait("number => __view.rows.length < number", len(before))
    assert "cuda_api" not in kinds(view)
    assert view.page.get_attribute(f"#row-{process['id']}", "aria-expanded") == "false"
    view.page.click(f"#row-{process['id']} .twist")
    view.wait("number => __view.rows.length === number", len(before))
    assert kinds(view) == before


def test_rows_of_the_path_and_the_gpu_are_first_and_groups_are_not_shown_twice(view):
    """The GPU has one context with one stream, the process has one thread."""
    rows = view.get("rows")
    assert [row["kind"] for row in rows if row["depth"] == 0][:3] == ["path", "gpus", "process"]
    assert not {"gpu", "context", "stream", "thread"} & set(kinds(view))
    assert {"gpu", "context", "stream", "thread"} < {row["kind"] for row in view.get("allRows")}
    assert rows[1]["name"].startswith("GPU 0") and rows[1]["note"].endswith("Stream 7")
    assert [row["kind"] for row in rows if row["depth"] == 1][:2] == ["nvtx_gpu", "kernels"]


def test_rows_without_events_on_the_screen_are_hidden(view, place):
    everything = kinds(view)
    first = min(event["start"] for event in place.events(view.row("gpus")["id"]))
    view.show(0, first - 1)
    assert "kernels" not in kinds(view) and "gpus" not in kinds(view)
    assert "python_samples" in kinds(view)
    view.page.click("#empty-rows")
    assert kinds(view) == everything
    view.wait("location.hash.includes('empty=shown')")
    view.page.click("#empty-rows")
    assert "kernels" not in kinds(view)
    view.show(view.get("whole.start"), view.get("whole.end"))
    assert kinds(view) == everything


def test_active_row_stays_where_it_is_when_others_are_hidden(view, place):
    view.page.set_viewport_size({"width": 1400, "height": 330})
    row = view.row("python_samples")
    focus_row(view, row)
    view.settle()
    before = view.page.locator(f"#row-{row['id']}").bounding_box()["y"]
    number = len(kinds(view))
    view.show(1, 2)
    view.wait("number => __view.rows.length <= number", number)
    after = view.page.locator(f"#row-{row['id']}").bounding_box()["y"]
    places = view.page.evaluate("[document.querySelector('#scroller').scrollTop, __view.rows[0].top]")
    assert after == before or places[0] == 0


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


def rows_below(view, kind):
    rows = view.get("rows")
    first = next(i for i, row in enumerate(rows) if row["kind"] == kind) + 1
    end = next((i for i in range(first, len(rows)) if rows[i]["depth"] == 0), len(rows))
    return [row for row in rows[first:end] if row["depth"] == 1]


def test_row_is_moved_among_its_siblings(view):
    before = rows_below(view, "process")
    focus_row(view, before[0])
    view.press("Shift+ArrowDown")
    moved = [row["id"] for row in rows_below(view, "process")]
    assert moved == [before[1]["id"], before[0]["id"], *[row["id"] for row in before[2:]]]


def test_row_is_dragged_among_its_siblings(view):
    before = [row["id"] for row in rows_below(view, "process")]
    held, target = (view.page.locator(f"#row-{before[i]} .name").bounding_box() for i in (0, 2))
    view.page.mouse.move(held["x"] + 5, held["y"] + 5)
    view.page.mouse.down()
    for step in range(1, 9):
        view.page.mouse.move(held["x"] + 5, held["y"] + (target["y"] + 12 - held["y"]) * step / 8)
        view.settle()
    view.page.mouse.up()
    view.settle()
    assert [row["id"] for row in rows_below(view, "process")] == [before[1], before[2], before[0], *before[3:]]
    # The drag was no click on a group, which would close it.
    assert view.row("process")["isOpen"]


def test_rows_are_filtered_by_name(view):
    number = len(kinds(view))
    view.page.keyboard.press("Shift+F")
    view.page.keyboard.type("KERN")
    view.wait("number => __view.rows.length < number", number)
    assert [row["kind"] for row in view.get("rows")] == ["gpus", "kernels"]
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
    for kind, text in (("queue", "Queue length"), ("gpus", "100 % busy")):
        x, y = view.point({"row": view.row(kind)["id"], "start": middle, "end": middle, "lane": 0})
        view.page.mouse.move(x, y)
        view.wait("text => document.querySelector('#tooltip').innerText.includes(text)", text)


def test_tooltip_goes_away_with_a_zoom_by_key(view, place):
    kernel = place.events(view.row("kernels")["id"])[6]
    view.show(kernel["start"] - 500_000, kernel["end"] + 500_000)
    view.page.mouse.move(*view.point(kernel))
    view.wait("!document.querySelector('#tooltip').hidden")
    view.press("w")
    assert view.page.locator("#tooltip").is_hidden()


# --- The whole recording

def test_strip_of_the_whole_recording_moves_and_zooms(view):
    whole = view.get("whole")
    length = whole["end"] - whole["start"]
    view.show(whole["start"] + 0.4 * length, whole["start"] + 0.6 * length)
    strip, frame = (view.page.locator(name).bounding_box() for name in ("#minimap", "#minimap-frame"))
    assert abs(frame["width"] / strip["width"] - 0.2) < 0.02
    assert abs((frame["x"] - strip["x"]) / strip["width"] - 0.4) < 0.02
    y = strip["y"] + strip["height"] / 2
    view.drag(strip["x"] + 0.5 * strip["width"], strip["x"] + 0.7 * strip["width"], y)
    assert abs((view.get("span.start") - whole["start"]) / length - 0.6) < 0.02
    view.drag(strip["x"] + 0.6 * strip["width"] + 1, strip["x"] + 0.3 * strip["width"], y)
    assert abs((view.get("span.start") - whole["start"]) / length - 0.3) < 0.02
    assert abs((view.get("span.end") - whole["start"]) / length - 0.8) < 0.02
    view.page.mouse.click(strip["x"] + 0.1 * strip["width"], y)
    view.settle()
    middle = (view.get("span.start") + view.get("span.end")) / 2
    assert abs((middle - whole["start"]) / length - 0.1) < 0.02


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
