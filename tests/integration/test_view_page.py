"""The timeline in a real browser: zoom, select, search, the drawer, and what a link keeps."""
import csv
import io
import math

import pytest
from profiling import prof
from viewed_page import KERNELS_OF_A_STEP, STEPS

pytestmark = pytest.mark.usefixtures("place")


def kernel_row(view):
    return view.row("kernels")["id"]


def near(value, expected, share=0.01):
    return math.isclose(value, expected, rel_tol=share)


# --- Zoom and pan

def test_whole_report_is_shown_first(view, place):
    assert view.get("span") == view.get("whole")
    assert view.get("whole")["end"] >= place.training.end


def test_wheel_with_ctrl_zooms_at_the_pointer(view):
    box = view.canvas()
    before = view.get("span")
    x = box.width / 4
    time = before["start"] + (before["end"] - before["start"]) / 4
    view.page.mouse.move(box.x + x, box.y + 50)
    view.page.keyboard.down("Control")
    view.page.mouse.wheel(0, -300)
    view.page.keyboard.up("Control")
    view.wait("length => __view.span.end - __view.span.start < length", (before["end"] - before["start"]) * 0.9)
    view.settle()
    after = view.get("span")
    assert near(after["start"] + (after["end"] - after["start"]) / 4, time)


def test_wheel_with_shift_moves_in_time(view):
    view.show(10_000_000, 20_000_000)
    box = view.canvas()
    view.page.mouse.move(box.x + 100, box.y + 50)
    view.page.keyboard.down("Shift")
    view.page.mouse.wheel(0, box.width / 2)
    view.page.keyboard.up("Shift")
    view.wait("__view.span.start > 14e6")
    assert near(view.get("span.end") - view.get("span.start"), 10_000_000)


def test_drag_with_shift_moves_and_with_alt_zooms_into(view):
    view.show(10_000_000, 20_000_000)
    box = view.canvas()
    view.drag(box.x + box.width * 0.5, box.x + box.width * 0.25, box.y + 60, "Shift")
    assert near(view.get("span.start"), 12_500_000)
    view.drag(box.x + box.width * 0.2, box.x + box.width * 0.4, box.y + 60, "Alt")
    assert near(view.get("span.start"), 14_500_000) and near(view.get("span.end"), 16_500_000)
    assert view.get("area") is None


def test_double_click_zooms_to_an_event_and_backspace_back(view, place):
    kernel = place.events(kernel_row(view))[7]
    view.show(kernel["start"] - 3_000_000, kernel["end"] + 3_000_000)
    before = view.get("span")
    view.page.mouse.dblclick(*view.point(kernel))
    view.wait("start => __view.span.start > start", before["start"] + 2_000_000)
    view.settle()
    span = view.get("span")
    assert span["start"] <= kernel["start"] and span["end"] >= kernel["end"]
    assert span["end"] - span["start"] < 3 * (kernel["end"] - kernel["start"])
    view.press("Backspace")
    assert near(view.get("span.start"), before["start"]) and near(view.get("span.end"), before["end"])


def test_event_over_several_tiles_is_one_rectangle_with_its_name(view, place):
    kernel = place.events(kernel_row(view))[3]
    view.page.fill("#filter", "kernel")
    length = kernel["end"] - kernel["start"]
    view.show(kernel["start"] + length * 0.1, kernel["end"] - length * 0.1)
    assert len(view.page.evaluate("row => __view.contents(row)", kernel["row"])) > 1
    drawn = view.get("drawn.body")
    events_rows = [row for row in view.get("rows") if row["style"] == "events"]
    assert drawn["rects"] == drawn["labels"] == len(events_rows)


# --- Events and their links

def test_selected_event_shows_all_columns_of_its_table(view, place):
    kernel = place.events(kernel_row(view))[4]
    view.show(kernel["start"] - 1_000_000, kernel["end"] + 1_000_000)
    view.select(kernel)
    assert view.text("#event-name") == kernel["name"]
    view.page.click("#event-raw summary")
    shown = dict(view.table("#event-columns"))
    (stream, correlation, registers), = place.training.query(
        "SELECT streamId, correlationId, registersPerThread FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid = ?", kernel["id"])
    assert (shown["streamId"], shown["correlationId"], shown["registersPerThread"]) == (
        str(stream), str(correlation), str(registers))


def test_links_lead_from_a_kernel_to_its_launch_and_back(view, place):
    kernel = place.events(kernel_row(view))[4]
    view.show(kernel["start"] - 1_000_000, kernel["end"] + 1_000_000)
    view.select(kernel)
    view.press("BracketLeft")
    view.wait("__view.selected.table === 'CUPTI_ACTIVITY_KIND_RUNTIME'")
    (correlation,), = place.training.query(
        "SELECT correlationId FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid = ?", kernel["id"])
    assert place.training.query("SELECT correlationId FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE rowid = ?",
                                view.get("selected.id")) == [(correlation,)]
    view.press("BracketRight")
    view.wait("id => __view.selected.id === id && __view.selected.table.endsWith('KERNEL')", kernel["id"])


def test_linked_rows_have_a_sign_and_lines_are_drawn(view, place):
    kernel = place.events(kernel_row(view))[4]
    assert view.page.locator("#overlay").is_hidden()
    view.show(kernel["start"] - 1_000_000, kernel["end"] + 1_000_000)
    view.select(kernel)
    rows = {link["row"] for link in view.get("links")}
    launch, = [link for link in view.get("links") if link["relation"] == "launched by"]
    assert launch["row"] in rows
    assert view.page.locator(f"#row-{launch['row']} .hint").count() == 1
    assert view.page.locator("#overlay").is_visible()
    view.press("Escape")
    assert view.get("selected") is None and view.page.locator("#overlay").is_hidden()


def test_neighbours_in_the_row_by_keys(view, place):
    kernels = place.events(kernel_row(view))
    view.show(kernels[4]["start"] - 1_000_000, kernels[4]["end"] + 1_000_000)
    view.select(kernels[4])
    view.press("Period")
    view.wait("id => __view.selected.id === id", kernels[5]["id"])
    view.press("Comma")
    view.wait("id => __view.selected.id === id", kernels[4]["id"])
    view.page.keyboard.press("Shift+Period")  # of the same name: in the next step
    view.wait("id => __view.selected.id === id", kernels[4 + KERNELS_OF_A_STEP]["id"])


# --- Search

def test_search_counts_hits_and_goes_from_one_to_the_next(view, place):
    # Once, although the row of the stream shows each range, too.
    (number,), = place.training.query("SELECT count(*) FROM NVTX_EVENTS WHERE text = 'load'")
    view.page.keyboard.press("Slash")
    view.page.keyboard.type("LOAD")
    view.page.keyboard.press("Enter")
    view.wait("__view.search.total > 0 && __view.selected")
    assert view.get("search.total") == number == STEPS
    assert view.text("#hits") == f"1 of {number}"
    first = view.get("selected")
    assert first["name"] == "load"
    view.page.keyboard.press("Enter")
    view.wait("start => __view.selected.start > start", first["start"])
    assert view.text("#hits") == f"2 of {number}"
    view.page.keyboard.press("Shift+Enter")
    view.wait("start => __view.selected.start === start", first["start"])
    view.page.keyboard.press("Escape")
    assert view.get("search.total") == 0 and view.text("#hits") == ""


def test_hits_are_listed_while_typing(view, place):
    view.page.focus("#query")
    view.page.keyboard.type("step 1")
    (number,), = place.training.query("SELECT count(*) FROM NVTX_EVENTS WHERE text LIKE 'step 1%'")
    # A slow machine lists those of "step" before.
    view.wait("text => document.querySelector('#hits').textContent === text", f"{number} hits")
    view.wait("document.querySelectorAll('#hit-list [role=option]').length > 0")
    items = view.page.locator("#hit-list [role=option]")
    assert items.count() == number and all("step 1" in text for text in items.all_inner_texts())
    assert view.get("selected") is None
    items.nth(2).click()
    view.wait("__view.selected?.name === 'step 11'")
    assert view.text("#hits") == f"3 of {number}"
    assert view.page.locator("#hit-list").is_hidden()


def test_selected_event_stays_in_view_when_the_drawer_opens(view, place):
    view.page.set_viewport_size({"width": 1400, "height": 460})
    event = place.events(view.row("cuda_api")["id"])[0]
    view.show(event["start"] - 1_000_000, event["end"] + 1_000_000)
    view.page.evaluate("document.querySelector('#scroller').scrollTop = 1e9")
    view.settle()
    view.select(event)
    view.wait("!document.querySelector('#drawer').classList.contains('closed')")
    view.settle()
    view.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    drawer = view.page.locator("#drawer").bounding_box()
    assert drawer["height"] >= 0.4 * 460 - 1
    canvas = view.canvas()
    assert canvas.y <= view.point(event)[1] <= canvas.y + canvas.height
    assert canvas.y + canvas.height <= drawer["y"] + 1


def test_search_without_hits_and_a_wrong_expression(view):
    view.page.fill("#query", "no such name")
    view.page.press("#query", "Enter")
    view.wait("document.querySelector('#hits').textContent === 'no hits'")
    view.page.fill("#query", "/(/")
    view.page.press("#query", "Enter")
    view.wait("document.querySelector('#notices').textContent.length > 0")


# --- A selected span

def select_step(view, place, step):
    """Drags over one step. Returns the span that is selected."""
    (start, end), = place.training.query("SELECT start, end FROM NVTX_EVENTS WHERE text = ?", f"step {step}")
    view.show(start - (end - start), end + (end - start))
    box = view.canvas()
    row = view.page.evaluate("([row, time]) => __view.point(row, time)", [kernel_row(view), start])
    view.drag(box.x + box.width / 3 - 3, box.x + box.width * 2 / 3 + 3, row["y"])
    area = view.get("area")
    assert area["start"] < start and area["end"] > end and area["end"] - area["start"] < (end - start) * 1.1
    return area


def test_statistics_of_a_selected_span_are_those_of_prof_stats(view, place):
    area = select_step(view, place, 3)
    view.press("1")
    view.page.select_option("#statistic", "cuda_gpu_kern_sum")
    view.wait("document.querySelector('#statistic-table td')?.textContent")
    span = f"{round(area['start'])}ns/{round(area['end'])}ns"
    done = prof("stats", "-r", "cuda_gpu_kern_sum", "--format", "csv", "--filter-time", span, place.training.path)
    lines = list(csv.reader(io.StringIO(done.stdout[done.stdout.index("Time (%)"):])))
    expected = [line for line in lines[1:] if line]
    shown = view.table("#statistic-table")
    total = lines[0].index("Total Time (ns)")
    assert len(shown) == len(expected) == KERNELS_OF_A_STEP
    assert [row[total] for row in shown] == view.durations([int(line[total]) for line in expected])
    assert [row[-1] for row in shown] == [line[-1] for line in expected]


def test_events_of_a_selected_span_as_a_table_and_back_to_the_timeline(view, place):
    area = select_step(view, place, 5)
    view.press("3")
    view.wait("document.querySelectorAll('#events-table tbody tr').length > 0")
    inside = place.events(kernel_row(view), **{"from": round(area["start"]), "to": round(area["end"])})
    names = [cells[2] for cells in view.table("#events-table")]
    assert names == [event["name"] for event in inside] and len(names) == KERNELS_OF_A_STEP
    view.page.click("#events-table tbody tr:nth-child(2)")
    view.wait("id => __view.selected?.id === id", inside[1]["id"])
    hit = view.hit(inside[1])
    assert hit["ref"]["id"] == inside[1]["id"] and hit["text"] == inside[1]["name"]


def test_table_of_events_is_sorted_and_copied(view, place):
    row = view.row("cuda_api")
    view.page.click(f"#row-{row['id']} .name")
    view.press("3")
    view.wait("document.querySelectorAll('#events-table tbody tr').length > 0")
    view.page.click("#events-table th button:text('Duration')")
    view.page.click("#events-table th button:text('Duration')")
    view.wait("document.querySelector('#events-table th[aria-sort=descending]')?.textContent.startsWith('Duration')")
    longest = place.events(row["id"], sort="duration", order="desc", limit=1)[0]
    assert view.table("#events-table")[0][2] == longest["name"]
    view.page.click("text=Copy all")
    view.wait("document.querySelector('#announcements').textContent.includes('copied')")
    lines = view.page.evaluate("navigator.clipboard.readText()").rstrip("\n").split("\n")
    assert len(lines) == 1 + row["events"]
    assert lines[1].split("\t")[:3] == [str(longest["start"]), str(longest["end"] - longest["start"]), longest["name"]]


def test_flame_graph_of_python_samples_in_the_whole_report_and_a_span(view, place):
    view.press("2")
    view.page.select_option("#flame-kind", "python")
    view.wait("document.querySelectorAll('.flame-frame').length === 3")
    texts = view.page.locator(".flame-frame").all_inner_texts()
    assert texts == ["main", "read", "forward"]
    samples = len(place.training.query("SELECT 1 FROM PROF_PYTHON_SAMPLES"))
    assert view.text(".flames strong").startswith(f"Python samples: {samples}")
    view.page.fill("#flame-search", "forw")
    shares = place.training.query("SELECT count(*) FROM PROF_PYTHON_SAMPLES")[0][0]
    assert view.text("#flame-found") == f"in {round(100 * STEPS / shares)} %"
    assert view.page.locator(".flame-frame.dim").count() == 2
    view.page.click(".flame-frame:text('read')")
    view.wait("document.querySelectorAll('.flame-frame').length === 1")
    view.page.click("text=Whole graph")
    view.wait("document.querySelectorAll('.flame-frame').length === 3")


# --- Marks, the address, pictures

def test_mark_with_a_note_is_kept_in_the_link(view, place):
    box = view.canvas()
    view.page.mouse.move(box.x + box.width / 2, box.y + 40)
    view.page.keyboard.press("m")
    view.page.fill("#answer", "look: here, & there")
    view.page.press("#answer", "Enter")
    (mark,) = view.get("marks")
    assert near(mark["time"], view.get("whole.end") / 2)
    view.wait("location.hash.includes('marks=')")
    with place.view() as other:
        other.open(view.page.evaluate("location.hash"))
        assert other.get("marks") == [mark]


def test_link_shows_the_same(view, place):
    kernel = place.events(kernel_row(view))[9]
    view.show(kernel["start"] - 1_000_000, kernel["end"] + 2_000_000)
    view.select(kernel)
    view.page.keyboard.press("l")
    view.wait("document.querySelector('#notices').textContent.includes('copied')")
    link = view.page.evaluate("navigator.clipboard.readText()")
    with place.view() as other:
        other.open(link[len(place.server.url):])
        other.wait("id => __view.selected?.id === id", kernel["id"])
        assert other.get("selected.name") == kernel["name"]
        for end in ("start", "end"):
            assert abs(other.get(f"span.{end}") - view.get(f"span.{end}")) <= 1


def test_span_is_restored_from_the_address(place):
    with place.view() as view:
        view.open("#t=5000000,9000000")
        assert view.get("page") == "timeline"
        assert view.get("span") == {"start": 5_000_000, "end": 9_000_000}


def test_back_and_forward_undo_and_redo_jumps(view, place):
    whole = view.get("span")
    kernel = place.events(kernel_row(view))[2]
    view.page.evaluate("([from, to]) => __view.run('all')", [0, 0])
    view.show(kernel["start"] - 900_000, kernel["end"] + 900_000)
    view.select(kernel)
    view.press("f", "f")
    near_by = view.get("span")
    view.press("0")
    assert view.get("span") == whole
    view.page.go_back()
    view.wait("end => Math.abs(__view.span.end - end) < 2", near_by["end"])
    view.page.go_forward()
    view.wait("end => __view.span.end === end", whole["end"])


def test_link_to_another_report_warns(place):
    with place.view() as view:
        view.open("#view=timeline&id=another")
        assert "another report" in view.text("#notices")


def test_timeline_is_saved_as_png_and_svg(view, place):
    kernel = place.events(kernel_row(view))[2]
    view.show(kernel["start"] - 100_000, kernel["end"] + 100_000)
    with view.page.expect_download() as saved:
        view.page.evaluate("__view.run('png')")
    content = saved.value.path().read_bytes()
    pixels = view.get("pixels")
    assert content.startswith(b"\x89PNG")
    assert int.from_bytes(content[16:20], "big") > pixels["width"]
    assert int.from_bytes(content[20:24], "big") > pixels["height"]
    with view.page.expect_download() as saved:
        view.page.evaluate("__view.run('svg')")
    text = saved.value.path().read_text()
    assert text.startswith("<svg") and "net::layer" in text and "Kernels" in text.title()
