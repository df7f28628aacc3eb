"""prof view RUN/: the answers that the page of a job gets have the figures of the statistics, rank by rank."""
import csv
import io
import json
import struct
import time

import pytest
from made_run import make_run
from named import with_names
from profiling import prof
from view_server import WAIT, viewing

RANKS = 5
STATES = ("compute", "communication", "copies", "launch", "data", "cpu", "idle", "wait")


def statistic(name, *reports):
    done = prof("stats", "-q", "-r", name, "-f", "csv", *reports)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout.strip())))


def whole_run(server):
    """The answer of api/run when everything is known."""
    end = time.monotonic() + WAIT
    while not (run := server.json("run"))["complete"]:
        assert server.process.poll() is None and time.monotonic() < end
        time.sleep(0.02)
    return run


@pytest.fixture(scope="module", name="job")
def fixture_job(tmp_path_factory):
    """Five ranks on two nodes, of which rank 3 waits three times as long for data. The clock of a node is 20 ms off."""
    folder = tmp_path_factory.mktemp("job") / "run"
    ledger = make_run(folder, RANKS, 1500, "--straggler", "3:data:3", "--gpus-per-node", "3", "--clock", "20ms:20ppm")
    (folder / "broken.db").write_text("no report")
    (folder / "late.db.spool").write_text("")
    with viewing(folder) as server:
        server.folder, server.ledger, server.run = folder, ledger, whole_run(server)
        yield server


def test_ranks_and_what_is_missing(job):
    run = job.run
    assert [rank["rank"] for rank in run["ranks"]] == list(range(RANKS))
    assert [rank["node"] for rank in run["ranks"]] == ["node0000"] * 3 + ["node0001"] * 2
    assert [state["name"] for state in run["states"]] == list(STATES)
    assert [rank["report"] for rank in run["ranks"]] == list(range(RANKS))
    assert any("broken.db" in line for line in run["left_out"])
    assert any("late.db.spool is a recording that has not ended" in line for line in run["left_out"])
    assert run["faults"] == []
    assert run["span"] == {"start": min(rank["from"] for rank in run["ranks"]),
                           "end": max(rank["to"] for rank in run["ranks"])}


def test_times_of_states_are_those_of_the_breakdown(job):
    for rank in job.run["ranks"]:
        parts = {}
        report = job.run["reports"][rank["report"]]
        for row in statistic("gpu_time_breakdown", report):
            parts[row["Category"]] = parts.get(row["Category"], 0) + int(row["Time (ns)"])
        times = dict(zip(STATES, rank["times"]))
        idle = sum(times[state] for state in ("launch", "data", "cpu", "idle"))
        names = ("Compute", "Communication, exposed", "Copies and fills, exposed", "Idle")
        found = (times["compute"], times["communication"], times["copies"], idle)
        assert found == tuple(parts.get(name, 0) for name in names)
        loading = sum(int(row["Total Time (ns)"]) for row in statistic("gpu_idle_sum", report)
                      if row["Cause"] == "data loading")
        assert times["data"] == loading > 0


def test_errors_of_clocks_are_those_of_prof_info(job):
    clocks = [report["clock"] for report in json.loads(prof("info", "--json", *job.run["reports"]).stdout)]
    errors = [rank["clock_error"] for rank in job.run["ranks"]]
    assert errors == [clocks[rank["report"]]["bound_ns"] for rank in job.run["ranks"]]
    assert errors[:3] == [0, 0, 0] and errors[3] == errors[4] > 0


def test_similar_ranks_are_together(job):
    order = job.json("similar")["order"]
    assert sorted(order) == list(range(RANKS)) and order[0] == 3


def test_waits_and_delays_are_those_of_the_statistics(job):
    rows = statistic("rank_wait_sum", *job.run["reports"])
    names = ("Rank", "Waits For", "Wait (ns)", "Operations", "Longest (ns)")
    expected = [[int(row[name]) for name in names] for row in rows]
    assert job.json("waits") == {"by": "rank", "rows": expected, "more": 0}
    assert [rank["waited"] for rank in job.run["ranks"]] == [
        sum(int(row["Wait (ns)"]) for row in rows if int(row["Rank"]) == rank) for rank in range(RANKS)]
    assert [rank["waited"] for rank in job.run["ranks"]] == pytest.approx(job.ledger["waits"], rel=1e-4)  # clocks drift
    delays = statistic("delay_sum", *job.run["reports"])
    for rank in job.run["ranks"]:
        largest = next((row for row in delays if int(row["Rank"]) == rank["rank"]), None)
        shown = (rank["delay"], rank["cause"], rank["steps"], rank["late"])
        assert shown == ((int(largest["Delay (ns)"]), largest["Cause"], largest["Steps"], int(largest["Late (ns)"]))
                         if largest else (0, "", "", 0))


def test_the_verdict_is_that_of_analyze(job):
    expected = with_names(prof("analyze", "-q", "-f", "json", *job.run["reports"]).stdout)
    answer = job.json("verdict")
    assert answer["verdict"]["name"] == expected["verdict"] == "a late rank"
    assert answer["job"][:2] == expected["job"][:2]
    assert [(each["rule"], each["sentence"], each["savings"]) for each in answer["findings"]] == [
        (each["rule"], each["finding"], each["savings_ns"]) for each in expected["findings"]]
    (finding,) = answer["findings"]
    assert finding["rank"] == 3
    assert job.run["span"]["start"] <= finding["where"]["from"] < finding["where"]["to"] <= job.run["span"]["end"]


def test_steps_are_those_of_the_ranges(job):
    answer = job.json("steps")
    assert answer["found_by"] == "NVTX range :step"
    traces = [statistic("nvtx_pushpop_trace", path) for path in job.run["reports"]]
    times = [[int(row["Duration (ns)"]) for row in trace if row["Name"].lstrip(":") == "step"] for trace in traces]
    assert len(answer["steps"]) == len(times[0]) > 5
    for number, (start, end, least, _, median, _, most, longest, ranks) in enumerate(answer["steps"]):
        of_step = sorted(each[number] for each in times)
        assert (least, median, most, ranks) == (of_step[0], of_step[RANKS // 2], of_step[-1], RANKS)
        assert times[longest][number] == most and end - start > 0.999 * most  # on another clock


def test_the_path_is_that_of_the_statistic(job):
    path = job.json("path")
    found = [(path["units"][unit]["rank"], *rest) for unit, *rest in path["sums"]]
    assert found == [(int(row["Rank"]), row["Kind"], row["Name"], int(row["Time on Path (ns)"]), int(row["Count"]))
                     for row in statistic("critical_path", *job.run["reports"])][:len(found)] and not path["more"]
    assert sum(unit["time"] for unit in path["units"]) == path["elapsed"] == sum(each[3] for each in found)
    strip = path["strip"]
    assert strip[0][0] == path["begin"] and strip[-1][1] == path["begin"] + path["elapsed"]
    assert all(before[1] == after[0] for before, after in zip(strip, strip[1:]))
    assert {path["units"][piece[2]]["rank"] for piece in strip} <= {unit["rank"] for unit in path["units"]}


def picture(server, state):
    """(start, width of a column, rows of values)"""
    body = server.get("heat", state=state).body
    magic, ranks, columns, unused, start, width, length = struct.unpack_from("<4sIIIqqQ", body)
    assert (magic, unused) == (b"PRH1", 0) and length == ranks * columns == len(body) - 40
    return start, width, [body[40 + rank * columns:40 + (rank + 1) * columns] for rank in range(ranks)]


def test_pictures_have_the_times_of_the_ranks(job):
    """A picture is rounded. Waits are taken out of communication."""
    sums = {}
    for state in STATES:
        start, width, rows = picture(job, state)
        assert len(rows) == RANKS and start == job.run["span"]["start"]
        sums[state] = [sum(row) * width / 255 for row in rows]
    for i, rank in enumerate(job.run["ranks"]):
        times = dict(zip(STATES, rank["times"]))
        assert sums["compute"][i] == pytest.approx(times["compute"], rel=0.03)
        assert sums["data"][i] == pytest.approx(times["data"], rel=0.03)
        assert sums["communication"][i] + sums["wait"][i] == pytest.approx(times["communication"], rel=0.03)
        assert 0 < sums["wait"][i] < 1.05 * rank["waited"]  # without those that computing hides
    _, _, rows = picture(job, "largest")
    named = {STATES[(value >> 4) - 1] for row in rows for value in row if value}
    assert {"compute", "wait", "data"} <= named
    assert job.get("heat", state="sleep").status == 400


def test_a_place_has_the_arrivals_of_the_peers_on_the_clock_of_its_report(job):
    for rank in (0, 4):  # on both nodes
        shown = job.run["ranks"][rank]
        place = job.json("place", rank=rank, time=(shown["from"] + shown["to"]) // 2)
        assert place["report"] == shown["report"]
        call = place["collective"]
        assert call["operation"] == "AllReduce"
        trace = statistic("collective_trace", *job.run["reports"])
        marks = {mark["note"]: mark["time"] for mark in call["marks"]}
        assert len(marks) == RANKS - 1
        last = max(call["from"], *marks.values())
        arrivals = sorted([call["from"], *marks.values()])
        assert str(arrivals[-1] - arrivals[0]) in {row["Skew (ns)"] for row in trace}
        assert marks["rank 3 comes last"] == last
    assert job.get("place", rank=RANKS, time=0).status == 404
    assert job.get("place", rank="x", time=0).status == 400


def test_a_report_of_the_job_is_opened_on_demand(job):
    rows = job.ask("report/2/api/rows").json()
    assert rows["reports"][0]["path"] == job.run["reports"][2] and rows["opening"] > 0
    assert b"<title>prof view" in job.ask("report/2/").body
    assert job.ask("report/2/page/main.js").status == 200
    assert job.ask(f"report/2/api/names?from=0&opening={rows['opening']}").status == 200
    closed = job.ask(f"report/2/api/names?from=0&opening={rows['opening'] + 100}")
    assert closed.status == 409 and "closed" in closed.json()["error"]
    assert job.ask(f"report/{RANKS}/api/rows").status == 404
    for path in ("report/", "report/x/", "report/2", "report/-1/", "report/99999999999999999999/", "api/rows"):
        assert job.ask(path).status == 404, path


def test_the_page_of_a_job_needs_the_secret(job):
    assert job.send(job.head("/report/0/api/rows")).startswith(b"HTTP/1.1 404")
    assert job.ask("api/run", {"Origin": "http://example.com"}).status == 403
    assert job.ask("report/0/", {"Sec-Fetch-Site": "cross-site"}).status == 403


def test_a_folder_without_reports(tmp_path):
    done = prof("view", "--no-browser", tmp_path)
    assert done.returncode != 0 and "has no report in it" in done.stderr


def test_all_timelines_of_a_folder_below_each_other(job):
    with viewing("--align=clock", job.folder) as server:
        assert len(server.exact_rows()["reports"]) == RANKS


def test_reports_without_collective_operations(tmp_path):
    folder = tmp_path / "run"
    make_run(folder, 1, 500)
    with viewing(folder) as server:
        run = whole_run(server)
        assert run["has_ranks"] and len(run["ranks"]) == 1
        assert server.json("verdict")["verdict"] is None
        assert server.json("waits")["rows"] == []
