"""What findings about programs without GPU work would save, against the same program without the problem."""
import csv
import io
import sqlite3

import pytest
from finding_reports import check_gains
from made_up_program import MS, US, Program
from test_findings import diagnosis, report_of

from profiling import prof

STEPS = 30
WORK = [("work", "/app/steps.py", 12), ("main", "/app/steps.py", 30)]
HOT = [("inner", "/app/steps.py", 4), ("hot", "/app/steps.py", 8), ("main", "/app/steps.py", 31)]


def steps(program, call="", waits=0, hot=0):
    """Each step waits in a call, executes a hot function and works. It writes each millisecond of work."""
    for _ in range(STEPS):
        if waits:
            program.os_call(call, waits)
        if hot:
            program.python_samples(HOT, hot)
            program.os_call("write", 20 * US)
        for _ in range(3):
            program.python_samples(WORK, MS)
            program.os_call("write", 20 * US)


@pytest.mark.parametrize("rule, problem, change", [
    ("sleeping", {"call": "clock_nanosleep", "waits": 6 * MS}, "call:^(clock_nanosleep)$=0"),
    ("disk_flush", {"call": "fsync", "waits": 9 * MS}, "call:^(fsync)$=0"),
    ("hot_python_function", {"hot": 12 * MS}, None)])
def test_the_gain_is_what_the_program_without_the_problem_saves(tmp_path, rule, problem, change):
    found = {}
    for name, arguments in (("slow", problem), ("fast", {})):
        (tmp_path / name).mkdir()
        report = report_of(lambda program, arguments=arguments: steps(program, **arguments), tmp_path / name)
        found[name] = diagnosis(report)
        check_gains(report, found[name])
    [finding] = [each for each in found["slow"]["findings"] if each["rule"] == rule]
    saved = found["slow"]["time_ns"] - found["fast"]["time_ns"]
    assert finding["gain_ns"] == pytest.approx(saved, rel=0.1), found
    assert change is None or finding["what_if"] == change
    assert found["slow"]["findings"][0] is finding
    assert found["slow"]["gains"]["sentence"].startswith(f"mending {rule} would save up to ")
    text = prof("analyze", tmp_path / "slow" / "report.sqlite").stdout
    assert f"Gain: mending {rule} would save up to " in text and ", gain at most " in text


def test_input_comes_when_its_writer_has_made_it(tmp_path):
    found = diagnosis(report_of(lambda program: steps(program, "read", 6 * MS, 4 * MS), tmp_path))
    waits = [each for each in found["findings"] if each["rule"] == "input_waits"]
    assert len(waits) == 1 and "gain_ns" not in waits[0], found
    assert "input_waits" not in found["gains"]["sentence"]


def predicted(report, change):
    done = prof("analyze", "-q", "-f", "csv", "--what-if", change, report)
    assert done.returncode == 0, done.stderr
    [row] = csv.DictReader(io.StringIO(done.stdout.strip()))
    return int(row["Gain (ns)"])


def test_functions_and_what_they_call(tmp_path):
    report = report_of(lambda program: steps(program, "clock_nanosleep", 2 * MS, 12 * MS), tmp_path)
    hot = predicted(report, "function:hot=0")
    assert hot == pytest.approx(STEPS * 12 * MS, rel=0.05)
    assert predicted(report, "function:inner=0") == hot
    assert predicted(report, "function:hot*0.5") == pytest.approx(hot / 2, rel=0.01)
    # The calls in which it waits stay.
    assert predicted(report, "function:main=0") == pytest.approx(STEPS * 15 * MS, rel=0.05)
    done = prof("analyze", "--what-if", "function:cold=0", report)
    assert done.returncode != 0 and "no thread with calls was sampled in such a function" in done.stderr


def test_a_wait_that_another_thread_hides_saves_nothing(tmp_path):
    """The main thread waits until the longer one of two threads ends, and the other one sleeps."""
    def run(program):
        main, start = program.thread, program.now
        program.os_call("pthread_create", 20 * US)
        program.os_call("pthread_create", 20 * US)
        ends = []
        for number, busy in ((1, True), (2, False)):
            program.thread, program.now = main + number, start + 100 * US
            for _ in range(STEPS):
                if busy:
                    program.python_samples(WORK, 5 * MS)
                else:
                    program.os_call("clock_nanosleep", 4 * MS)
                program.os_call("write", 20 * US)
            ends.append(program.now)
        program.thread, program.now = main, start + 50 * US
        program.os_call("pthread_join", max(ends) + 50 * US - program.now)

    report = report_of(run, tmp_path)
    assert predicted(report, "call:clock_nanosleep=0") < MS
    assert predicted(report, "function:work=0") > STEPS * MS // 2


def test_a_program_whose_calls_do_not_cover_its_time_is_not_replayed(tmp_path):
    def run(program):
        steps(program, "clock_nanosleep", 2 * MS)
        program.python_samples(HOT, 400 * MS)

    found = diagnosis(report_of(run, tmp_path))
    assert found["gains"]["sentence"].startswith("left out: threads make calls only in ")
    assert all("gain_ns" not in each for each in found["findings"]) and found["findings"]


def test_a_report_that_is_too_large_is_not_replayed(tmp_path):
    report = report_of(lambda program: steps(program, "clock_nanosleep", 6 * MS), tmp_path)
    with sqlite3.connect(report) as database:
        database.execute("UPDATE OSRT_API SET rowid = 5000000 WHERE rowid = (SELECT max(rowid) FROM OSRT_API)")
        database.execute("CREATE TABLE padding AS SELECT zeroblob(10000000)")
    found = diagnosis(report)
    assert found["gains"]["sentence"].startswith("left out: more than a million calls")
