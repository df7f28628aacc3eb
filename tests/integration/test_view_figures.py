"""prof view shows the figures that prof stats, prof analyze and prof diff print."""
import json
import sqlite3

import pytest
from named import with_names
from profiling import prof, unpacked
from test_findings import PROBLEMS, report_of
from view_server import viewing

SPAN = (400_000_000, 700_000_000)


@pytest.fixture(scope="module")
def truth(tmp_path_factory):
    return unpacked(tmp_path_factory.mktemp("figures") / "report.sqlite")


@pytest.fixture(scope="module")
def server(truth):
    with viewing(truth) as server:
        server.rows = server.exact_rows()["rows"]
        yield server


def same(shown, printed, decimals):
    if isinstance(shown, float):
        return printed is not None and abs(shown - printed) <= 0.51 * 10 ** -decimals
    return shown == printed


def assert_same_table(shown, printed):
    """A table of the viewer, and the same one in prof's JSON."""
    assert len(shown["rows"]) == len(printed)
    for row, expected in zip(shown["rows"], printed):
        assert list(expected) == [column["header"] for column in shown["columns"]]
        for cell, column in zip(row, shown["columns"]):
            assert same(cell, expected[column["header"]], column["decimals"]), (row, expected)


@pytest.mark.parametrize("span", [None, SPAN], ids=["all", "span"])
def test_statistics_are_those_of_prof_stats(server, truth, span):
    shown = server.json("statistics")["statistics"]
    assert len(shown) > 20
    for name in (each["name"] for each in shown):
        window = [] if span is None else [f"--filter-time={span[0]}/{span[1]}"]
        words = {} if span is None else {"from": span[0], "to": span[1]}
        run = prof("stats", "-q", "-r", name, "-f", "json", *window, truth)
        answer = server.json("statistic", name=name, limit=100_000, **words)
        assert_same_table(answer, json.loads(run.stdout) if run.stdout.strip() else [])
        assert answer["more"] == 0


def test_statistics_of_a_process_are_those_of_prof_stats(server, truth):
    row = next(row for row in server.rows if row["kind"] == "process")
    run = prof("stats", "-q", "-r", "cuda_api_sum", "-f", "json", "--process", row["note"].removeprefix("pid "), truth)
    assert_same_table(server.json("statistic", name="cuda_api_sum", row=row["id"]), json.loads(run.stdout))


def test_the_start_page_has_the_findings_of_prof_analyze(server, truth):
    printed = with_names(prof("analyze", "-f", "json", truth).stdout)
    page = server.json("summary", wait=1)
    assert page["exact"] and page["fault"] == ""
    assert page["verdict"]["name"] == printed["verdict"]
    assert page["verdict"]["sentence"] == printed["shares"]
    assert [(each["rule"], each["sentence"], each["evidence"], each["remedy"], each["at_stake"])
            for each in page["findings"]] == [
        (each["rule"], each["finding"], each["evidence"], each["remedy"], each["at_stake_ns"])
        for each in printed["findings"]]
    rows = {row["id"]: row for row in server.rows}
    for finding in page["findings"]:
        assert finding["where"]["from"] <= finding["where"]["to"]
        assert finding["where"]["row"] in rows


@pytest.mark.parametrize("run,first", [each[:2] for each in PROBLEMS], ids=[run.__name__ for run, *_ in PROBLEMS])
def test_every_finding_leads_to_a_place(tmp_path, run, first):
    with viewing(report_of(run, tmp_path)) as server:
        answer = server.exact_rows()
        rows = {row["id"]: row for row in answer["rows"]}
        findings = server.json("summary", wait=1)["findings"]
        assert findings[0]["rule"] == first
        for finding in findings:
            where = finding["where"]
            assert where is not None, finding
            assert answer["span"]["start"] <= where["from"] < where["to"] <= answer["span"]["end"], finding
            if where["id"] is not None:
                event = server.json("event", row=where["row"], source=where["source"], id=where["id"])
                assert event["start"] == where["from"], finding
            else:
                assert where["row"] is None or rows[where["row"]]["kind"] in ("gpu", "thread", "stream"), finding


def test_the_start_page_has_the_figures_of_prof_stats(server, truth):
    page = server.json("summary", wait=1)

    def table(name):
        return json.loads(prof("stats", "-q", "-r", name, "-f", "json", truth).stdout)

    breakdown = {row["Category"]: row["Time (ns)"] for row in table("gpu_time_breakdown")}
    gpu = page["gpus"][0]
    assert (gpu["compute"], gpu["idle"], gpu["exposed_copies"]) == (
        breakdown["Compute"], breakdown["Idle"], breakdown["Copies and fills, exposed"])
    kernels = table("tensor_core_sum")[:len(page["kernels"])]
    assert [(each["name"], each["total"], each["count"]) for each in page["kernels"]] == [
        (row["Name"], row["Total Time (ns)"], row["Instances"]) for row in kernels]
    iterations = table("iteration_sum")[0]
    assert page["iterations"]["count"] == iterations["Iterations"]
    assert page["iterations"]["found_by"] == iterations["Found By"]
    assert page["iterations"]["times"][iterations["Max #"]][0] == iterations["Max Start (ns)"]


def test_kernels_of_the_start_page_lead_to_their_longest_run(server, truth):
    database = sqlite3.connect(truth)
    rows = {row["id"]: row for row in server.rows}
    for kernel in server.json("summary", wait=1)["kernels"]:
        where = kernel["where"]
        assert rows[where["row"]]["kind"] == "kernels"
        duration, = database.execute(
            "SELECT max(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = demangledName "
            "WHERE value = ?", (kernel["name"],)).fetchone()
        assert where["to"] - where["from"] == duration


def test_the_comparison_is_that_of_prof_diff(tmp_path, truth):
    after = tmp_path / "after.sqlite"
    after.write_bytes(truth.read_bytes())
    with sqlite3.connect(after) as database:
        database.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = end + 100000 WHERE rowid % 3 = 0")
    database.close()
    printed = with_names(prof("diff", "-q", "--rows=0", "-f", "json", truth, after).stdout)
    with viewing(truth, after) as server:
        shown = server.json("diff", limit=100_000)
    assert shown["headline"] == printed["headline"]
    assert_same_table(shown["summary"], printed["summary"])
    assert_same_table(shown["changes"], printed["changes"])
    assert shown["changes"]["rows"] and shown["unchanged"] > 0
