"""Capture ranges: events outside of them are not recorded, and each may become a report."""
import sys

import pytest
from profiling import MARK, PUSH_POP, START_END, Report, prof, program, source_of

EVENTS = f"eventType IN ({MARK}, {PUSH_POP}, {START_END})"  # time 0 is the start of the range


def capture(tmp_path, *options, script=("nvtx_epochs.py",), trace="nvtx,osrt"):
    done = prof("profile", "-t", trace, "-c", "nvtx", "-o", tmp_path / "r.db", *options, sys.executable,
                source_of(script[0]), *script[1:])
    return done, {path.name: Report(path) for path in sorted(tmp_path.glob("*.db"))}


def texts(report, event_type):
    return [row[0] for row in report.query(
        "SELECT coalesce(text, (SELECT value FROM StringIds WHERE id = textId)) FROM NVTX_EVENTS "
        "WHERE eventType = ? ORDER BY start", event_type)]


def test_one_range_and_the_program_goes_on(tmp_path):
    done, reports = capture(tmp_path, "-p", "epoch", "--capture-range-end=stop")
    assert done.returncode == 0 and done.stdout == "done\n"
    report = reports["r.db"]
    assert texts(report, MARK) == ["in 0"]
    assert texts(report, PUSH_POP) == ["epoch", "inner"]
    # The only OS-runtime call is the sleep inside the range.
    assert report.value("SELECT count(*) FROM OSRT_API WHERE end - start > 5000000") == 1
    assert report.value(f"SELECT min(start) FROM NVTX_EVENTS WHERE {EVENTS}") >= 0
    duration = report.value("SELECT duration FROM ANALYSIS_DETAILS")
    assert duration >= report.value("SELECT max(end) FROM NVTX_EVENTS WHERE eventType = 59")
    assert report.value("PRAGMA integrity_check") == "ok"


def test_shutdown_ends_the_program(tmp_path):
    done, reports = capture(tmp_path, "-p", "epoch", script=("nvtx_epochs.py", "--slow"))
    assert done.returncode == 0 and done.stdout == ""
    assert texts(reports["r.db"], MARK) == ["in 0"]


def test_kill_none_leaves_the_program_alone(tmp_path):
    done, reports = capture(tmp_path, "-p", "epoch", "--kill=none", script=("nvtx_epochs.py", "--slow"))
    assert done.returncode == 0
    assert texts(reports["r.db"], MARK) == ["in 0"]


@pytest.mark.parametrize("end, count", [("repeat", 3), ("repeat:2", 2), ("repeat-shutdown:2", 2)])
def test_a_report_for_each_range(tmp_path, end, count):
    done, reports = capture(tmp_path, "-p", "epoch", f"--capture-range-end={end}")
    assert done.returncode == 0
    assert list(reports) == [f"r.{i + 1}.db" for i in range(count)]
    for i, report in enumerate(reports.values()):
        assert texts(report, MARK) == [f"in {i}"]
        assert report.value(f"SELECT min(start) FROM NVTX_EVENTS WHERE {EVENTS}") >= 0
    starts = [report.value("SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME")
              for report in reports.values()]
    assert starts == sorted(starts) and len(set(starts)) == count


def test_ranges_of_a_domain(tmp_path):
    _, reports = capture(tmp_path, "-p", "epoch@other", "--capture-range-end=stop")
    assert texts(reports["r.db"], MARK) == ["other 0"]


def test_ranges_of_any_domain(tmp_path):
    _, reports = capture(tmp_path, "-p", "epoch@*", "--capture-range-end=repeat:2")
    assert [texts(report, MARK) for report in reports.values()] == [["in 0"], ["other 0"]]


def test_a_started_range(tmp_path):
    _, reports = capture(tmp_path, "-p", "started", "--capture-range-end=stop")
    assert texts(reports["r.db"], MARK) == ["started 0"]
    assert texts(reports["r.db"], START_END) == ["started"]


@pytest.mark.parametrize("options", [("--capture-range-end=none",), ("--stop-on-range-end=false",)])
def test_without_end_recording_goes_on(tmp_path, options):
    _, reports = capture(tmp_path, "-p", "epoch", *options)
    marks = texts(reports["r.db"], MARK)
    assert marks[0] == "in 0" and marks[-1] == "after 2" and "before" not in marks


def test_a_range_that_never_starts(tmp_path):
    done, reports = capture(tmp_path, "-p", "no such range")
    assert done.returncode == 0 and done.stdout == "done\n"
    assert "never entered the capture range, so the report has no events" in done.stderr
    assert "no NVTX range no such range began" in done.stderr and "-p 'no such range@*'" in done.stderr
    assert list(tmp_path.iterdir()) == [tmp_path / "r.db"]  # scripts that come after the program find it
    assert not texts(reports["r.db"], MARK) and reports["r.db"].pids()


@pytest.mark.parametrize("options, says", [
    (("-c", "nvtx", "-p", "x", "--capture-range-end=sometimes"), "unknown action"),
    (("-c", "nvtx", "-p", "x", "--capture-range-end=repeat:0"), "not a number"),
    (("-c", "nvtx", "-p", "x" * 300), "too long"),
])
def test_contradictory_options(tmp_path, options, says):
    done = prof("profile", "-o", tmp_path / "r.db", *options, "true")
    assert done.returncode == 2 and says in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize("options, says", [
    (("-c", "nvtx"), "names no range"),
    (("-c", "nvtx", "-p", "in", "-t", "osrt"), "NVTX ranges are recorded, too"),
    (("-p", "x"), "--nvtx-capture: no effect"),
    (("-c", "hotkey"), "everything is recorded"),
    (("-c", "nvtx", "-p", "epoch", "-y", "5", "-d", "5"), "have no effect with --capture-range"),
    (("-c", "nvtx", "-p", "epoch", "--capture-range-end=repeat-shutdown:1:sync"), "=sync: reports of ranges are written"),
])
def test_what_has_no_effect_is_said(tmp_path, options, says):
    done = prof("profile", "-o", tmp_path / "r.db", *options, sys.executable, source_of("nvtx_epochs.py"))
    said = [line for line in done.stderr.splitlines() if says in line]
    assert done.returncode == 0 and len(said) == 1 and said[0].startswith("prof: "), done
    assert Report(next(tmp_path.glob("*.db"))).value("PRAGMA integrity_check") == "ok"


def test_short_calls_of_each_range(tmp_path):
    done = prof("profile", "-t", "nvtx,osrt", "-c", "nvtx", "-p", "part", "--capture-range-end=repeat:3",
                "--osrt-threshold=1000000000000", "-o", tmp_path / "r.db", program("short_calls_in_ranges"))
    assert done.returncode == 0, done.stderr
    calls = [Report(tmp_path / f"r.{i}.db").query(
        "SELECT calls FROM PROF_SHORT_CALLS JOIN StringIds ON id = nameId WHERE value = 'write'") for i in (1, 2, 3)]
    assert [[row["calls"] for row in rows] for rows in calls] == [[100], [200], [300]]


def marks_at_steps(tmp_path, *options):
    """Runs twenty steps, numbered from 0. Returns the numbers of the recorded ones, by report."""
    done = prof("profile", "-t", "nvtx", "-o", tmp_path / "r.db", *options, sys.executable,
                source_of("counted_steps.py"))
    assert done.returncode == 0, done.stderr
    return done, {path.name: sorted(int(text.split()[1]) for text in texts(Report(path), MARK))
                  for path in tmp_path.glob("*.db")}


@pytest.mark.parametrize("options, wanted", [
    (("--at-step=0",), {"r.db": [0]}),
    (("--at-step=5:3", "--step-range=step"), {"r.db": [5, 6, 7]}),
    (("--at-step=2,7:2,19:9", "--step-range=step@*"), {"r.1.db": [2], "r.2.db": [7, 8], "r.3.db": [19]}),
    (("--at-step=3:2,8", "--step-range=step", "--capture-range-end=repeat:1"), {"r.1.db": [3, 4]}),
    (("--at-step=17", "--step-range=step", "--capture-range-end=none"), {"r.db": [17, 18, 19]}),
    # PyTorch's steps end with the first optimizer's: the mark comes before.
    (("--at-step=5:3",), {"r.db": [5, 6, 7]}),
])
def test_steps(tmp_path, options, wanted):
    done, marks = marks_at_steps(tmp_path, *options)
    assert marks == wanted and "done" in done.stdout


def test_a_step_that_does_not_come(tmp_path):
    done = prof("profile", "-t", "nvtx", "-o", tmp_path / "r.db", "--at-step=20", "--step-range=step", sys.executable,
                source_of("counted_steps.py"))
    assert done.returncode == 0
    assert "--at-step 20: the program ended before that step, counted by the NVTX range step" in done.stderr
    for words in (["--at-step=1", "-c", "cudaProfilerApi"], ["--at-step=5,4"]):
        assert prof("profile", *words, "true").returncode == 2
