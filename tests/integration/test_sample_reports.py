"""Statistics and profiles of samples and context switches: of prof's recordings, and of nsys's by plain SQL."""
import csv
import gzip
import io
import json
import sqlite3
import subprocess
from collections import Counter

import pytest
from cuda_app import needs_cuda, run
from profiling import MORE_TRUTH, PROF, TRUTH, prof, profile, program, unpacked

SAMPLING = json.loads(subprocess.run([str(PROF), "status", "--json"], stdout=subprocess.PIPE, check=True).stdout)["sampling"]
needs_sampling = pytest.mark.skipif(not SAMPLING["available"], reason=SAMPLING["detail"])
needs_switches = pytest.mark.skipif(not SAMPLING["detail"].startswith("by the kernel"), reason=SAMPLING["detail"])
NSYS_REPORTS = ["zoo", "nsightful_power_iteration", "p4arth_report1", "pipit_perlmutter-cloverleaf-cuda"]


def rows(report, name, *options):
    done = prof("stats", "-q", "-r", name, "-f", "csv", *options, report)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def exported(report, kind, samples="cpu"):
    done = prof("export", "--type", kind, "--samples", samples, report)
    assert done.returncode == 0, done.stderr
    return done.stdout


def collapsed(report, samples="cpu"):
    """(thread, frames) -> value"""
    lines = (line.rsplit(" ", 1) for line in exported(report, "collapsed", samples).splitlines())
    return {tuple(path.split(";")): int(value) for path, value in lines}


@pytest.fixture(scope="module", params=NSYS_REPORTS)
def nsys_report(request, tmp_path_factory):
    packed = (TRUTH if request.param == "zoo" else MORE_TRUTH / request.param) / "report.sqlite.gz"
    if not packed.exists():
        pytest.skip(f"no {packed}")
    return unpacked(tmp_path_factory.mktemp("nsys_report") / "report.sqlite", packed)


def test_samples_of_nsys_reports(nsys_report):
    database = sqlite3.connect(nsys_report)
    total, = database.execute("SELECT count(*) FROM COMPOSITE_EVENTS").fetchone()
    modules = rows(nsys_report, "cpu_sample_sum:module")
    named = dict(database.execute("""
        SELECT m.value, count(DISTINCT c.id) FROM SAMPLING_CALLCHAINS c JOIN StringIds m ON m.id = c.module GROUP BY m.value"""))
    assert {row["Module"]: int(row["Total Samples"]) for row in modules} == named
    innermost = dict(database.execute("""
        SELECT m.value, count(*) FROM SAMPLING_CALLCHAINS c JOIN StringIds m ON m.id = c.module WHERE stackDepth = 0 GROUP BY 1"""))
    assert {row["Module"]: int(row["Self Samples"]) for row in modules if row["Self Samples"] != "0"} == innermost
    functions = rows(nsys_report, "cpu_sample_sum")
    assert sum(int(row["Self Samples"]) for row in functions) == total
    resolved = Counter(dict(database.execute("""
        SELECT s.value || '@' || m.value, count(DISTINCT c.id) FROM SAMPLING_CALLCHAINS c JOIN StringIds s ON s.id = c.symbol
        JOIN StringIds m ON m.id = c.module WHERE ifnull(unresolved, 0) = 0 AND s.value NOT LIKE '[%' GROUP BY 1""")))
    assert Counter({f"{row['Function']}@{row['Location']}": int(row["Total Samples"]) for row in functions
                    if not row["Function"].startswith("[")}) == resolved
    threads = {int(row["TID"]): int(row["Samples"]) for row in rows(nsys_report, "cpu_sample_sum:thread")}
    assert threads == dict(database.execute("SELECT globalTid & 0xffffff, count(*) FROM COMPOSITE_EVENTS GROUP BY globalTid"))
    tree = rows(nsys_report, "cpu_sample_tree:min=0")
    assert sum(int(row["Total Samples"]) for row in tree if row["Depth"] == "0") == total
    assert sum(int(row["Self Samples"]) for row in tree) == total
    assert sum(collapsed(nsys_report).values()) == total


def test_thread_states_of_nsys_reports(nsys_report):
    """nsys's context switches have no reason."""
    database = sqlite3.connect(nsys_report)
    expected = {}
    events = database.execute("SELECT globalTid, start, isSchedIn, threadState FROM SCHED_EVENTS ORDER BY 1, 2").fetchall()
    end = max([start for _, start, _, _ in events] + [database.execute("SELECT duration FROM ANALYSIS_DETAILS").fetchone()[0]])
    for (thread, start, is_in, state), (other, later, _, _) in zip(events, events[1:] + [(None, 0, 0, 0)]):
        running, off = expected.get(thread, (0, 0))
        length = (later if other == thread else end) - start
        ended = not is_in and state == 5
        expected[thread] = (running + length * is_in, off + length * (not is_in) * (not ended))
    found = {(1 << 48 | int(row["PID"]) << 24 | int(row["TID"])): (int(row["Running (ns)"]), int(row["Off CPU (ns)"]))
             for row in rows(nsys_report, "thread_state_sum")}
    assert found == {thread & 0x1ffffffffffff: times for thread, times in expected.items()}
    for row in rows(nsys_report, "thread_state_sum"):
        parts = [int(row[f"{state} (ns)"]) for state in ("Running", "Runnable", "Blocked", "Off CPU")]
        assert sum(parts) == int(row["Time (ns)"])


def test_calls_of_nsys_reports_keep_their_time(nsys_report):
    spent, = sqlite3.connect(nsys_report).execute("SELECT sum(end - start) FROM OSRT_API").fetchone()
    paths = collapsed(nsys_report, "osrt")
    assert sum(paths.values()) == spent
    assert sum(sum(profile["weights"]) for profile in json.loads(exported(nsys_report, "speedscope", "osrt"))["profiles"]) == spent
    assert any(path[-1] in ("ioctl", "__poll", "__GI___ioctl") for path in paths)


def test_windows_share_the_states(nsys_report):
    """The states in two halves of the time add up to the states of the whole."""
    whole = Counter()
    for window in ("/300ms", "300ms/"):
        for row in rows(nsys_report, "thread_state_sum", "--filter-time", window):
            whole[row["TID"]] += int(row["Running (ns)"])
    assert whole == Counter({row["TID"]: int(row["Running (ns)"]) for row in rows(nsys_report, "thread_state_sum")})


@pytest.mark.alone
@needs_sampling
def test_what_threads_wait_in(tmp_path):
    report = profile(tmp_path, program("blocked"), traces="osrt", options=("-s", "process-tree", "--cpuctxsw=process-tree"))
    states = {int(row["TID"]): row for row in rows(report.path, "thread_state_sum")}
    waits = rows(report.path, "thread_state_sum:osrt")
    for function, tid in report.expected().items():
        blocked = int(states[tid]["Blocked (ns)"])
        assert blocked >= 290_000_000
        of_thread = {row["Function"]: int(row["Total Time (ns)"]) for row in waits if int(row["TID"]) == tid}
        assert sum(of_thread.values()) == blocked + int(states[tid]["Off CPU (ns)"])
        assert of_thread[function] >= 0.95 * blocked


@pytest.mark.alone
@needs_cuda
@needs_switches
def test_what_threads_wait_for_the_gpu_in(tmp_path):
    report = run(tmp_path, "waits", traces="cuda,osrt",
                 options=("-s", "process-tree", "--cpuctxsw=process-tree", "--cudabacktrace=sync"))
    states = {int(row["TID"]): row for row in rows(report.path, "thread_state_sum")}
    by_cuda = rows(report.path, "thread_state_sum:cuda")
    by_osrt = rows(report.path, "thread_state_sum:osrt")
    for wait in report.expected():
        thread = states[wait["tid"]]
        parts = [int(thread[f"{state} (ns)"]) for state in ("Running", "Runnable", "Blocked", "Off CPU")]
        first, last = report.query("SELECT min(start), max(start) FROM SCHED_EVENTS WHERE globalTid & 0xffffff = ?", wait["tid"])[0]
        assert sum(parts) == int(thread["Time (ns)"]) == pytest.approx(last - first, rel=0.01)
        waited = [row for row in by_cuda if int(row["TID"]) == wait["tid"] and row["Function"] == wait["function"]]
        # The values that the program measured, except for the time in which the thread ran or waited for a
        # CPU.
        blocked = sum(int(row["Total Time (ns)"]) for row in waited)
        assert 0 <= wait["waited"] - blocked <= 0.01 * wait["waited"] + int(thread["Running (ns)"]) + int(thread["Runnable (ns)"])
        assert blocked >= 250_000_000
        assert all(row["State"] == "blocked" for row in waited)
        longest = max(waited, key=lambda row: int(row["Total Time (ns)"]))
        assert longest["Caller"] == wait["caller"] and longest["Location"].endswith("fake_cuda_app")
        # The driver's own system calls are not OS-runtime calls. Its other calls are known both ways.
        inner = "poll" if wait["function"] == "cudaDeviceSynchronize" else "[No OS-runtime call]"
        assert sum(int(row["Total Time (ns)"]) for row in by_osrt
                   if int(row["TID"]) == wait["tid"] and row["Function"] == inner) >= 250_000_000


@needs_sampling
@pytest.mark.parametrize("kind", ["cpu", "osrt"])
def test_profiles_agree_with_each_other(tmp_path, kind):
    report = profile(tmp_path, program("cpu_shares"), "deep", traces="osrt", options=("-s", "process-tree"))
    paths = collapsed(report.path, kind)
    speedscope = json.loads(exported(report.path, "speedscope", kind))
    frames = [frame["name"] for frame in speedscope["shared"]["frames"]]
    unit = 1_000_000 if kind == "cpu" else 1  # of a sample at 1 kHz
    found = Counter()
    for thread in speedscope["profiles"]:
        assert thread["endValue"] == sum(thread["weights"]) and len(thread["weights"]) == len(thread["samples"])
        for stack, weight in zip(thread["samples"], thread["weights"]):
            found[tuple(frames[frame] for frame in stack)] += weight
    expected = Counter()
    for path, value in paths.items():
        expected[path[2:]] += value * unit
    assert found == expected
    firefox = json.loads(exported(report.path, "firefox", kind))
    taken = sum(thread["samples"]["length"] for thread in firefox["threads"])
    table = "COMPOSITE_EVENTS" if kind == "cpu" else "OSRT_API WHERE nestingLevel = 0"
    assert taken == report.value(f"SELECT count(*) FROM {table}")
    for thread in firefox["threads"]:
        assert thread["samples"]["time"] == sorted(thread["samples"]["time"])


def test_options_that_do_not_fit(tmp_path):
    report = profile(tmp_path, "sleep", "0.01")
    for words, said in ((["--type=flame"], "collapsed"), (["--json", "--type=pprof"], "contradict"),
                        (["--type=collapsed", "--samples=gpu"], "known: cpu"), (["--json", "--samples=cpu"], "format of samples"),
                        (["--type=collapsed", "--tables=OSRT_API"], "--tables"), (["--type=info", "--filter-time=1/2"], "info")):
        done = prof("export", *words, report.path)
        assert done.returncode == 2 and said in done.stderr, (words, done.stderr)
    done = prof("export", "--type=speedscope", report.path)
    assert done.returncode == 1 and "has no cpu samples" in done.stderr
    assert "sleep" in exported(report.path, "collapsed", "osrt")
    out = tmp_path / "profile.pb.gz"
    assert prof("export", "--type=pprof", "--samples=osrt", "-o", out, report.path).returncode == 0
    assert b"samples" not in out.read_bytes() and gzip.decompress(out.read_bytes()).count(b"nanoseconds") == 1
