"""prof query: SQL of users reads a report, does nothing else, and ends."""
import json
import os
import sqlite3

import pytest
from hostile_queries import ENDLESS, REFUSED, generated
from made_up_program import MS, US, Program
from profiling import TRUTH, prof, unpacked

SCHEMA_BYTES = 6000


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    program = Program(tmp_path_factory.mktemp("query") / "report.db")
    with program.range("step"):
        for number in range(150):
            program.kernel(f"kernel_{number % 3}", (number + 1) * US)
            program.compute(100 * US)
    program.copy(4096, 1 * MS)
    program.done()
    return program.path


def rows(report, sql, *words):
    done = prof("query", report, sql, "-f", "json", *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_rows_are_those_of_sqlite(report):
    answer = rows(report, "SELECT name, count(*) AS n, sum(dur) AS total FROM kernels GROUP BY name ORDER BY total")
    expected = sqlite3.connect(report).execute(
        "SELECT value, count(*), sum(end - start) AS t FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = demangledName "
        "GROUP BY value ORDER BY t").fetchall()
    assert [tuple(row) for row in answer["rows"]] == expected
    assert answer["schema"] == "prof.query/1" and answer["truncated"] is False and answer["elapsed_ms"] >= 0
    assert [each["name"] for each in answer["columns"]] == ["name", "n", "total"]


def test_a_hundred_rows_are_printed(report):
    sql = "SELECT dur FROM kernels"
    answer = rows(report, sql)
    assert len(answer["rows"]) == 100 and answer["truncated_by"] == "rows" and answer["columns"] == [{"name": "dur", "unit": "ns"}]
    assert len(rows(report, sql, "--rows", 1000)["rows"]) == 150
    assert rows(report, sql, "--budget", 30)["truncated_by"] == "budget"
    done = prof("query", report, sql, "-f", "csv", "--rows", 2)
    assert done.stdout.split() == ["dur", "1000", "2000"] and "only the first 2 rows" in done.stderr


def test_usage(report, tmp_path):
    for words, reason in (([], "no report"), ([report], "no query given"), ([report, "SELECT 1", "--rows", 0], "--rows"),
                          ([report, "--schema", "-f", "json"], "--schema prints text")):
        done = prof("query", *words)
        assert done.returncode == 2 and reason in done.stderr
    done = prof("query", tmp_path / "none.db", "SELECT 1")
    assert done.returncode == 1 and "cannot open report" in done.stderr


def test_the_schema_fits_its_budget(report, tmp_path):
    text = prof("query", report, "--schema").stdout
    assert "kernels (150 rows): id, start ns, end ns, dur ns, name" in text and len(text) <= SCHEMA_BYTES
    text = prof("query", unpacked(tmp_path / "nsys.sqlite"), "--schema").stdout
    assert "CUPTI_ACTIVITY_KIND_KERNEL" in text and len(text.encode()) <= SCHEMA_BYTES
    assert "dur [ns]: end - start" in prof("query", report, "--schema", "kernels").stdout
    assert "did you mean kernels?" in prof("query", report, "--schema", "kernel").stderr


@pytest.mark.parametrize("name", ["kernels", "copies", "calls", "ranges", "threads"])
def test_views_work_on_reports_of_nsys(name, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "nsys_of_query.sqlite"
    if not path.exists():
        unpacked(path, TRUTH / "report.sqlite.gz")
    answer = rows(path, f"SELECT * FROM {name}")
    assert answer["rows"] and all(len(row) == len(answer["columns"]) for row in answer["rows"])
    if name != "threads":
        at = {each["name"]: i for i, each in enumerate(answer["columns"])}
        assert all(row[at["dur"]] in (None, (row[at["end"]] or 0) - row[at["start"]]) for row in answer["rows"])


def test_hostile_statements_change_nothing(report, tmp_path):
    before = report.read_bytes()
    for sql in REFUSED:
        if "\x00" in sql or len(sql) > 100_000:
            continue
        done = prof("query", report, "-f", "json", "--", sql.replace("{other}", str(tmp_path / "other.db")))
        assert done.returncode in (1, 2), (sql, done.stdout)
        assert done.stderr.startswith("prof: ") and len(done.stderr) < 2000
    assert report.read_bytes() == before and not os.listdir(tmp_path) and os.listdir(report.parent) == [report.name]


def test_an_endless_statement_ends(report):
    done = prof("query", report, ENDLESS + "count(*) FROM n")
    assert done.returncode == 1 and "stopped after 5 s" in done.stderr


def test_statements_are_generated_the_same_way_each_time():
    assert list(generated(20, "x")) == list(generated(20, "x"))
