"""OS-runtime rows equal the output of the programs."""
import csv
import io
from collections import Counter

import pytest
from profiling import prof, profile, program
from terminal import on_terminal

EVERYTHING = ["--osrt-threshold", "0"]


def test_counts_by_name(tmp_path):
    report = profile(tmp_path, program("osrt_zoo"), tmp_path / "scratch", options=EVERYTHING)
    expected = report.expected()
    calls = report.calls(tid=expected["tid"])
    assert {name: calls[name] for name in expected["counts"]} == expected["counts"]


def test_return_values_durations_and_fixed_columns(tmp_path):
    report = profile(tmp_path, program("osrt_zoo"), tmp_path / "scratch", options=EVERYTHING)
    tid = report.expected()["tid"]

    def rows(name):
        return report.query(
            "SELECT o.* FROM OSRT_API o JOIN StringIds s ON s.id = o.nameId WHERE s.value = ? "
            "AND o.globalTid & 0xffffff = ? ORDER BY start", name, tid)

    assert [row["returnValue"] for row in rows("write")] == [1] * 20
    assert [row["returnValue"] for row in rows("read")] == [-1]
    assert [row["returnValue"] for row in rows("poll")] == [0] * 3
    assert all(row["end"] - row["start"] >= 100_000 for row in rows("usleep"))
    assert rows("pthread_mutex_lock")[0]["end"] - rows("pthread_mutex_lock")[0]["start"] > 1_000_000
    assert rows("fork")[0]["returnValue"] == rows("waitpid")[0]["returnValue"]
    every = report.query("SELECT DISTINCT eventClass FROM OSRT_API")
    assert [tuple(row) for row in every] == [(27,)]


def test_threshold(tmp_path):
    scratch = tmp_path / "scratch"
    report = profile(tmp_path, program("osrt_zoo"), scratch, options=["--osrt-threshold=90000"])
    assert report.value("SELECT min(end - start) FROM OSRT_API") >= 90_000
    assert report.calls(tid=report.expected()["tid"])["usleep"] == 5
    default = profile(tmp_path, program("osrt_zoo"), scratch)
    # The clock model that converts times is more precise than the one that sets the threshold.
    assert default.value("SELECT min(end - start) FROM OSRT_API") >= 990


def short_calls(report):
    """Numbers of calls below the threshold, by thread and function."""
    if "PROF_SHORT_CALLS" not in report.tables():
        return Counter()
    return Counter({(row["tid"], row["value"]): row["calls"] for row in report.query(
        "SELECT globalTid & 0xffffff AS tid, value, calls FROM PROF_SHORT_CALLS JOIN StringIds ON id = nameId")})


def known_calls(report, fewest=0):
    return Counter({(tid, name): count for tid, reads, writes in report.expected()["calls"]
                    for name, count in (("read", reads), ("write", writes)) if reads + writes >= fewest})


def test_short_calls_are_counted(tmp_path):
    """In threads that end, in fork children, and in processes that are killed or exec."""
    # Also on a machine on which no call takes less than a microsecond.
    report = profile(tmp_path, program("short_calls"), options=["--osrt-threshold=100000"])
    recorded = Counter((row["tid"], row["value"]) for row in report.query(
        "SELECT globalTid & 0xffffff AS tid, value FROM OSRT_API JOIN StringIds ON id = nameId"))
    short = short_calls(report)
    known = known_calls(report)
    assert {key: short[key] + recorded[key] for key in known} == known
    longest = report.value("SELECT max(duration / calls) FROM PROF_SHORT_CALLS")
    assert 0 < longest <= 101000
    text, _ = on_terminal("stats", "-r", "osrt_sum", report.path)
    note = f" {sum(short.values()):,} shorter calls (below 100 us) took "
    assert note in text and text.rstrip().endswith("more: prof stats -r osrt_short_sum")
    assert note in on_terminal("stats", report.path)[0]
    assert "shorter" not in prof("stats", "-r", "osrt_sum", report.path).stdout
    sums = {row["Name"]: (row["Num Calls"], row["Threads"]) for row in report.statistics("osrt_short_sum")}
    for name in ("read", "write"):
        of_name = [calls for (_, each), calls in short.items() if each == name]
        assert sums[name] == (sum(of_name), len(of_name))


def test_without_a_threshold_no_call_is_short(tmp_path):
    report = profile(tmp_path, program("short_calls"), options=EVERYTHING)
    assert not short_calls(report)
    known = known_calls(report)
    recorded = Counter((row["tid"], row["value"]) for row in report.query(
        "SELECT globalTid & 0xffffff AS tid, value FROM OSRT_API JOIN StringIds ON id = nameId"))
    assert {key: recorded[key] for key in known} == known
    assert "shorter" not in on_terminal("stats", "-r", "osrt_sum", report.path)[0]


@pytest.mark.parametrize("options", [(), ("--osrt-file-access=true",), ("--osrt-backtrace-depth=8",)])
def test_all_calls_are_short(tmp_path, options):
    # With file accesses a signal can interrupt the writing of a record, and its call is dropped.
    signals = [] if "file" in "".join(options) else ["signals"]
    report = profile(tmp_path, program("short_calls"), *signals, options=["--osrt-threshold=1000000000000", *options])
    assert "OSRT_API" not in report.tables()
    short = short_calls(report)
    known = known_calls(report, fewest=64 if signals else 0)  # fewer do not make a child join
    assert {key: short[key] for key in known} == known
    text, status = on_terminal("stats", "-r", "osrt_sum", report.path)
    assert status == 0 and "SKIPPED" in text and "shorter calls (below 1000 s) took " in text


def test_short_calls_of_some_threads(tmp_path):
    report = profile(tmp_path, program("short_calls"), options=["--osrt-threshold=1000000000000"])
    tid, reads, writes = report.expected()["calls"][1]
    done = prof("stats", "-q", "-r", "osrt_short_sum", "-f", "csv", "--thread", tid, report.path)
    calls = {row["Name"]: int(row["Num Calls"]) for row in csv.DictReader(io.StringIO(done.stdout.strip()))}
    assert (calls["read"], calls["write"]) == (reads, writes)
    # When in the life of the threads the calls were made is not known.
    done = prof("stats", "-r", "osrt_short_sum", "--filter-time", "0/1s", report.path)
    assert "SKIPPED" in done.stderr and done.returncode == 0


def test_locks_keep_their_meaning(tmp_path):
    report = profile(tmp_path, program("locks"), options=EVERYTHING)
    assert report.expected() == {"ok": True}


def test_condition_variables(tmp_path):
    report = profile(tmp_path, program("condvar_pingpong"), options=EVERYTHING)
    calls = report.calls()
    assert 0 < calls["pthread_cond_broadcast"] <= 10_000  # only those with waiting threads
    assert calls["pthread_cond_timedwait"] == 1
    assert calls["pthread_cond_wait"] > 0


def test_calls_of_a_signal_handler_are_nested(tmp_path):
    report = profile(tmp_path, program("nested_calls"), options=EVERYTHING)
    levels = Counter(
        (row["value"], row["nestingLevel"]) for row in report.query(
            "SELECT s.value, o.nestingLevel FROM OSRT_API o JOIN StringIds s ON s.id = o.nameId"))
    assert levels["write", 0] == report.expected()["outside"]
    assert levels["write", 1] >= 3
    assert levels["clock_nanosleep", 0] >= 1


def test_none_traces_nothing_but_still_reports(tmp_path):
    from profiling import Report, prof
    done = prof("profile", "-t", "none", "-o", tmp_path / "r.db", "sleep", "0.01")
    assert done.returncode == 0
    report = Report(tmp_path / "r.db")
    assert "OSRT_API" not in report.tables()
    assert len(report.pids()) == 1
