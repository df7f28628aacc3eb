"""Reports that no profiler wrote. stats, analyze and diff say what is wrong, and never crash, hang, write to
the report or print wrong values."""
import csv
import html.parser
import io
import json
import shutil
import sqlite3
import subprocess

import pytest
from damaged_reports import (KERNEL, MEMCPY, RUNTIME, STATS, change, fails, loosen, report, rows, run, works, zoo)
from profiling import HAS_SANITIZER, PROF, prof

NAMES = ['quo"ted', "it's", "comma, semicolon;", "new\nline", "carriage\r\nreturn", "tab\there", "zero\0byte", "\x1b[31mred",
         "<b>&amp;</b>", "pi|pe `tick` *star*", "", "ünïcödé", "\u2028", "x" * 5000]
BAD_BYTES = [b"\xff\xfe", b"half \xe2\x82", b"\xed\xa0\x80 surrogate", b"\xc0\x80 overlong", b"\xf5\x80\x80\x80"]


def test_all_statistics_are_asked_for():
    assert len(STATS) >= 39 and "cuda_gpu_trace" in STATS and "gpu_idle_sum" in STATS


# --- names

class Cells(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.texts = []
        self.inside = False

    def handle_starttag(self, tag, attrs):
        if tag == "td":
            self.texts.append("")
            self.inside = True

    def handle_endtag(self, tag):
        self.inside = self.inside and tag != "td"

    def handle_data(self, data):
        if self.inside:
            self.texts[-1] += data


@pytest.fixture(scope="module")
def named(zoo, tmp_path_factory):
    """Kernels, calls and ranges with the worst possible names."""
    path = shutil.copy(zoo, tmp_path_factory.mktemp("named") / "named.sqlite")
    kernel = f"INSERT INTO {KERNEL} SELECT {{}} FROM {KERNEL} LIMIT 1"
    columns = [row[1] for row in sqlite3.connect(path).execute(f"PRAGMA table_info({KERNEL})")]
    texts = [(name,) for name in NAMES]
    change(path, ("INSERT OR REPLACE INTO StringIds SELECT max(id) + 1, ? FROM StringIds", texts),
           ("INSERT INTO StringIds SELECT max(id) + 1, CAST(? AS TEXT) FROM StringIds", [(name,) for name in BAD_BYTES]))
    ids = sqlite3.connect(path).execute(
        "SELECT id FROM StringIds ORDER BY id DESC LIMIT ?", (len(NAMES + BAD_BYTES),)).fetchall()
    change(path, (kernel.format(", ".join("?1" if "Name" in column else f'"{column}"' for column in columns)), ids),
           (f"INSERT INTO {RUNTIME} SELECT start, end, eventClass, globalTid, correlationId, ?, returnValue, callchainId "
            f"FROM {RUNTIME} LIMIT 1", ids),
           ("INSERT INTO NVTX_EVENTS (start, end, eventType, globalTid, textId) SELECT start, end, 59, globalTid, ? "
            "FROM NVTX_EVENTS WHERE eventType = 59 LIMIT 1", ids))
    return path


def expected_names():
    clean = [name.replace("\0", "\ufffd") for name in NAMES]
    return sorted(clean), len(NAMES + BAD_BYTES)


def separated(text, separator):
    return [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True) if row]


@pytest.mark.parametrize("form", ["csv", "tsv", "json", "htable", "hdoc", "column", "table", "markdown"])
def test_names_of_any_bytes(named, form):
    done = prof("stats", "-q", "-r", "cuda_gpu_kern_sum", "-f", form, named, encoding="utf-8", errors="strict")
    assert (done.returncode, done.stderr) == (0, "")
    clean, count = expected_names()
    if form in ("csv", "tsv"):
        # Without universal newlines, so that quoted line ends are kept.
        raw = subprocess.run([PROF, "stats", "-q", "-r", "cuda_gpu_kern_sum", "-f", form, named], stdout=subprocess.PIPE,
                             check=True).stdout.decode()
        table = separated(raw, "," if form == "csv" else "\t")
        assert {len(row) for row in table} == {9}
        found = [row[-1] for row in table[1:]]
    elif form == "json":
        found = [row["Name"] for row in json.loads(done.stdout)]
        assert "\x1b[31mred" in found
    elif form in ("htable", "hdoc"):
        cells = Cells()
        cells.feed(done.stdout)
        found = cells.texts[8::9]
        clean = [name.replace("\r\n", "\n") for name in clean]  # Python reads the output like this
    else:
        # One line for each name, and no control characters.
        assert not set(done.stdout) & set("\x1b\0\r\t")
        assert sum(line.count("34,240.0") > 0 for line in done.stdout.split("\n")) == count
        return
    assert len(found) == count + 4  # and the names of the zoo itself
    for name in clean:
        assert name in found, (name, found)


@pytest.mark.parametrize("verb", ["stats", "analyze", "diff"])
def test_every_report_with_names_of_any_bytes(named, verb):
    for form in ("csv", "json", "column"):
        done = run(verb, named, "-f", form)
        assert done.returncode == 0, done.stderr
    document = run("diff", named, "-f", "json", "--rows=0").stdout
    assert 'quo"ted' in [change["Name"] for change in json.loads(document)["changes"]]


def test_a_million_names(report):
    count = 100_000 if HAS_SANITIZER else 1_000_000
    change(report, f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) "
           "INSERT INTO StringIds SELECT i + 1000000, 'name ' || i FROM n",
           "INSERT INTO OSRT_API SELECT 7, 10, 27, 0, id, 0, 0, 0 FROM StringIds WHERE id > 1000000")
    for words in (["stats", "-r", "osrt_sum", "-f", "csv", report], ["diff", "--category=osrt", report, report]):
        done = prof(*words, timeout=60)
        assert done.returncode == 0
        if words[0] == "stats":
            assert done.stdout.count("\n") > count and ",3,1,3.0,3.0,3,3,0.0,name 77777\n" in done.stdout


# --- numbers

def test_negative_times_are_times(report):
    before = rows(report, "cuda_gpu_kern_sum")
    start = int(rows(report, "cuda_gpu_trace")[0][0]["Start (ns)"])
    for table in (KERNEL, RUNTIME, MEMCPY, "CUPTI_ACTIVITY_KIND_MEMSET", "NVTX_EVENTS", "OSRT_API", "PROFILER_OVERHEAD"):
        change(report, f"UPDATE {table} SET start = start - 5000000000, end = end - 5000000000")
    works(report)
    assert rows(report, "cuda_gpu_kern_sum") == before
    assert int(rows(report, "cuda_gpu_trace")[0][0]["Start (ns)"]) == start - 5_000_000_000


@pytest.mark.parametrize("values", ["end = start - 1", "end = NULL", "start = NULL", "start = -9e18, end = 9e18",
                                    "start = -9223372036854775807, end = 9223372036854775807"])
def test_events_without_a_duration_are_left_out_and_counted(report, values):
    expected = rows(report, "cuda_gpu_kern_sum:base")[0]
    loosen(report, KERNEL)
    change(report, f"INSERT INTO {KERNEL} SELECT * FROM {KERNEL} LIMIT 3",
           f"UPDATE {KERNEL} SET {values} WHERE rowid > (SELECT max(rowid) - 3 FROM {KERNEL})")
    found, reported = rows(report, "cuda_gpu_kern_sum:base")
    assert found == expected
    assert reported == f"prof: {report}: ignored 3 rows of {KERNEL} that end before they start or lack a time. The file may be damaged.\n"
    for done in works(report):
        assert f"ignored 3 rows of {KERNEL}" in done.stderr


def test_sums_that_are_too_large(report):
    change(report, "UPDATE OSRT_API SET start = 0, end = 2000000000000000000 WHERE eventClass = 27")
    assert max(int(row["Total Time (ns)"]) for row in rows(report, "osrt_sum")[0]) == 2 ** 63 - 1
    works(report)


@pytest.mark.parametrize("table, column, verbs", [
    (KERNEL, "start", ["stats", "analyze", "diff"]), (KERNEL, "end", ["stats", "analyze", "diff"]),
    (KERNEL, "demangledName", ["stats", "diff"]), (RUNTIME, "nameId", ["stats", "diff"]), ("OSRT_API", "end", ["stats", "diff"]),
    (MEMCPY, "bytes", ["stats", "analyze"]), ("NVTX_EVENTS", "start", ["stats", "diff"]), (RUNTIME, "globalTid", ["stats", "analyze"])])
def test_text_in_place_of_a_number(report, table, column, verbs):
    loosen(report, table)
    used = {"NVTX_EVENTS": "eventType = 59 AND end IS NOT NULL", "OSRT_API": "eventClass = 27"}.get(table, "1")
    change(report, f"UPDATE {table} SET {column} = '12 apples' WHERE rowid = (SELECT max(rowid) FROM {table} WHERE {used})")
    fails(report, "damaged", "text in place of a number", verbs=verbs)


def test_names_that_are_null(report):
    loosen(report, KERNEL)
    loosen(report, RUNTIME)
    change(report, f"UPDATE {KERNEL} SET demangledName = NULL", f"UPDATE {RUNTIME} SET nameId = NULL",
           "INSERT OR REPLACE INTO StringIds VALUES (0, 'somebody else')")
    for name in ("cuda_gpu_kern_sum", "cuda_api_sum"):
        assert [row["Name"] for row in rows(report, name)[0]] == ["[Unknown]"]
    assert "somebody else" not in "".join(done.stdout for done in works(report))


def test_nulls_everywhere(report):
    tables = [name for name, in sqlite3.connect(report).execute("SELECT name FROM sqlite_master WHERE type = 'table'")
              if name.startswith(("CUPTI", "NVTX", "OSRT", "PROFILER", "TARGET", "Thread"))]
    for table in tables:
        loosen(report, table)
        columns = [row[1] for row in sqlite3.connect(report).execute(f"PRAGMA table_info({table})")]
        change(report, f"INSERT INTO {table} VALUES ({', '.join(['NULL'] * len(columns))})")
    works(report)


# --- tables and columns

def test_empty_tables(report):
    tables = [name for name, in sqlite3.connect(report).execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    expected = {"analyze": 0, "diff": 0, "stats": 0}
    change(report, *(f"DELETE FROM {table}" for table in tables))
    for verb, status in expected.items():
        done = run(verb, report)
        assert done.returncode == status and "0.1" not in done.stdout, done.stderr


def test_missing_tables(report):
    tables = [name for name, in sqlite3.connect(report).execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    change(report, *(f"DROP TABLE {table}" for table in tables if table not in ("StringIds", "OSRT_API")))
    stats, analyze, _ = works(report)
    # osrt_sum, critical_path and what_if need no other table.
    assert stats.stderr.count("SKIPPED: ") == len(STATS) - 3 and analyze.stderr.count("SKIPPED: ") == 6
    change(report, "DROP TABLE OSRT_API")
    assert run("stats", report).returncode == 0
    fails(report, "has nothing to compare", verbs=["diff"])
    change(report, "ALTER TABLE StringIds RENAME TO s", "CREATE TABLE x (y)")
    fails(report, "not a report: it has no StringIds table")


@pytest.mark.parametrize("table, column, verbs", [
    (KERNEL, "gridX", ["stats"]), (KERNEL, "end", ["stats", "analyze"]), (KERNEL, "start", ["stats", "analyze", "diff"]), (RUNTIME, "correlationId", ["stats", "analyze"]),
    (MEMCPY, "copyKind", ["stats", "analyze", "diff"]), ("NVTX_EVENTS", "textId", ["stats", "diff"]),
    ("StringIds", "value", ["stats", "analyze", "diff"])])
def test_missing_columns(report, table, column, verbs):
    loosen(report, table)
    change(report, f"ALTER TABLE {table} DROP COLUMN {column}")
    fails(report, column, "export it again", verbs=verbs)


def test_a_view_in_place_of_a_table(report):
    """It could have endlessly many rows. A report has no views."""
    change(report, "DROP TABLE OSRT_API", """CREATE VIEW OSRT_API (start, end, globalTid, nameId, callchainId, nestingLevel) AS
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, i, i, i, i, i FROM n""")
    fails(report, verbs=("stats", "diff"))


def test_a_kernel_without_a_name(report):
    """A finding about small grids names the kernel."""
    loosen(report, KERNEL)
    change(report, f"UPDATE {KERNEL} SET demangledName = NULL, gridX = 1, gridY = 1, gridZ = 1")
    works(report)


def test_a_call_chain_that_is_too_long(report):
    """The work for a chain can grow with the square of its length."""
    extra = 20_000
    last, = sqlite3.connect(report).execute("SELECT max(id) FROM SAMPLING_CALLCHAINS").fetchone()
    before, = sqlite3.connect(report).execute("SELECT count(*) FROM SAMPLING_CALLCHAINS WHERE id = ?", (last,)).fetchone()
    change(report, f"""INSERT INTO SAMPLING_CALLCHAINS (id, symbol, module, stackDepth)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {extra})
        SELECT {last}, symbol, module, {before} + i FROM n, (SELECT * FROM SAMPLING_CALLCHAINS WHERE id = {last} LIMIT 1)""")
    done = prof("stats", "-r", "cpu_sample_tree", "-f", "csv", report)
    assert done.returncode == 0 and len(done.stdout) < 20_000_000
    assert f"ignored {before + extra - 8192} rows of SAMPLING_CALLCHAINS in call chains that are too long" in done.stderr


def test_a_report_from_the_future(report):
    expected = [done.stdout for done in works(report)]
    change(report, "UPDATE META_DATA_EXPORT SET value = '4.2.0' WHERE name = 'EXPORT_SCHEMA_VERSION'",
           "UPDATE META_DATA_EXPORT SET value = '4' WHERE name = 'EXPORT_SCHEMA_VERSION_MAJOR'",
           f"ALTER TABLE {KERNEL} ADD COLUMN qubits TEXT DEFAULT 'many'", "ALTER TABLE StringIds ADD COLUMN language TEXT",
           "ALTER TABLE NVTX_EVENTS ADD COLUMN \"a \"\" b\" BLOB", "CREATE TABLE QUANTUM_EVENTS (start, end, x PRIMARY KEY) WITHOUT ROWID",
           "INSERT INTO QUANTUM_EVENTS VALUES ('now', NULL, 1)", "CREATE TABLE \"it's; a \"\"table\" (start, \"end\")",
           "CREATE VIEW EVERYTHING AS SELECT * FROM NOWHERE", "CREATE INDEX i ON OSRT_API (start)")
    for verb, reported in (("stats", 1), ("analyze", 1), ("diff", 2)):
        done = run(verb, report)
        assert done.stdout == expected.pop(0)
        assert done.stderr.count(f"prof: {report} has schema 4, newer than this prof knows (3)") == reported
    assert prof("stats", "-q", "-r", "osrt_sum", report).stderr == ""
    works(report)
    assert prof("stats", "--filter-time", "0/400ms", report).returncode == 0
