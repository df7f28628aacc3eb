"""The triggers of the flight recorder: requests that were made slow on purpose are caught with the cause inside."""
import json
import time

import pytest
from cuda_app import APP, CUPTI, needs_cuda
from flight import causes, flights, requests  # noqa: F401
from profiling import Report
from sessions import consecutive, sessions  # noqa: F401

MS = 10**6


def only_cause(report, trigger):
    cause, = causes(report)
    assert cause["TRIGGER"] == trigger and cause["CAUSE"].endswith(f" (--trigger {trigger}).")
    assert f"{cause['CAUSE']}" in report.diagnostics()
    return cause


def report_with(server, number, trigger):
    """The report whose cause is the end of this request, and the cause. On a busy machine others are slow, too."""
    for i in range(1, 10):
        report = server.wait_for_report(f"r.{i}.db")
        end = requests(report).get(number, (0, 0))[1]
        for cause in causes(report):
            if cause["TRIGGER"] == trigger and abs(int(cause["TIME_NS"]) - end) < 5 * MS:
                assert cause["CAUSE"].endswith(f" (--trigger {trigger}).") and cause["CAUSE"] in report.diagnostics()
                return report, cause
    raise AssertionError(server.reports())


def thread_of(report):
    row, = report.query("SELECT DISTINCT globalTid >> 24 & 0xffffff AS pid, globalTid & 0xffffff AS tid "
                        "FROM NVTX_EVENTS WHERE int64Value IS NOT NULL")
    return str(row["pid"]), str(row["tid"])


@pytest.mark.parametrize("trigger, says", [("range:requ*:>250ms", 'The range "request" took '),
                                           ("range:request:>5p99", "times its p99 of")])
def test_a_slow_range(flights, trigger, says):
    server = flights("--trigger", trigger, window="3s")
    server.serve(1.5)  # more than 200 requests, so that there is a p99
    slow = server.ask("slow") - 1
    report, cause = report_with(server, slow, trigger)
    assert says in cause["CAUSE"] and (cause["PID"], cause["TID"]) == thread_of(report)
    start, end = requests(report)[slow]
    assert end - start >= 300 * MS
    # The seconds before it are there, too.
    assert consecutive(sorted(requests(report)))[0] < slow - 100
    assert server.end() == 0


def test_what_comes_after_it(flights):
    server = flights("--trigger", "range:request:>250ms", "--trigger-after=600ms", window="2s")
    server.serve(0.4)
    slow = server.ask("slow") - 1
    report, _ = report_with(server, slow, "range:request:>250ms")
    end = requests(report)[slow][1]
    after = report.value("SELECT duration FROM ANALYSIS_DETAILS") - end
    assert 600 * MS <= after + 5 * MS and max(requests(report)) > slow + 10


def test_a_slow_call(flights):
    server = flights("--trigger", "osrt:poll:>250ms")
    server.serve(0.4)
    server.ask("wait")
    report = server.wait_for_report("r.1.db")
    cause = only_cause(report, "osrt:poll:>250ms")
    assert cause["CAUSE"].startswith("poll took ")
    call, = report.query("SELECT c.end - c.start AS time, c.end FROM OSRT_API c JOIN StringIds s ON s.id = c.nameId "
                         "WHERE s.value = 'poll' AND c.end - c.start > 250000000")
    assert abs(int(cause["TIME_NS"]) - call["end"]) < 5 * MS


@pytest.mark.parametrize("trigger", ["rate:request:<25%", "rate:request:<5/s"])
def test_a_rate_that_falls(flights, trigger):
    server = flights("--trigger", trigger, window="8s")
    if "%" in trigger:
        server.serve(13)  # until it is known what is usual
    else:
        server.serve(2.5)
    assert not server.reports()
    before = server.ask("hello")
    server.say("stall")
    report = server.wait_for_report("r.1.db")
    cause = only_cause(report, trigger)
    assert 'The range "request" ended ' in cause["CAUSE"] and before - 1 in requests(report)
    last = max(end for start, end in requests(report).values())
    assert int(cause["TIME_NS"]) - last > 500 * MS
    server.process.stdout.readline()
    server.end()


def test_a_counter_above_a_limit(flights):
    server = flights("--enable=cpu_metrics,-i100", "--trigger", "metric:*:>0", window="2s")
    report = server.wait_for_report("r.1.db")
    assert "The counter " in causes(report)[0]["CAUSE"]
    server.end()


def test_false_alarms_do_not_fill_the_disk(flights):
    """Each of a thousand requests is an alarm."""
    server = flights("--trigger", "range:request:>1us", "--trigger-limit=3")
    while server.serve(0.5) < 1500:
        pass
    assert server.end() == 0
    assert server.reports() == ["r.1.db", "r.2.db", "r.3.db", "r.db"]
    assert server.process.output[1].count("No report is written of this: ") == 1
    fired = sum(len(causes(Report(server.path / name))) for name in server.reports())
    text, = (text for text in Report(server.path / "r.db").diagnostics() if text.startswith("Triggers fired "))
    assert int(text.split()[2]) > 500 and fired < 1500 and "--trigger-limit 3" in text


@needs_cuda
def test_cuda_triggers(flights):
    triggers = {"wait": "cuda:cudaStreamSync*:>200ms", "fail": "cuda:*:error", "idle": "gpu-idle:0:>1s"}
    options = [word for trigger in triggers.values() for word in ("--trigger", trigger)]
    server = flights(*options, "--cupti-path", CUPTI, command=[APP, "obey"], window="4s",
                     trace=("-t", "cuda,nvtx", "--sample=none", "--cpuctxsw=none"))
    time.sleep(1)
    for number, (command, trigger) in enumerate(triggers.items(), 1):
        server.say(command)
        report = server.wait_for_report(f"r.{number}.db")
        cause = only_cause(report, trigger)
        if command == "wait":
            assert cause["CAUSE"].startswith("cudaStreamSynchronize took ")
            assert report.value("SELECT max(end - start) FROM CUPTI_ACTIVITY_KIND_RUNTIME") > 200 * MS
        if command == "fail":
            assert cause["CAUSE"].startswith("cudaMalloc returned error 2 in thread ")
            assert report.value("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE returnValue = 2") == 1
        if command == "idle":
            assert cause["CAUSE"].startswith("GPU 0 was idle for ")
            ends = [row["end"] for row in report.query("SELECT end FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY end")]
            starts = [row["start"] for row in report.query("SELECT start FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY start")]
            whole = report.value("SELECT duration FROM ANALYSIS_DETAILS")
            gaps = [start - end for end, start in zip(ends, [*starts[1:], whole])]
            assert max(gaps) > 900 * MS
    server.process.stdin.close()
    server.process.stdin = None
    out, _ = server.process.communicate(timeout=60)
    assert json.loads(out.strip().splitlines()[-1]) > 100
