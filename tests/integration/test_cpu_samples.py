"""CPU samples and scheduling: what the kernel records, with call chains and names."""
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest
from profiling import PROF, Report, begins, prof, profile, program, source_of

# dlopen: code of three libraries (cpu_shares_library) that are loaded and unloaded.
WAYS = ["deep", "inlined", "dlopen", "signal", "exception", "threads"]


STATUS = json.loads(subprocess.run([str(PROF), "status", "--json"], stdout=subprocess.PIPE, check=True).stdout)
pytestmark = pytest.mark.skipif(not STATUS["sampling"]["detail"].startswith("by the kernel"), reason=STATUS["sampling"]["detail"])


def sampled(tmp_path, *command, options=(), **more):
    return profile(tmp_path, *command, traces="none", options=("-s", "process-tree", *options), **more)


def chains(report, where="1"):
    """id -> [function, ...], innermost first."""
    rows = report.query(f"""
        SELECT c.id, s.value AS symbol, c.unresolved FROM SAMPLING_CALLCHAINS c
        JOIN COMPOSITE_EVENTS e ON e.id = c.id JOIN StringIds s ON s.id = c.symbol
        WHERE {where} ORDER BY c.id, c.stackDepth""")
    result = {}
    for row in rows:
        result.setdefault(row["id"], []).append(row["symbol"])
    return result


def share(all_chains, function):
    """Percentage of the samples with that function anywhere in the call chain."""
    return 100 * sum(function in chain for chain in all_chains.values()) / len(all_chains)


@pytest.mark.alone
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["cpu_shares", "cpu_shares_fp"])
def test_known_shares(tmp_path, name, way):
    report = sampled(tmp_path, program(name), way)
    found = chains(report)
    assert len(found) > 200
    for function, percent in report.expected().items():
        assert share(found, function) == pytest.approx(percent, abs=2), function
    complete = sum(map(begins, found.values()))
    assert complete >= 0.99 * len(found)
    # Down to the last frame: deeper() 31 times, and its callers.
    deep = Counter(chain.count(next(f for f in chain if "deeper" in f)) for chain in found.values()
                   if any("deeper" in f for f in chain) and begins(chain))
    assert deep[31] >= 0.98 * sum(deep.values())


def test_signal_frames_lead_to_the_interrupted_function(tmp_path):
    found = chains(sampled(tmp_path, program("cpu_shares"), "signal"))
    in_handler = [chain for chain in found.values() if "work_half" in chain]
    assert all("raise" in chain and "main" in chain for chain in in_handler)


@pytest.mark.alone
def test_frame_pointers_are_followed_by_the_kernel(tmp_path):
    report = sampled(tmp_path, program("cpu_shares_fp"), "deep", options=("-b", "fp"))
    found = chains(report)
    for function, percent in report.expected().items():
        assert share(found, function) == pytest.approx(percent, abs=2), function
    methods = report.query("SELECT DISTINCT unwindMethod AS m FROM SAMPLING_CALLCHAINS WHERE stackDepth > 0 "
                           "AND kernelMode = 0")
    assert {row["m"] for row in methods} <= {0, 1}  # 0: interrupted, or in a system call


@pytest.mark.alone
def test_without_back_traces_each_sample_is_one_frame(tmp_path):
    report = sampled(tmp_path, program("cpu_shares"), "deep", options=("-b", "none"))
    found = chains(report)
    assert {len(chain) for chain in found.values()} == {1}
    for function, percent in report.expected().items():
        assert share(found, function) == pytest.approx(percent, abs=2), function


def test_one_back_trace_for_several_samples(tmp_path):
    report = sampled(tmp_path, program("cpu_shares"), "deep", options=("--samples-per-backtrace=4",))
    lengths = Counter(len(chain) > 1 for chain in chains(report).values())
    assert abs(lengths[True] * 4 - sum(lengths.values())) <= 4


def test_shares_of_few_samples_say_so(tmp_path):
    report = sampled(tmp_path, program("cpu_shares"), "deep")
    third = report.value("SELECT start FROM COMPOSITE_EVENTS ORDER BY start LIMIT 1 OFFSET 2")
    few = prof("stats", "-r", "cpu_sample_sum", "--filter-time", f"0/{third}", report.path)
    assert "of only 3 samples" in few.stderr, few.stderr
    assert "of only" not in prof("stats", "-r", "cpu_sample_sum", report.path).stderr


@pytest.mark.alone
@pytest.mark.parametrize("frequency", [200, 1000])
def test_the_frequency_is_that_of_the_samples(tmp_path, frequency):
    report = sampled(tmp_path, program("cpu_shares"), "deep",
                     options=(f"--sampling-frequency={frequency}", "--cpuctxsw=process-tree"))
    running = sum(row["Running (ns)"] for row in report.statistics("thread_state_sum")) / 1e9
    # A host that takes the CPU away reduces the number of samples in the guest.
    assert report.value("SELECT count(*) FROM COMPOSITE_EVENTS") == pytest.approx(frequency * running, rel=0.3)


def test_rows_are_as_nsys_has_them(tmp_path):
    report = sampled(tmp_path, program("cpu_shares"), "deep", options=("--cpuctxsw=process-tree",))
    columns = {table: [row["name"] for row in report.query(f"PRAGMA table_info({table})")]
               for table in ("COMPOSITE_EVENTS", "SAMPLING_CALLCHAINS", "SCHED_EVENTS")}
    assert columns["COMPOSITE_EVENTS"] == ["id", "start", "cpu", "threadState", "globalTid", "cpuCycles", "callchainId"]
    assert columns["SAMPLING_CALLCHAINS"] == [
        "id", "symbol", "module", "kernelMode", "thumbCode", "unresolved", "specialEntry", "originalIP",
        "unwindMethod", "stackDepth", "line"]
    assert columns["SCHED_EVENTS"] == ["start", "cpu", "isSchedIn", "globalTid", "threadState", "threadBlock"]
    assert report.value("SELECT count(DISTINCT id) FROM SAMPLING_CALLCHAINS") == report.value(
        "SELECT count(*) FROM COMPOSITE_EVENTS")
    end = report.value("SELECT duration FROM ANALYSIS_DETAILS")
    for table in ("COMPOSITE_EVENTS", "SCHED_EVENTS"):
        first, last = report.query(f"SELECT min(start), max(start) FROM {table}")[0]
        assert 0 <= first <= last <= end, table
    assert report.value("SELECT count(*) FROM COMPOSITE_EVENTS e LEFT JOIN PROCESSES p "
                        "ON p.globalPid = e.globalTid & ~0xffffff WHERE p.pid IS NULL") == 0
    assert report.value("SELECT count(*) FROM COMPOSITE_EVENTS e LEFT JOIN ThreadNames t "
                        "USING (globalTid) WHERE t.nameId IS NULL") == 0


@pytest.mark.alone
def test_children_static_programs_and_execs_are_sampled(tmp_path):
    script = f"{program('cpu_shares')} deep & {program('cpu_shares_fp')} deep; wait"
    report = sampled(tmp_path, "sh", "-c", script)
    found = Counter()
    for row in report.query("SELECT p.name, count(*) AS n FROM COMPOSITE_EVENTS e JOIN PROCESSES p "
                            "ON p.globalPid = e.globalTid & ~0xffffff GROUP BY 1"):
        found[os.path.basename(row["name"])] += row["n"]
    assert found["cpu_shares"] > 200 and found["cpu_shares_fp"] > 200
    assert 30 < share(chains(report), "work_half") < 70


def test_deep_python_stacks_are_complete(tmp_path):
    # A low frequency, so that a prof with sanitizers, which is slow, can keep up.
    report = sampled(tmp_path, sys.executable, str(source_of("python_deep.py")), options=("--sampling-frequency=300",))
    deep = [chain for chain in chains(report).values() if len(chain) > 150]
    assert len(deep) > 100
    assert sum(map(begins, deep)) >= 0.99 * len(deep)


def schedule(report, tid):
    return report.query("SELECT start, isSchedIn, threadState FROM SCHED_EVENTS "
                        "WHERE globalTid & 0xffffff = ? ORDER BY start, isSchedIn DESC", tid)


def test_blocked_threads_are_seen_to_wait(tmp_path):
    report = profile(tmp_path, program("blocked"), traces="osrt", options=("--cpuctxsw=process-tree",))
    for function, tid in report.expected().items():
        events = schedule(report, tid)
        # Running and waiting alternate, and the thread starts and ends with running.
        assert [row["isSchedIn"] for row in events] == [1, 0] * (len(events) // 2), function
        assert events[-1]["threadState"] == 5
        waits = [(out["start"], back["start"]) for out, back in zip(events[1::2], events[2::2])
                 if out["threadState"] == 7]
        longest = max(waits, key=lambda wait: wait[1] - wait[0])
        assert longest[1] - longest[0] > 200e6, function
        # The call in which the thread waited.
        around = report.query(
            "SELECT s.value AS name FROM OSRT_API o JOIN StringIds s ON s.id = o.nameId "
            "WHERE o.globalTid & 0xffffff = ? AND o.start <= ? AND o.end >= ?", tid, *longest)
        assert function in [row["name"] for row in around], function


def test_switches_without_samples(tmp_path):
    report = profile(tmp_path, program("blocked"), traces="none", options=("--cpuctxsw=process-tree",))
    assert "COMPOSITE_EVENTS" not in report.tables()
    assert report.value("SELECT count(*) FROM SCHED_EVENTS") > 10


@pytest.fixture
def another_program():
    """A program that works, and was started before prof."""
    with subprocess.Popen(["sh", "-c", f"while :; do {program('cpu_shares')} deep; done"], stdout=subprocess.DEVNULL,
                          start_new_session=True) as process:
        time.sleep(0.1)
        yield
        os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.alone
@pytest.mark.usefixtures("another_program")
def test_the_whole_system(tmp_path):
    report = profile(tmp_path, program("blocked"), traces="none",
                     options=("-s", "system-wide", "--cpuctxsw", "process-tree"))
    names = {row["pid"]: row["name"] for row in report.query("SELECT pid, name FROM PROCESSES")}
    samples = Counter(row["pid"] for row in report.query(
        "SELECT globalTid >> 24 & 0xffffff AS pid FROM COMPOSITE_EVENTS"))
    own = {row["pid"] for row in report.query(
        "SELECT DISTINCT globalTid >> 24 & 0xffffff AS pid FROM SCHED_EVENTS")}
    assert len(own) == 2  # the program and its child
    # Other programs of a busy machine may use more CPU time.
    most = max((pid for pid in samples if names[pid] == "cpu_shares"), key=samples.get)
    assert most not in own
    assert share(chains(report, f"e.globalTid >> 24 & 0xffffff = {most}"), "main") > 80


@pytest.mark.alone
def test_switches_of_the_whole_system(tmp_path):
    report = profile(tmp_path, program("blocked"), traces="none", options=("--cpuctxsw", "system-wide"))
    names = {row["name"] for row in report.query(
        "SELECT s.value AS name FROM ThreadNames t JOIN StringIds s ON s.id = t.nameId")}
    assert {"blocked", "prof"} <= names and "" not in names
    assert report.value("SELECT count(*) FROM ThreadNames t LEFT JOIN SCHED_EVENTS e USING (globalTid) "
                        "WHERE e.start IS NULL") == 0  # no row for processes without data
    assert report.value("SELECT count(*) FROM SCHED_EVENTS e LEFT JOIN ThreadNames USING (globalTid) "
                        "WHERE nameId IS NULL") == 0


@pytest.mark.parametrize("option", [("-s", "everything"), ("-b", "magic"), ("--sampling-frequency=0",),
                                    ("--samples-per-backtrace=0",), ("--sampling-period=1",)])
def test_wrong_options_are_refused(tmp_path, option):
    done = prof("profile", "-t", "none", "-o", tmp_path / "r.db", *option, "true")
    assert done.returncode == 2
    assert not (tmp_path / "r.db").exists()


@pytest.mark.alone
def test_a_sampling_period_without_counters_is_one_of_time(tmp_path):
    report = sampled(tmp_path, program("cpu_shares"), "deep", options=("--sampling-period=1000000",))
    assert share(chains(report), "work_half") == pytest.approx(report.expected()["work_half"], abs=2)


def test_samples_survive_the_collector(tmp_path):
    process = subprocess.Popen(
        [str(PROF), "profile", "-t", "none", "-s", "process-tree", "-o", str(tmp_path / "r.db"), "--", "sh", "-c",
         f"{program('cpu_shares')} deep; echo done; read line"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    process.stdout.readline()
    assert process.stdout.readline() == "done\n"
    time.sleep(0.5)  # until the collector has drained the data
    process.kill()
    process.communicate("\n", timeout=60)
    done = prof("recover", tmp_path / "r.db.spool")
    assert done.returncode == 0, done.stderr
    found = chains(Report(tmp_path / "r.db"))
    assert len(found) > 200
    assert share({i: chain for i, chain in found.items() if "main" in chain}, "work_half") > 30
