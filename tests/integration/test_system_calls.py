"""-t syscall: what the kernel records, and what prof says if the kernel refuses."""
import errno
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from profiling import PROF, Report, prof, profile, program


def status(*prefix):
    done = subprocess.run([*prefix, str(PROF), "status", "--json"], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)["syscall"]


HERE = status()
possible = pytest.mark.skipif(not HERE["available"], reason=HERE["detail"])


def calls(report, pid=None, tid=None):
    rows = report.query("""
        SELECT value AS name, globalTid >> 24 & 0xffffff AS pid, globalTid & 0xffffff AS tid
        FROM SYSCALL JOIN StringIds ON id = nameId""")
    return Counter(row["name"] for row in rows
                   if (pid is None or row["pid"] == pid) and (tid is None or row["tid"] == tid))


def traced(tmp_path, *command, **options):
    return profile(tmp_path, *command, traces="syscall", **options)


@possible
@pytest.mark.parametrize("name", ["system_calls", "system_calls_static"])
def test_known_answer(tmp_path, name):
    report = traced(tmp_path, program(name))
    expected = report.expected()
    pid = expected["pid"]
    who = [(pid, pid, expected["main"])]
    who += [(pid, int(tid), counts) for tid, counts in expected["threads"].items()]
    who += [(int(child), None, counts) for child, counts in expected["children"].items()]
    for pid, tid, counts in who:
        made = calls(report, pid, tid)
        assert {call: made[call] for call in counts} == counts, (pid, tid)
    assert {expected["pid"], *map(int, expected["children"])} <= report.pids()


@possible
def test_rows_are_as_nsys_has_them(tmp_path):
    report = traced(tmp_path, program("system_calls"))
    assert [row["name"] for row in report.query("PRAGMA table_info(SYSCALL)")] == [
        "start", "end", "eventClass", "globalTid", "nameId", "callchainId"]
    label = report.query("SELECT DISTINCT label FROM SYSCALL JOIN ENUM_NSYS_EVENT_CLASS ON id = eventClass")
    assert [row["label"] for row in label] == ["Syscall"]
    end = report.value("SELECT duration FROM ANALYSIS_DETAILS")
    assert report.value("SELECT count(*) FROM SYSCALL WHERE start < 0 OR end < start OR end > ?", end) == 0
    nap = report.value("SELECT end - start FROM SYSCALL JOIN StringIds ON id = nameId WHERE value = 'nanosleep'")
    assert 20_000_000 <= nap < end
    assert report.value("SELECT count(*) FROM META_DATA_CAPTURE WHERE value = 'Syscall'") == 1
    # A thread makes one call at a time.
    assert report.value("""
        SELECT count(*) FROM (SELECT start < lag(end) OVER (PARTITION BY globalTid ORDER BY start, end) AS torn
                              FROM SYSCALL) WHERE torn""") == 0


@possible
def test_the_clock_is_that_of_the_other_traces(tmp_path):
    """Each nanosleep of the OS runtime contains its system call."""
    report = profile(tmp_path, "sleep", "0.05", traces="osrt,syscall")
    outside, inside = (report.query(f"""
        SELECT start, end FROM {table} JOIN StringIds ON id = nameId
        WHERE value LIKE '%nanosleep' AND end - start >= 50000000""")[0] for table in ("OSRT_API", "SYSCALL"))
    assert outside["start"] - 20_000 <= inside["start"] and inside["end"] <= outside["end"] + 20_000


@possible
def test_static_programs_have_names(tmp_path):
    report = traced(tmp_path, program("system_calls_static"))
    assert "(-t syscall)" in report.done.stderr
    expected = report.expected()
    names = {row["pid"]: row["name"] for row in report.query("SELECT pid, name FROM PROCESSES")}
    assert names[expected["pid"]] == "system_calls_st"  # the kernel keeps only this length
    threads = {row["tid"]: row["value"] for row in report.query(
        "SELECT globalTid & 0xffffff AS tid, value FROM ThreadNames JOIN StringIds ON id = nameId")}
    first, *others = map(int, expected["threads"])
    assert threads[first] == "first of four" and {threads[tid] for tid in others} == {"system_calls_st"}


@possible
def test_a_static_program_alone(tmp_path):
    report = traced(tmp_path, program("static_program"), status=6)
    assert calls(report)["write"] == 1 and calls(report)["exit_group"] == 1


@possible
def test_as_many_as_strace_counts(tmp_path):
    """For a static program, in which no code of prof runs: every name."""
    if shutil.which("strace") is None:
        pytest.skip("no strace")
    log = tmp_path / "strace"
    own = program("system_calls_static")
    done = subprocess.run(["strace", "-f", "-c", "-o", str(log), own], stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        pytest.skip("strace may not trace here")
    counted = Counter({name: int(count) for count, name in re.findall(
        r"^ *[\d.]+ +[\d.]+ +\d+ +(\d+)(?: +\d+)? +(\w+)$", log.read_text(), re.M) if name != "total"})
    ours = calls(traced(tmp_path, own))
    ours["execve"] += 1  # prof's own execve, which starts the program
    # strace does not count calls that never return or have no name. The number of waits for locks varies, and
    # a thread's exec may end the main thread within its pthread_create.
    for name in ("exit", "exit_group", "syscall_999", "futex", "rt_sigprocmask"):
        counted.pop(name, None), ours.pop(name, None)
    assert ours == counted


@possible
def test_statistics(tmp_path):
    report = traced(tmp_path, program("system_calls_static"))
    done = prof("stats", "-r", "syscall_sum", "-f", "csv", report.path)
    header, *lines = [line for line in done.stdout.splitlines() if "," in line]
    assert header == "Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name"
    numbers = {line.split(",")[-1]: int(line.split(",")[2]) for line in lines}
    assert numbers == calls(report) and numbers["getsid"] == 100 + 101 + 102 + 103 + 5


@possible
def test_records_that_the_kernel_dropped_are_reported(tmp_path):
    count = 400_000
    path = tmp_path / "r.db"
    done = prof("profile", "-t", "syscall", "-o", path, program("system_calls_static"), "burst", count)
    assert done.returncode == 0 and "events were dropped" in done.stderr
    report = Report(path)
    reported = next(text for text in report.diagnostics() if "records of system calls" in text)
    lost, torn = map(int, re.search(r"(\d+) records .* was dropped: (\d+)", reported).groups())
    kept = calls(report)["getsid"]
    assert 0 < kept < count and lost > 0
    assert 2 * kept + lost + 2 * torn >= 2 * count
    # No call spans the gap: it would be by far the longest.
    longest = report.value("SELECT max(end - start) FROM SYSCALL JOIN StringIds ON id = nameId WHERE value = 'getsid'")
    spread = report.value("SELECT max(end) - min(start) FROM SYSCALL")
    assert longest < spread / 2


@possible
def test_a_recording_whose_profiler_was_killed(tmp_path):
    path = tmp_path / "r.db"
    done = prof("profile", "-t", "syscall", "-o", path, program("system_calls_static"), "kill", 5000)
    assert done.returncode == -signal.SIGKILL and not path.exists()
    assert prof("recover", f"{path}.spool").returncode == 0
    assert calls(Report(path))["getsid"] == 5000


@possible
def test_a_call_in_progress_lasts_to_the_end(tmp_path):
    report = traced(tmp_path, "sh", "-c", "sleep 3 >/dev/null 2>&1 & sleep 0.3", options=["--wait=primary"])
    end = report.value("SELECT duration FROM ANALYSIS_DETAILS")
    ends = [row["end"] for row in report.query("""
        SELECT end FROM SYSCALL JOIN StringIds ON id = nameId WHERE value = 'clock_nanosleep'""")]
    assert len(ends) == 2 and max(ends) == end
    assert "System calls still in progress at the end: 1." in report.diagnostics()


# --- if the kernel refuses

def refused(prefix, folder):
    """Runs prof after the words of `prefix`. Returns the reason that it gave."""
    reason = status(*prefix)
    if reason["available"]:
        pytest.skip("allowed here anyway")
    path = Path(folder) / "r.db"
    done = subprocess.run([*prefix, str(PROF), "profile", "-t", "syscall", "-o", str(path), "sh", "-c", "exit 3"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 3
    text = "System calls are not traced: " + reason["detail"]
    assert f"prof: {text}" in done.stderr.splitlines()
    report = Report(path)
    assert text in report.diagnostics() and "SYSCALL" not in report.tables()
    return reason["detail"]


def usable(*prefix):
    """Skips the test if no program can be run after the words of `prefix`."""
    if shutil.which(prefix[0]) is None or subprocess.run(
            [*prefix, str(PROF), "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            check=False).returncode != 0:
        pytest.skip(f"{prefix[0]} cannot run prof here")
    return prefix


def test_refused_to_ordinary_users():
    prefix = () if os.geteuid() else usable("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        reason = refused(prefix, folder)
    if HERE["available"]:  # otherwise there are other reasons, which apply to root too
        assert "CAP_PERFMON" in reason


@possible
@pytest.mark.parametrize("number, words", [
    (errno.EPERM, ["seccomp", "--cap-add=PERFMON"]),
    (errno.EACCES, ["perf_event_paranoid is", "CAP_PERFMON"]),
    (errno.ENOSYS, ["CONFIG_PERF_EVENTS", "sandbox"]),
])
def test_refused_by_the_kernel_or_a_container(tmp_path, number, words):
    reason = refused(usable(program("deny_perf"), str(number)), tmp_path)
    assert all(word in reason for word in words), reason


@possible
def test_without_tracefs(tmp_path):
    script = "umount /sys/kernel/tracing && exec \"$@\""
    reason = refused(usable("unshare", "--mount", "sh", "-c", script, "sh"), tmp_path)
    assert "mount -t tracefs" in reason
