"""Tools that read nsys reports read ours, and we read nsys's as nsys does."""
import csv
import gzip
import io
import sqlite3
import sys

import pytest
from profiling import TRUTH, prof, profile, program

REPORTS = ["osrt_sum", "nvtx_sum", "nvtx_pushpop_sum"]


@pytest.fixture(scope="module")
def genuine(tmp_path_factory):
    path = tmp_path_factory.mktemp("genuine") / "zoo.sqlite"
    path.write_bytes(gzip.decompress((TRUTH / "report.sqlite.gz").read_bytes()))
    return path


@pytest.mark.parametrize("name", REPORTS)
def test_statistics_of_a_genuine_report_equal_nsyss_own(genuine, name):
    done = prof("stats", "-r", name, "-f", "csv", genuine)
    assert done.returncode == 0
    assert done.stdout == (TRUTH / f"{name}.csv").read_text()


def test_formats_agree_with_each_other(genuine):
    as_csv = list(csv.reader(io.StringIO(prof("stats", "-r", "osrt_sum", "-f", "csv", genuine).stdout.strip())))
    as_tsv = prof("stats", "-r", "osrt_sum", "-f", "tsv", genuine).stdout.strip().splitlines()
    assert [line.split("\t") for line in as_tsv] == as_csv
    column = prof("stats", "-r", "osrt_sum", genuine).stdout.splitlines()
    assert column[:2] == ["", " ** OS Runtime Summary (osrt_sum):"]
    assert column[5].split() == [f"{float(x):,.1f}" if "." in x else f"{int(x):,}"
                                 for x in as_csv[1][:-1]] + [as_csv[1][-1]]


def schema_of(path):
    database = sqlite3.connect(path)
    tables = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type='table'")]
    return {table: [(row[1], row[2], row[3], row[5])
                    for row in database.execute(f"PRAGMA table_info('{table}')")] for table in tables}


def test_schema_is_nsyss(tmp_path, genuine):
    report = profile(tmp_path, program("nvtx_zoo"), options=["-w", "false"])
    ours, theirs = schema_of(report.path), schema_of(genuine)
    for table, columns in ours.items():
        assert columns == theirs[table], table
    expected = {"StringIds", "ThreadNames", "PROCESSES", "NVTX_EVENTS", "OSRT_API",
                "ANALYSIS_DETAILS", "META_DATA_CAPTURE", "META_DATA_EXPORT", "ProcessStreams",
                "TARGET_INFO_SESSION_START_TIME", "TARGET_INFO_SYSTEM_ENV", "DIAGNOSTIC_EVENT",
                "PROFILER_OVERHEAD"}
    assert expected <= set(ours)
    assert {t for t in ours if t.startswith("ENUM_")} == {t for t in theirs if t.startswith("ENUM_")}
    strings = [row["value"] for row in report.query("SELECT value FROM StringIds ORDER BY id LIMIT 4")]
    assert strings == ["[Unknown]", "[kernel.kallsyms]", "[Max depth]", "[Broken backtraces]"]
    assert report.value("SELECT count(*) = max(id) + 1 AND min(id) = 0 "
                        "AND count(DISTINCT value) = count(*) FROM StringIds")


def test_enums_are_nsyss(tmp_path, genuine):
    report = profile(tmp_path, "true")
    theirs = sqlite3.connect(genuine)
    for table in report.tables():
        if table.startswith("ENUM_"):
            rows = [tuple(row) for row in report.query(f"SELECT * FROM {table} ORDER BY id")]
            assert rows == theirs.execute(f"SELECT * FROM {table} ORDER BY id").fetchall(), table


def test_time_line(tmp_path):
    import time
    before = time.time_ns()
    report = profile(tmp_path, program("nvtx_zoo"))
    after = time.time_ns()
    start = report.value("SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME")
    duration = report.value("SELECT duration FROM ANALYSIS_DETAILS")
    assert before <= start and start + duration <= after
    assert report.value("SELECT min(start) FROM NVTX_EVENTS") >= 0
    assert report.value("SELECT max(end) FROM NVTX_EVENTS") <= duration
    assert report.value("SELECT startTime = 0 AND stopTime = duration FROM ANALYSIS_DETAILS")


def test_pandas(tmp_path):
    pandas = pytest.importorskip("pandas")
    report = profile(tmp_path, program("nvtx_zoo"))
    frame = pandas.read_sql_query("SELECT * FROM NVTX_EVENTS WHERE eventType = 59", report.database)
    assert len(frame) == report.value("SELECT count(*) FROM NVTX_EVENTS WHERE eventType = 59")
    assert (frame.end - frame.start).sum() > 0


def test_nsys_ai_reads_it(tmp_path):
    """Its analyses of GPU work refuse a report without any; the ones on NVTX must give the answer."""
    pytest.importorskip("nsys_ai")
    from nsys_ai.skills.registry import get_skill
    script = ("import nvtx\n"
              "for i in range(5):\n"
              "    with nvtx.annotate('gc collect', domain='python'): sum(range(100000))\n")
    report = profile(tmp_path, sys.executable, "-c", script)
    database = sqlite3.connect(report.path)
    rows = get_skill("gc_impact").execute(database)
    assert [(row["event_name"], row["occurrences"]) for row in rows] == [("gc collect", 5)]
    listed = get_skill("schema_inspect").run(database)
    assert all(table in listed for table in ("NVTX_EVENTS", "StringIds", "ThreadNames"))
