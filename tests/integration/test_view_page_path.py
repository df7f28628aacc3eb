"""The critical path in the timeline has the figures of prof stats, and leads to the events that it is made of."""
import json
import re
from collections import Counter

import pytest
from made_run import make_run
from made_up_program import Program
from profiling import prof
from test_view_run import statistic, whole_run
from view_server import viewing
from viewed_page import View, browsing

pytestmark = pytest.mark.usefixtures("place")
ON_PATH = 0x40


def printed(report, *options):
    """(ns, pieces) of each kind in the statistic critical_path."""
    done = prof("stats", "-q", "-r", "critical_path:by=kind", "-f", "json", *options, report)
    assert done.returncode == 0, done.stderr
    return {row["Name"]: (row["Time on Path (ns)"], row["Count"]) for row in json.loads(done.stdout)}


def shown(events):
    """The same of the stretches of a row, which are without gaps."""
    times, pieces = Counter(), Counter()
    for event, after in zip(events, events[1:] + [None]):
        kind = event["name"].split(":")[0]
        times[kind] += event["end"] - event["start"]
        pieces[kind] += 1
        assert after is None or event["end"] == after["start"]
    return {kind: (times[kind], pieces[kind]) for kind in times}


def path_row(server):
    return next(row for row in server.exact_rows()["rows"] if row["kind"] == "path")


def stretches(server):
    events = server.json("events", row=path_row(server)["id"], limit=1000)
    assert events["total"] == len(events["events"])
    return events["events"]


def test_path_has_the_times_of_the_statistic(place):
    row = path_row(place.server)
    assert (row["name"], row["note"], row["lanes"], row["parent"]) == ("Critical path", "", 1, None)
    assert shown(stretches(place.server)) == printed(place.training.path)
    names = {event["name"] for event in stretches(place.server)}
    assert "CUDA call: cudaMemcpy" in " ".join(names) and any(name.startswith("kernel: ") for name in names)


def test_each_stretch_belongs_to_an_event_and_the_event_is_marked(place):
    """And only such events are marked."""
    server = place.server
    path = path_row(server)
    owners = set()
    for event in stretches(server):
        details = server.json("event", row=event["row"], source=event["source"], id=event["id"])
        owner = [link for link in details["links"] if link["relation"] == "part of"]
        assert bool(owner) == (details["table"] != "") == (not event["name"].startswith("CPU: thread"))
        if owner:
            assert event["name"].endswith(": " + owner[0]["name"])
            owners.add((owner[0]["row"], owner[0]["id"]))
    rows = {row["id"]: row for row in server.exact_rows()["rows"]}
    assert {rows[row]["kind"] for row, _ in owners} >= {"cuda_api", "kernels", "copies"}
    row, number = next(each for each in owners if rows[each[0]]["kind"] == "kernels")
    links = server.json("event", row=row, source=0, id=number)["links"]
    assert [link["row"] for link in links if link["relation"] == "critical path"] == [path["id"]]
    with place.view() as view:
        view.open("#view=timeline")
        marked = set()
        for row in ("kernels", "cuda_api"):
            for event in place.events(view.row(row)["id"]):
                view.show(event["start"] - 10, event["end"] + 10)
                hit = view.hit(event)
                assert hit["ref"]["id"] == event["id"]
                if hit["flags"] & ON_PATH:
                    marked.add((event["row"], event["id"]))
                assert bool(hit["flags"] & ON_PATH) == ((event["row"], event["id"]) in owners)
        assert marked


def test_a_click_selects_the_event_and_the_pointer_says_what_it_is(place, view):
    path = path_row(place.server)
    kernel = next(event for event in stretches(place.server) if event["name"].startswith("kernel: "))
    view.show(kernel["start"] - 1000, kernel["end"] + 1000)
    x, y = view.point({**kernel, "row": path["id"]})
    view.page.mouse.move(x, y)
    (length,) = view.durations([kernel["end"] - kernel["start"]])
    assert view.text("#tooltip").startswith(f"{kernel['name']}{length} at ")
    view.page.mouse.click(x, y)
    rows = view.row("kernels")["id"]
    view.wait("row => __view.selected?.row === row", rows)
    view.settle()
    assert view.text("#event-name") == kernel["name"].removeprefix("kernel: ")
    assert kernel["name"] in view.text("#event-links")


def test_a_stretch_on_a_cpu_is_selected_itself(place, view):
    path = path_row(place.server)
    cpu = max((event for event in stretches(place.server) if event["name"].startswith("CPU")),
              key=lambda event: event["end"] - event["start"])
    view.show(cpu["start"] - 1000, cpu["end"] + 1000)
    view.select({**cpu, "row": path["id"]})
    assert view.get("selected.row") == path["id"] and view.text("#event-name") == cpu["name"]


def test_path_of_the_selected_span(place):
    span = (place.training.end // 4, place.training.end // 2)
    with viewing(place.training.path) as server:
        server.exact_rows()
        view = View(place.browser.new_page(), server.url).open("#view=timeline")
        view.page.evaluate("([start, end]) => __view.setArea(start, end)", list(span))
        view.run("path")
        view.wait("__view.allRows.find(({ kind }) => kind === 'path').note !== ''")
        assert shown(stretches(server)) == printed(place.training.path, f"--filter-time={span[0]}/{span[1]}")
        assert path_row(server)["note"] == "of a part of the time"
        view.press("Escape")
        view.run("all")
        view.run("path")
        view.wait("__view.allRows.find(({ kind }) => kind === 'path').note === ''")
        assert shown(stretches(server)) == printed(place.training.path)
        view.page.close()


def test_path_of_a_larger_report_is_found_when_it_is_asked_for(tmp_path):
    """Reports of more than a million rows wait for it. Here the numbers of rows are as large."""
    program = Program(tmp_path / "large.db")
    program.kernel("gemm", 1000)
    program.synchronize()
    program.database.execute("UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET rowid = rowid + 3000000 WHERE rowid > 1")
    program.done()
    with viewing(tmp_path / "large.db") as server:
        assert "path" not in {row["kind"] for row in server.exact_rows()["rows"]}
        answer = server.json("path")
        assert shown(stretches(server)) == printed(tmp_path / "large.db")
        assert answer["length"] == sum(event["end"] - event["start"] for event in stretches(server))


def test_path_in_one_file(place, tmp_path):
    page = tmp_path / "page.html"
    assert prof("view", "--html", page, place.training.path).returncode == 0
    view = View(place.browser.new_page(), page.as_uri()).open("#view=timeline")
    path = view.row("path")
    events = view.page.evaluate("row => __view.events(row)", path["id"])
    assert shown(events) == printed(place.training.path)
    kernel = next(event for event in events if event["name"].startswith("kernel: "))
    view.show(kernel["start"] - 1000, kernel["end"] + 1000)
    assert view.hit({**kernel, "row": view.row("kernels")["id"]})["flags"] & ON_PATH
    view.page.mouse.click(*view.point(kernel))
    view.wait("row => __view.selected?.row === row", view.row("kernels")["id"])
    assert not view.errors
    view.page.close()


def test_timeline_of_a_rank_has_its_part_of_the_path_of_the_job(tmp_path):
    ranks = 4
    make_run(tmp_path / "run", ranks, 600, "--straggler", "2:data:3")
    with viewing(tmp_path / "run") as server:
        run = whole_run(server)
        rows = statistic("critical_path", *run["reports"])
        expected = Counter()
        for row in rows:
            expected[int(row["Rank"]), row["Kind"]] += int(row["Time on Path (ns)"])
        found = Counter()
        for rank in range(ranks):
            prefix = f"report/{run['ranks'][rank]['report']}/api/"
            while (answer := server.ask(prefix + "rows").json()).get("awaits_path") or not answer["exact"]:
                assert server.process.poll() is None
            for path in (row for row in answer["rows"] if row["kind"] == "path" and row["events"]):
                assert path["note"] == "of the job"
                words = f"events?row={path['id']}&limit=1000&opening={answer['opening']}"
                for event in server.ask(prefix + words).json()["events"]:
                    found[rank, re.split(":", event["name"])[0]] += event["end"] - event["start"]
        # Clocks of ranks differ by some ns in each piece.
        assert found == {key: pytest.approx(value, rel=1e-4, abs=1000) for key, value in expected.items()}
