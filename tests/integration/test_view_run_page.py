"""The page of a job in a real browser: ranks are chosen by keyboard and mouse, and lead to their timelines."""
import pytest
from made_run import make_run
from test_view_run import whole_run
from view_server import viewing
from viewed_page import View, browsing

RANKS = 6


class RunView(View):
    def open(self, fragment=""):
        self.page.goto(self.url + fragment)
        self.wait("Boolean(window.__run?.run?.complete && __run.heat.images.length && __run.path)")
        self.settle()
        return self

    def settle(self):
        self.wait("!__run.isDirty && !__run.viewport.animation && __run.source.counters.pending === 0")

    def get(self, name):
        return self.page.evaluate(f"__run.{name}")


@pytest.fixture(scope="module", name="server")
def fixture_server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page") / "run"
    make_run(folder, RANKS, 1000, "--straggler", "4:data:3", "--gpus-per-node", "3")
    with viewing(folder) as server:
        server.run = whole_run(server)
        yield server


@pytest.fixture(name="view")
def fixture_view(server):
    with browsing() as browser:
        context = browser.new_context(viewport={"width": 1400, "height": 900}, reduced_motion="reduce")
        view = RunView(context.new_page(), server.url)
        yield view.open()
        context.close()
        assert not view.errors


def test_the_page_shows_the_job_and_its_verdict(view, server):
    assert view.text("#report-name").endswith(f"{RANKS} ranks on 2 nodes")
    assert "a late rank" in view.text("#verdict") and "rank 4" in view.text("#verdict")
    assert [row[1] for row in view.table("#longest-waits")].count("rank 4") >= RANKS - 1
    assert not view.page.is_visible("#missing h2")
    # Each rank has a row of the picture with several colors.
    colors = view.page.evaluate("""rank => { const image = __run.heat.images[0].canvas;
        const pixels = new Uint32Array(image.getContext('2d').getImageData(0, rank, image.width, 1).data.buffer);
        return new Set(pixels).size; }""", RANKS - 1)
    assert colors > 3


def test_orders_and_colors(view, server):
    view.page.select_option("#sort", "wait")
    view.settle()
    waited = [server.run["ranks"][i]["waited"] for i in view.page.evaluate("[...__run.heat.order]")]
    assert waited == sorted(waited, reverse=True)
    view.page.select_option("#sort", "similar")
    similar = server.json("similar")["order"]
    view.wait("order => [...__run.heat.order].join() === order", ",".join(map(str, similar)))
    assert similar[0] == 4 and "sort=similar" in view.wait("location.hash.includes('sort=similar') && location.hash")
    view.page.select_option("#sort", "wait")
    view.page.select_option("#state", "data")
    view.settle()
    view.wait("location.hash.includes('state=data')")
    assert view.get("state") == "data" and "sort=wait" in view.page.url


def test_a_step_selects_its_time_in_all_views(view, server):
    view.press(".", ".")
    steps = server.json("steps")["steps"]
    assert view.get("area") == {"start": steps[1][0], "end": steps[1][1]}
    assert view.get("rank") == steps[1][7]
    view.press("z")
    assert view.get("viewport.start") == pytest.approx(steps[1][0], abs=2)
    view.press("Backspace", "Escape")
    assert view.get("area") is None and view.get("viewport.end") == server.run["span"]["end"]


def test_keys_choose_a_rank_and_enter_opens_its_timeline(view, server):
    view.page.focus("#heat")
    view.press("ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight")
    rank, time = view.get("rank"), view.get("time")
    assert rank == 2 and "Rank 2" in view.text("#chosen")
    view.page.keyboard.press("Enter")
    view.page.wait_for_url("**/report/2/**")
    view.wait("Boolean(window.__view && __view.isReady && __view.isExact)")
    place = server.json("place", rank=rank, time=round(time))
    span = view.page.evaluate("__view.span")
    assert span["start"] <= place["time"] <= span["end"]
    assert "comes%2520last" in view.page.url or "comes%20last" in view.page.url
    assert view.page.is_visible("#to-job")
    view.page.click("#to-job")
    view.wait("Boolean(window.__run?.run?.complete)")


def test_a_click_chooses_a_rank_and_a_finding_leads_to_its_place(view, server):
    box = view.page.locator("#heat").bounding_box()
    view.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] * 3.5 / RANKS)
    view.settle()
    assert view.get("rank") == 3
    view.page.click("#verdict .finding button")
    view.settle()
    assert view.get("rank") == 4
    (finding,) = server.json("verdict")["findings"]
    assert view.get("area") == {"start": finding["where"]["from"], "end": finding["where"]["to"]}
    first, count = view.get("heat.first"), view.get("heat.last")
    assert (first, count) == (0, RANKS)


def test_the_error_of_a_clock_is_said_and_drawn(view, server):
    errors = [rank["clock_error"] for rank in server.run["ranks"]]
    assert errors[0] == 0 and errors[5] > 0
    view.page.evaluate("([rank, time]) => __run.choose(rank, time)", [5, server.run["span"]["end"] / 2])
    (error,) = view.durations([errors[5]])
    assert f"The error of its clock is at most {error}." in view.text("#chosen")
    middle = server.run["span"]["end"] / 2
    view.page.evaluate("([start, end]) => __run.viewport.set({ start, end })",
                       [middle - 20 * errors[5], middle + 20 * errors[5]])
    view.settle()
    # The band is beside the chosen time, and only in ranks of the other node.
    beside = """([rank, chosen]) => { __run.rank = chosen; __run.heat.draw();
        const { canvas, order, first, last } = __run.heat;
        const y = (order.indexOf(rank) + 0.5 - first) / (last - first) * canvas.height;
        const colorAt = (share) => [...canvas.getContext('2d').getImageData(canvas.width * share, y, 1, 1).data].join();
        return [0.45, 0.49, 0.51, 0.55].map(colorAt); }"""
    changed = {}
    for rank in (0, 5):
        plain, drawn = (view.page.evaluate(beside, [rank, chosen]) for chosen in (None, 5))
        changed[rank] = [a != b for a, b in zip(plain, drawn)]
    assert changed == {0: [False] * 4, 5: [False, True, True, False]}
    view.page.evaluate("rank => __run.choose(rank, 0)", 0)
    assert "error of its clock" not in view.text("#chosen")


def test_the_figures_of_a_rank_are_those_of_the_answer(view, server):
    view.press("ArrowDown")
    shown = server.run["ranks"][0]
    text = view.text("#chosen")
    (waited, compute) = view.durations([shown["waited"], shown["times"][0]])
    assert f"It waits {waited}" in text and compute in text
