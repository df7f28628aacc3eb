"""api/query: SQL that a user of the page types reads the report, does nothing else, and ends."""
import gzip
import os
import sqlite3

import pytest
from made_up_program import MS, US, Program
from view_server import viewing

KERNELS = 50
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT "


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    program = Program(tmp_path_factory.mktemp("query") / "report.db")
    for number in range(KERNELS):
        program.kernel(f"kernel_{number % 5}", (number + 1) * US)
        program.compute(100 * US)
    program.done()
    with viewing(program.path) as server:
        server.exact_rows()
        server.path = program.path
        yield server


def ask(server, sql, **parameters):
    return server.json("query", sql=sql, **parameters)


def refusal(server, sql, **parameters):
    answer = server.get("query", sql=sql, **parameters)
    assert answer.status == 400, answer.body
    return answer.json()["error"]


def test_rows_are_those_of_sqlite(server):
    sql = ("SELECT value AS name, count(*) AS calls, sum(end - start) AS ns, avg(end - start), NULL FROM CUPTI_ACTIVITY_KIND_KERNEL "
           "JOIN StringIds ON id = demangledName GROUP BY value ORDER BY ns DESC")
    answer = ask(server, sql)
    database = sqlite3.connect(server.path)
    assert [tuple(row) for row in answer["rows"]] == database.execute(sql).fetchall()
    assert answer["columns"] == ["name", "calls", "ns", "avg(end - start)", "NULL"] and answer["rest"] == ""


def test_numbers_that_javascript_cannot_hold_are_texts(server):
    assert ask(server, f"SELECT {1 << 53}, {(1 << 53) - 1}, -{1 << 60}, x'0102'")["rows"] == [
        [str(1 << 53), (1 << 53) - 1, str(-(1 << 60)), "2 bytes"]]


@pytest.mark.parametrize("sql", [
    "DELETE FROM StringIds", "INSERT INTO StringIds VALUES (99999, 'x')", "UPDATE StringIds SET value = 'x'",
    "DROP TABLE StringIds", "CREATE TABLE x (y)", "CREATE TEMP TABLE x (y)", "CREATE VIEW x AS SELECT 1", "VACUUM INTO 'x.db'",
    "ATTACH 'x.db' AS x", "PRAGMA journal_mode = WAL", "PRAGMA temp_store_directory = '/'", "PRAGMA writable_schema = 1", "BEGIN",
    "COMMIT", "REINDEX", "ANALYZE", "SELECT load_extension('x')", "SELECT fts3_tokenizer('simple')",
    "WITH x AS (SELECT 1) DELETE FROM StringIds"])
def test_queries_only_read(server, sql, tmp_path):
    before = server.path.read_bytes()
    refusal(server, sql)
    assert server.path.read_bytes() == before and os.listdir(server.path.parent) == [server.path.name]


@pytest.mark.parametrize("sql,reason", [
    ("SELEC 1", "syntax error"), ("SELECT * FROM nowhere", "no such table"), ("SELECT 1; SELECT 2", "only one statement"),
    ("SELECT 1; DELETE FROM StringIds", "only one statement"), ("-- nothing", "no statement"), ("SELECT zeroblob(100000000)", "too big"),
    ("SELECT 'a", "unrecognized token")])
def test_what_is_wrong_is_said(server, sql, reason):
    assert reason in refusal(server, sql)


def test_a_comment_after_the_statement_is_no_statement(server):
    assert ask(server, "SELECT 1; -- one\n")["rows"] == [[1]]


def test_queries_end(server):
    answer = ask(server, ENDLESS + "i FROM n", limit=10)
    assert answer["rows"] == [[i] for i in range(1, 11)] and answer["rest"] == "Only the first 10 rows are shown."
    assert "stopped after 1 s" in refusal(server, ENDLESS + "count(*) FROM n", seconds=1)
    assert "too large" in ask(server, ENDLESS + "printf('%.*c', 9000, 'x') FROM n", limit=10000)["rest"]
    assert ask(server, "SELECT printf('%.*c', 20000, 'x')")["rows"] == [["x" * 10000]]


def test_the_tables_can_be_listed(server):
    names = [name for name, in ask(server, "SELECT name FROM sqlite_master WHERE type = 'table'")["rows"]]
    assert "CUPTI_ACTIVITY_KIND_KERNEL" in names
    assert [row[1] for row in ask(server, "PRAGMA table_info(StringIds)")["rows"]] == ["id", "value"]


# --- Answers are compressed

def test_answers_are_compressed_for_who_reads_gzip(server):
    for path in ("api/rows", "page/main.js", "", "api/query?sql=SELECT+*+FROM+StringIds,+CUPTI_ACTIVITY_KIND_KERNEL"):
        plain = server.ask(path)
        packed = server.ask(path, {"Accept-Encoding": "br, gzip;q=0.8"})
        assert "content-encoding" not in plain.fields and plain.fields["vary"] == "Accept-Encoding"
        assert packed.fields["content-encoding"] == "gzip"
        assert int(packed.fields["content-length"]) == len(packed.body) < len(plain.body)
        assert gzip.decompress(packed.body) == plain.body
    assert "content-encoding" not in server.ask("api/rows", {"Accept-Encoding": "br, gzip;q=0"}).fields


def test_tiles_are_compressed_if_the_page_asks_for_it(server):
    rows = ",".join(str(row["id"]) for row in server.exact_rows()["rows"])
    path = f"api/tile?rows={rows}&level=12&index=0"
    plain = server.ask(path, {"Accept-Encoding": "gzip"})
    packed = server.ask(path + "&z=1", {"Accept-Encoding": "gzip"})
    assert "content-encoding" not in plain.fields and packed.fields["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body and len(packed.body) < len(plain.body) / 2


# --- A span

def test_figures_of_a_span_are_of_that_span(server):
    database = sqlite3.connect(server.path)
    (start, end), = database.execute("SELECT start + 2000, end + 5000 FROM CUPTI_ACTIVITY_KIND_KERNEL LIMIT 1 OFFSET 20")
    busy, = database.execute("SELECT sum(min(end, ?) - max(start, ?)) FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE start < ? AND end > ?",
                             (end, start, end, start)).fetchone()
    rows = server.json("statistic", name="gpu_time_breakdown", **{"from": start, "to": end})["rows"]
    times = {row[-1]: row[1] for row in rows}
    assert (times["Compute"], times["Compute"] + times["Idle"]) == (busy, end - start)
    assert 0 < busy < end - start < 1 * MS
