"""CPU samples that the program takes itself, by timers, if the kernel allows no perf events."""
import errno
import json
import os
import shutil
import subprocess
import sys
import time

import pytest
from profiling import PROF, Report, begins, prof, profile, program

BY_TIMERS = ("-s", "process-tree", "--sampling-method=timer")
WAYS = ["waits", "forks", "execs", "vforks", "churn", "all_signals", "old_signals", "deadly_signals", "blocks_all",
        "waits_for_each", "small_signal_stack", "large_signal_stack", "own_timers", "jumps", "other_stacks",
        "confined"]

# Linux 5.10 is the oldest.
pytestmark = pytest.mark.skipif(tuple(map(int, os.uname().release.split("-")[0].split(".")[:2])) < (5, 10),
                                reason="timers need a newer kernel")


def sampled(tmp_path, *command, traces="none", **more):
    return profile(tmp_path, *command, traces=traces, options=BY_TIMERS, **more)


def chains(report):
    """id -> [function, ...], innermost first."""
    rows = report.query("""
        SELECT c.id, s.value AS symbol FROM SAMPLING_CALLCHAINS c JOIN StringIds s ON s.id = c.symbol
        ORDER BY c.id, c.stackDepth""")
    result = {}
    for row in rows:
        result.setdefault(row["id"], []).append(row["symbol"])
    return result


def cpu_seconds(report, where="1"):
    """CPU time of the samples: each sample counts for the number of periods that it stands for."""
    period = 1 / 250  # approximately: a period is a little shorter than a tick of the kernel
    return period * (report.value(f"SELECT SUM(cpuCycles) FROM COMPOSITE_EVENTS WHERE {where}") or 0)


def sampled_pids(report):
    return {row[0] for row in report.query("SELECT DISTINCT globalTid >> 24 & 0xffffff FROM COMPOSITE_EVENTS")}


def ticks_are_of_4_ms():
    return abs(time.clock_getres(6) - 0.004) < 1e-6  # CLOCK_MONOTONIC_COARSE


@pytest.mark.alone
@pytest.mark.parametrize("way", ["deep", "inlined", "dlopen", "signal", "exception", "threads"])
def test_known_shares(tmp_path, way):
    report = sampled(tmp_path, program("cpu_shares"), way)
    found = chains(report)
    weights = {row["id"]: row["cpuCycles"] for row in report.query("SELECT id, cpuCycles FROM COMPOSITE_EVENTS")}
    total = sum(weights.values())
    for function, percent in report.expected().items():
        part = sum(weights[number] for number, chain in found.items() if function in chain)
        assert 100 * part / total == pytest.approx(percent, abs=3), function
    assert sum(map(begins, found.values())) >= 0.98 * len(found)


@pytest.mark.parametrize("way", WAYS)
def test_programs_notice_nothing(tmp_path, way):
    """Without and with traced calls, both at the same time because some of them wait most of the time."""
    runs = {tmp_path / f"{traces}.db": subprocess.Popen(
        [str(PROF), "profile", "-t", traces, *BY_TIMERS, "-o", str(tmp_path / f"{traces}.db"), program("sampled_ways"), way],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for traces in ("none", "osrt")}
    for path, run in runs.items():
        _, error = run.communicate()
        assert run.returncode == 0, error
        assert Report(path).value("PRAGMA integrity_check") == "ok"


@pytest.mark.alone
@pytest.mark.parametrize("way", ["forks", "execs", "blocks_all", "large_signal_stack", "jumps", "other_stacks"])
def test_what_ran_is_sampled(tmp_path, way):
    """Also if all signals are blocked, on other stacks, and in children. No sample is counted twice."""
    if not ticks_are_of_4_ms():
        pytest.skip("the figures are for ticks of 4 ms")
    report = sampled(tmp_path, program("sampled_ways"), way)
    # execs: a raw system call keeps the signal blocked for half of the time.
    seconds = {"forks": 1.2, "execs": 0.9, "blocks_all": 1.0}.get(way, 0.5)
    assert cpu_seconds(report) == pytest.approx(seconds, rel=0.25)
    named = [chain for chain in chains(report).values() if "burn" in chain or "jumps" in chain]
    assert len(named) >= 0.9 * len(chains(report))


def test_children_are_sampled(tmp_path):
    report = sampled(tmp_path, program("sampled_ways"), "forks")
    assert len(sampled_pids(report)) == 3


def test_a_signal_that_the_program_takes_ends_sampling(tmp_path):
    report = sampled(tmp_path, program("sampled_ways"), "all_signals")
    assert any("from then on it is not" in text for text in report.diagnostics())


def test_no_timer_is_left_over(tmp_path):
    sampled(tmp_path, program("sampled_ways"), "churn")  # checks /proc/self/timers


def test_a_static_program_has_no_timers(tmp_path):
    done = prof("profile", "-t", "none", *BY_TIMERS, "-o", tmp_path / "report.db", program("system_calls_static"))
    assert "timers in what the program starts, not in itself" in done.stderr


@pytest.mark.parametrize("number", [errno.EPERM, errno.EACCES, errno.ENOSYS])
def test_where_perf_is_refused_timers_take_its_place(tmp_path, number):
    """Like an ordinary user in a container."""
    path = tmp_path / "report.db"
    done = subprocess.run(
        [program("deny_perf"), str(number), str(PROF), "profile", "-t", "none", "-s", "process-tree",
         "--cpuctxsw=process-tree", "-o", path, program("cpu_shares"), "deep"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0
    assert "CPU samples are taken by timers" in done.stderr and "perf_event_open" in done.stderr
    assert "Context switches are not recorded" in done.stderr
    report = Report(path)
    assert any("taken by timers" in text for text in report.diagnostics())
    assert any("work_half" in chain for chain in chains(report).values())
    assert "SCHED_EVENTS" not in report.tables()
    methods = [row[0] for row in report.query(
        "SELECT value FROM META_DATA_CAPTURE WHERE name = 'SAMPLING_OPTIONS:METHOD'")]
    assert methods == ["timer"]


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("setpriv") is None, reason="has to change the user")
def test_as_nobody_with_perf_refused(tmp_path):
    os.chmod(tmp_path, 0o777)
    for folder in [tmp_path, *tmp_path.parents]:
        if not os.stat(folder).st_mode & 0o001:
            os.chmod(folder, os.stat(folder).st_mode | 0o011)
    path = tmp_path / "report.db"
    done = subprocess.run(
        ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", "--no-new-privs",
         program("deny_perf"), str(errno.EACCES), str(PROF), "profile", "-t", "osrt", "-s", "process-tree", "-o", path,
         program("cpu_shares"), "threads"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
        env={**os.environ, "HOME": "/", "XDG_RUNTIME_DIR": ""})
    if "ermission denied" in done.stderr:
        pytest.skip("nobody may not come here")
    assert done.returncode == 0, done.stderr
    assert any("work_half" in chain for chain in chains(Report(path)).values())


@pytest.mark.parametrize("way", ["deep", "threads"])
def test_chains_where_the_kernel_copies_no_stack(tmp_path, way):
    path = tmp_path / "report.db"
    done = subprocess.run(
        [program("deny_perf"), "--copies", str(errno.EPERM), str(PROF), "profile", "-t", "none", "-s", "process-tree",
         "-o", path, program("cpu_shares"), way], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0
    found = list(chains(Report(path)).values())
    whole = [chain for chain in found if begins(chain) and "ld-linux" not in chain[-1]]
    assert len(whole) >= 0.95 * len(found)
    assert all(sum("deeper" in function for function in chain) == 31 for chain in whole if "work_half" in chain)


def test_perf_alone_does_not_fall_back(tmp_path):
    path = tmp_path / "report.db"
    done = subprocess.run(
        [program("deny_perf"), str(errno.EPERM), str(PROF), "profile", "-t", "none", "-s", "process-tree",
         "--sampling-method=perf", "-o", path, program("plain")],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    assert "CPU samples are not recorded" in done.stderr
    assert "COMPOSITE_EVENTS" not in Report(path).tables()


def test_status_tells_the_way():
    done = subprocess.run([program("deny_perf"), str(errno.EPERM), str(PROF), "status", "--json"],
                          stdout=subprocess.PIPE, text=True, check=True)
    sampling = json.loads(done.stdout)["sampling"]
    assert sampling["available"] and "by timers" in sampling["detail"] and "perf_event_open" in sampling["detail"]


def test_system_wide_cannot_be_by_timers(tmp_path):
    done = prof("profile", "-t", "none", "-s", "system-wide", "--sampling-method=timer", "-o", tmp_path / "r.db",
                program("plain"))
    assert "process-tree" in done.stderr


def test_nothing_of_it_is_in_the_target_by_default(tmp_path):
    """The target has no timer and no handler: what a program can ask the kernel about itself is unchanged."""
    script = ("import re, sys; status = open('/proc/self/status').read();"
              "print(int(re.search(r'SigCgt:\\s*(\\w+)', status)[1], 16) >> 33, len(open('/proc/self/timers').read()))")
    plain = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, check=True).stdout
    for options in [("-s", "none"), ("-s", "process-tree", "--sampling-method=perf")]:
        report = profile(tmp_path, sys.executable, "-c", script, traces="osrt", options=options)
        assert report.done.stdout == plain
