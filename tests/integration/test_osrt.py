"""OS-runtime rows equal the output of the programs."""
from collections import Counter

from profiling import profile, program

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
