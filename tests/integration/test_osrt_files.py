"""--osrt-file-access: files, sockets and pipes, and the bytes that calls moved."""
import csv
import io
import sys
from collections import Counter

from profiling import prof, profile, program, source_of

FILES = ["--osrt-file-access=true"]
EVERYTHING = [*FILES, "--osrt-threshold=0"]
OPEN, READ, WRITE, CLOSE, OTHER = range(5)


def totals(report, pid=None):
    """{file: [reads, bytes read, writes, bytes written, opens]}"""
    result = {}
    for row in report.query("""
            SELECT d.filePath, d.processId, e.eventType, count(*) AS calls, sum(e.bytesProcessed) AS bytes
            FROM OSRT_FILE_ACCESS_EVENTS e JOIN OSRT_FILE_ACCESS_DESCRIPTORS d USING (fileAccessId)
            GROUP BY 1, 2, 3"""):
        if pid is not None and row["processId"] != pid:
            continue
        of = result.setdefault(row["filePath"], [0, 0, 0, 0, 0])
        if row["eventType"] in (READ, WRITE):
            at = 0 if row["eventType"] == READ else 2
            of[at] += row["calls"]
            of[at + 1] += row["bytes"]
        elif row["eventType"] == OPEN:
            of[4] += row["calls"]
    return result


def known(tmp_path, options):
    folder = tmp_path / "files"
    folder.mkdir(exist_ok=True)
    return profile(tmp_path, program("known_files"), folder, options=options)


def check(report):
    found, expected = totals(report), report.expected()
    assert {name: found.get(name) for name in expected} == expected


def test_counts_and_bytes_by_file(tmp_path):
    report = known(tmp_path, EVERYTHING)
    check(report)
    calls = Counter()
    for row in report.query("""SELECT s.value FROM OSRT_FILE_ACCESS_EVENTS e
                               JOIN StringIds s ON s.id = e.apiCallId WHERE eventType = 2"""):
        calls[row["value"]] += 1
    assert calls["writev"] == 1 and calls["fprintf"] == 1 and calls["pwrite"] == 1
    # The calls are also in the usual table.
    assert report.calls()["writev"] == 1 and report.calls()["sendfile"] == 1


def test_the_threshold_is_not_for_files(tmp_path):
    report = known(tmp_path, [*FILES, "--osrt-threshold=1000000000"])
    check(report)
    assert "OSRT_API" not in report.tables()


def test_lives_of_descriptors(tmp_path):
    report = known(tmp_path, EVERYTHING)
    rows = report.query("SELECT * FROM OSRT_FILE_ACCESS_DESCRIPTORS ORDER BY openedAt")
    assert all(row["openedAt"] <= row["closedAt"] for row in rows)
    # At any time a descriptor number has only one file.
    by_number = {}
    for row in rows:
        by_number.setdefault((row["processId"], row["descriptor"]), []).append(row)
    assert max(map(len, by_number.values())) > 3
    for lives in by_number.values():
        for earlier, later in zip(lives, lives[1:]):
            # A file that stays open after an exec or a fork is still the same file.
            inherited = earlier["filePath"] == later["filePath"]
            assert earlier["closedAt"] <= later["openedAt"] or inherited, (tuple(earlier), tuple(later))
    # No access of a descriptor is later than its close.
    assert report.value("""
        SELECT count(*) FROM OSRT_FILE_ACCESS_EVENTS e
        JOIN OSRT_FILE_ACCESS_DESCRIPTORS d USING (fileAccessId)
        WHERE e.startedAt > d.closedAt AND d.closedAt < (SELECT duration FROM ANALYSIS_DETAILS)""") == 0
    kinds = {row["id"]: row["label"] for row in report.query("SELECT * FROM ENUM_PROF_FILE_EVENT_TYPE")}
    assert kinds == {0: "Open", 1: "Read", 2: "Write", 3: "Close", 4: "Other"}


def test_python(tmp_path):
    report = profile(tmp_path, sys.executable, source_of("file_access.py"), options=FILES)
    expected, found = report.expected(), totals(report)
    data = found[expected["data"]]
    assert data[1:] == [10_000, 10, 10_000, 2]
    assert found[expected["client"]][2:4] == [1, 500]
    assert found[expected["server"]][1] == 500
    pipes = [of for name, of in found.items() if name.startswith("pipe:") and of[1] == of[3] == 300]
    assert len(pipes) == 1


def test_without_the_option(tmp_path):
    report = known(tmp_path, ["--osrt-threshold=0"])
    assert not [table for table in report.tables() if "FILE_ACCESS" in table or "FILE_EVENT" in table]
    assert report.calls()["writev"] == 1


def test_needs_osrt(tmp_path):
    done = prof("profile", "-t", "nvtx", *FILES, "-o", tmp_path / "r.db", "true")
    assert done.returncode == 2
    assert "--osrt-file-access=true needs osrt in --trace" in done.stderr


def rows(report, name="osrt_file_sum", *options):
    done = prof("stats", "-q", "-r", name, "-f", "csv", *options, report.path)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def test_statistics(tmp_path):
    report = known(tmp_path, EVERYTHING)
    table = rows(report)
    times = [int(row["Total Time (ns)"]) for row in table]
    assert times == sorted(times, reverse=True)
    expected = report.expected()
    found = {row["File"]: [int(row[key]) for key in ("Reads", "Bytes Read", "Writes", "Bytes Written",
                                                      "Opens")] for row in table}
    assert {name: found[name] for name in expected} == expected
    assert abs(sum(float(row["Time (%)"]) for row in table) - 100) < len(table) * 0.05 + 0.1
    amounts = [int(row["Bytes Read"]) + int(row["Bytes Written"]) for row in rows(report, "osrt_file_sum:bytes")]
    assert amounts == sorted(amounts, reverse=True)
    assert rows(report, "osrt_file_sum", "--filter-time", "0/1") == []
    wrong = prof("stats", "-r", "osrt_file_sum:size", report.path)
    assert wrong.returncode != 0 and "allowed: bytes" in wrong.stderr


def test_statistics_without_data(tmp_path):
    report = known(tmp_path, [])
    done = prof("stats", "-r", "osrt_file_sum", report.path)
    assert "--osrt-file-access" in done.stdout + done.stderr
