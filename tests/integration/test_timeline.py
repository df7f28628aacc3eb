"""Every event of a report is in a row of the timeline, once: counts and sums of durations agree with SQL."""
import os
import sqlite3
import subprocess
import sys

import pytest
from profiling import BUILD, MORE_TRUTH, SOURCE, TRUTH, unpacked

MODEL = BUILD / "bin" / "bench" / "timeline_model"
EVENTS = {  # which rows of a table are events
    "CUPTI_ACTIVITY_KIND_RUNTIME": "eventClass <> 67", "OSRT_API": "eventClass = 27",
    "NVTX_EVENTS": "eventType IN (34, 59, 60)"}
# Shown as curves or as states of threads.
CURVES = {"GPU_METRICS", "CUDA_GPU_MEMORY_USAGE_EVENTS", "GENERIC_EVENTS", "NET_NIC_METRIC", "NET_IB_SWITCH_METRIC"}
OTHER = {"SCHED_EVENTS"}
NEEDS_AN_END = ("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEM", "CUPTI_ACTIVITY_KIND_GRAPH",
                "CUPTI_ACTIVITY_KIND_SYNC", "CUPTI_ACTIVITY_KIND_RUNTIME")
FARTHEST = 2 ** 61


def shown(path):
    """{table: (events, duration)} of the timeline, and its messages."""
    output = subprocess.run([MODEL, "--tables", path], stdout=subprocess.PIPE, text=True, check=True).stdout
    lines = [line.split("\t") for line in output.splitlines()]
    return ({line[1]: (int(line[2]), int(line[3])) for line in lines if line[0] != "message"},
            [line[1] for line in lines if line[0] == "message"])


def in_tables(path):
    """The same of the report's tables."""
    report = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    tables = [name for name, in report.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    session, = report.execute("SELECT max(duration) FROM ANALYSIS_DETAILS").fetchone() \
        if "ANALYSIS_DETAILS" in tables else (0,)
    result = {}
    for table in tables:
        columns = {row[1] for row in report.execute(f'PRAGMA table_info("{table}")')}
        start = next((each for each in ("start", "timestamp", "startedAt") if each in columns), None)
        end = next((each for each in ("end", "endedAt") if each in columns), None)
        if start is None or table in OTHER or table.startswith(("TARGET_INFO", "META_DATA", "ENUM_", "ANALYSIS_")):
            continue
        if table in CURVES:
            events, = report.execute(f'SELECT count(*) FROM "{table}"').fetchone()
            if table == "GENERIC_EVENTS" and "GENERIC_EVENT_DATA" in tables:
                events, = report.execute("SELECT count(*) FROM GENERIC_EVENT_DATA").fetchone()
            if events:
                result[table + " (curves)"] = (events, 0)
            continue
        end = f'"{end}"' if end else start
        condition = EVENTS.get(table, "1")
        may_be_open = not table.startswith(NEEDS_AN_END)
        latest, = report.execute(f'SELECT max(max("{start}"), COALESCE(max({end}), 0)) FROM "{table}" '
                                 f"WHERE {condition}").fetchone()
        open_end = max(session or 0, latest or 0)
        last = f"CASE WHEN {end} IS NOT NULL THEN {end} " + \
            (f"WHEN {'eventType = 34' if table == 'NVTX_EVENTS' else '0'} THEN {start} ELSE max({start}, {open_end})"
             if may_be_open else "") + " END"
        events, duration = report.execute(
            f'SELECT count(*), sum(last - first) FROM (SELECT {start} AS first, {last} AS last FROM "{table}" '
            f"WHERE {condition}) WHERE first <= last AND first >= {-FARTHEST} AND last <= {FARTHEST}").fetchone()
        if events:
            result[table] = (events, duration)
    report.close()
    return result


def of_rows(tables):
    """File events are shown as events and, those that read or write, as curves. What a CPU ran is computed from pairs of
    context switches (tests/unit/exporters/viewer/timeline has its test)."""
    return {name: value for name, value in tables.items()
            if name not in ("OSRT_FILE_ACCESS_EVENTS (curves)", "SCHED_EVENTS")}


REPORTS = [TRUTH / "report.sqlite.gz"] + sorted(MORE_TRUTH.rglob("*.sqlite.gz"))


@pytest.mark.parametrize("packed", REPORTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_event_of_a_report_of_nsys_is_in_a_row(packed, tmp_path):
    path = unpacked(tmp_path / "report.sqlite", packed)
    report = sqlite3.connect(path)
    if not report.execute("SELECT 1 FROM sqlite_master WHERE name = 'StringIds'").fetchone():
        pytest.skip("an export of some tables, which is not a report")
    report.close()
    tables, messages = shown(path)
    assert of_rows(tables) == in_tables(path)
    assert not messages


def test_every_event_of_a_large_report_is_in_a_row(tmp_path):
    """Large tables are read in parts, by several threads."""
    path = tmp_path / "large.db"
    subprocess.run([sys.executable, SOURCE / "tests/bench/make_large_report.py", path, "--millions", "1"], check=True,
                   env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    tables, messages = shown(path)
    assert tables == in_tables(path)
    assert tables["CUPTI_ACTIVITY_KIND_RUNTIME"][0] == 500_000
    assert not messages


def test_rows_with_impossible_times_are_counted(tmp_path):
    path = tmp_path / "impossible.db"
    subprocess.run([sys.executable, SOURCE / "tests/bench/make_large_report.py", path, "--millions", "0.001"],
                   check=True, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    report = sqlite3.connect(path)
    report.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = start - 1 WHERE rowid = 3")
    report.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = ?, end = ? WHERE rowid = 5", (-2 ** 63, 2 ** 63 - 1))
    report.execute("UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET globalTid = ?, correlationId = ? WHERE rowid < 9",
                   (2 ** 63 - 1, 2 ** 62))
    report.execute("UPDATE NVTX_EVENTS SET end = NULL WHERE rowid < 9")
    report.commit()
    report.close()
    tables, messages = shown(path)
    assert tables == in_tables(path)
    assert tables["CUPTI_ACTIVITY_KIND_KERNEL"][0] == 248
    assert messages == [f"{path}: 2 rows of CUPTI_ACTIVITY_KIND_KERNEL are not shown, because they end before they "
                        "start or lack a time."]
