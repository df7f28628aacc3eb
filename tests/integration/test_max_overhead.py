"""--max-overhead: counts stay exact, totals are estimated, and the report says what was left out."""
import json

import pytest
from profiling import prof, profile, program

QUIET = []
# So little that also a program which prof slows down, on a busy machine, has to be thinned.
LITTLE = ["--max-overhead", "0.1%"]


def sums(report):
    """Name -> (events, time, rows, variance of the time) from weights and short calls."""
    result = {}
    tables = report.tables()

    def add(name, events, time, rows=0, variance=0):
        one = result.get(name, (0, 0, 0, 0))
        result[name] = tuple(a + b for a, b in zip(one, (events, time, rows, variance)))

    for table, name in (("OSRT_API", "(SELECT value FROM StringIds WHERE id = nameId)"), ("NVTX_EVENTS", "text")):
        if table not in tables:
            continue
        has_weight = any(row["name"] == "weight" for row in report.query(f"PRAGMA table_info({table})"))
        weight = "weight" if has_weight else "1"
        where = "WHERE eventType IN (34, 59, 60)" if table == "NVTX_EVENTS" else ""
        for row in report.query(f"""SELECT {name} AS name, SUM({weight}) AS events, COUNT(*) AS rows,
                SUM({weight} * (coalesce(end, start) - start) * (coalesce(end, start) - start < 1500000)) AS time,
                SUM({weight} * 1.0 * ({weight} - 1)) AS pairs,
                AVG(1.0 * (end - start) * (end - start) * (end - start < 1500000)) AS square FROM {table} {where} GROUP BY 1"""):
            add(row["name"], row["events"], row["time"], row["rows"], row["pairs"] * (row["square"] or 0))
    if "PROF_SHORT_CALLS" in tables:
        for row in report.query("SELECT value, calls, duration FROM PROF_SHORT_CALLS JOIN StringIds ON id = nameId"):
            add(row["value"], row["calls"], row["duration"])
    return result


def truth(report):
    return json.loads(report.done.stdout.splitlines()[-1])


def left_out(report):
    return report.value("SELECT SUM(events - recorded) FROM PROF_THINNING") if "PROF_THINNING" in report.tables() else 0


def test_counts_of_cheap_calls_are_exact(tmp_path):
    report = profile(tmp_path, program("known_rates"), "calls", 2_000_000, options=[*QUIET, *LITTLE])
    assert sums(report)["fread"][0] == truth(report)["fread"]["count"]
    assert left_out(report) > 1_000_000


def test_both_ends_of_ranges_or_none(tmp_path):
    report = profile(tmp_path, program("known_rates"), "ranges", 600_000, options=[*QUIET, *LITTLE])
    expected = {name: known["count"] for name, known in truth(report).items() if isinstance(known, dict)}
    found = sums(report)
    assert {name: found[name][0] for name in expected} == expected
    assert found["other"][2] < expected["other"]
    assert report.value("SELECT COUNT(*) FROM NVTX_EVENTS WHERE isOpen") == 0


def test_uneven_durations_in_three_threads(tmp_path):
    report = profile(tmp_path, program("known_rates"), "uneven", 50_000,
                     options=[*QUIET, "--osrt-threshold=0", "--max-overhead", "0.5%"])
    found = sums(report)
    assert left_out(report) > 0
    for name, known in truth(report).items():
        if not isinstance(known, dict):
            continue
        events, time, _, variance = found[name]
        assert events == known["count"]
        # What prof sees is a little longer than what the program does in the call. Six sigma.
        assert abs(time - known["time"]) < 0.03 * known["time"] + 100 * events + 6 * variance ** 0.5


def test_statistics_are_scaled_and_say_so(tmp_path):
    report = profile(tmp_path, program("known_rates"), "uneven", 20_000,
                     options=[*QUIET, "--osrt-threshold=0", *LITTLE])
    for name, event in (("osrt_sum", "fread"), ("nvtx_sum", ":part")):
        done = prof("stats", "-r", name, "--format", "json", report.path)
        row, = (row for row in json.loads(done.stdout) if event in row.values())
        count = row.get("Num Calls", row.get("Instances"))
        assert count == truth(report)[event.strip(":")]["count"]
        assert row["Recorded"] < count and row["Est. Error (%)"] > 0
        assert "--max-overhead 0.1%: left out" in done.stderr
    assert "left out" in prof("info", report.path).stderr
    assert "left out" in prof("analyze", report.path).stderr


def test_nothing_left_out_is_said(tmp_path):
    report = profile(tmp_path, program("known_rates"), "ranges", 1000, options=[*QUIET, "--max-overhead", "50%"])
    assert "PROF_THINNING" not in report.tables()
    assert all(row["name"] != "weight" for row in report.query("PRAGMA table_info(NVTX_EVENTS)"))
    assert "--max-overhead 50%: nothing was left out" in prof("stats", "-r", "nvtx_sum", report.path).stderr


def test_without_the_option_nothing_is_said(tmp_path):
    report = profile(tmp_path, program("known_rates"), "ranges", 1000, options=QUIET)
    assert "max-overhead" not in prof("stats", "-r", "nvtx_sum", report.path).stderr


@pytest.mark.parametrize("share", ["0", "0%", "200%", "much", "1 percent", "-1%", "nan", ""])
def test_shares_that_make_no_sense(share):
    done = prof("profile", f"--max-overhead={share}", "true")
    assert done.returncode == 2
    assert "write a share of the time, 0.1% to 50%" in done.stderr


@pytest.mark.parametrize("options, message", [
    (["--osrt-file-access=true"], "follows all calls"), (["-t", "cuda"], "needs osrt or nvtx")])
def test_options_that_do_not_go_together(options, message):
    done = prof("profile", "--max-overhead=1%", *options, "true")
    assert done.returncode == 2
    assert message in done.stderr
