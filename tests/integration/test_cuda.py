"""The CUDA trace without a GPU: tests/fake_cupti stands in for the driver and CUPTI, and its
program says what it did."""
import json
import os
import re
import signal
import subprocess
import time
from collections import Counter

import pytest
from profiling import BUILD, PROF, SOURCE, Report, prof

FAKES = BUILD / "bin" / "fake_cuda"
APP = FAKES / "fake_cuda_app"
CUPTI = FAKES / "libcupti.so.13"
pytestmark = pytest.mark.skipif(not APP.exists(), reason="built without the headers of CUDA")

LAST_RECORDS = "without handing over its last GPU records"
UM = ("--cuda-um-cpu-page-faults=true", "--cuda-um-gpu-page-faults=true")


def run(tmp_path, *arguments, options=(), status=0, fake="", traces="cuda,nvtx,osrt",
        cupti=CUPTI, environment=(), command=None):
    """Profiles the app; `fake` is the misbehaviour of its CUPTI."""
    path = tmp_path / "report.db"
    where = ["--cupti-path", cupti] if cupti else []
    done = prof("profile", "-t", traces, "-f", "true", "-o", path, *where, *options, "--",
                *(command or [APP, *arguments]), timeout=60,
                env={**os.environ, "FAKE_CUPTI": fake, **dict(environment)})
    assert done.returncode == status, f"status {done.returncode}: {done.stdout}{done.stderr}"
    assert "fork child" not in done.stderr
    report = Report(path, done)
    assert report.value("PRAGMA integrity_check") == "ok"
    return report


def rows(report, table, columns="", join=""):
    """Rows of a table as dictionaries; none if the table is not there."""
    if table not in report.tables():
        return []
    return [dict(row) for row in report.query(f"SELECT t.*{columns} FROM {table} t {join}")]


def same(report, table, expected, columns="", join="", where=lambda row: True):
    """The table has the expected rows and no others, in the columns that are expected."""
    found = [row for row in rows(report, table, columns, join) if where(row)]
    names = sorted(expected[0]) if expected else []
    as_tuples = lambda some: sorted((tuple(row[name] for name in names) for row in some), key=repr)
    assert as_tuples(found) == as_tuples(expected)
    return found


DURATION = ", t.end - t.start AS duration"
TEXTS = ", name.value AS name, t.globalTid & 0xffffff AS tid"
NAME = "JOIN StringIds name ON name.id = t.nameId"
KERNEL_NAMES = DURATION + ", mangled.value AS mangled, short.value AS short, demangled.value AS demangled"
KERNEL_JOIN = ("JOIN StringIds mangled ON mangled.id = t.mangledName JOIN StringIds short "
               "ON short.id = t.shortName JOIN StringIds demangled ON demangled.id = t.demangledName")


def same_times(report, table, expected, columns=DURATION, join="", where=lambda row: True):
    """same(), but for rounding in durations."""
    bare = [{k: v for k, v in row.items() if k != "duration"} for row in expected]
    found = same(report, table, bare, columns, join, where)
    wanted = Counter(row["duration"] for row in expected)
    for duration in (row["duration"] for row in found):
        near = next((d for d in (duration, duration - 1, duration + 1) if wanted[d]), None)
        assert near is not None, f"{duration} is not among {wanted}"
        wanted[near] -= 1
    return found


@pytest.fixture(scope="module", name="work")
def make_work(tmp_path_factory):
    """The whole of the work, with everything switched on that has a switch."""
    return run(tmp_path_factory.mktemp("work"), "work",
               options=("--cuda-memory-usage=true", *UM))


def test_kernels(work, slack=0):
    answer = work.expected()
    found = same_times(work, "CUPTI_ACTIVITY_KIND_KERNEL", answer["KERNEL"], KERNEL_NAMES,
                       KERNEL_JOIN)
    names = {row["mangled"]: (row["short"], row["demangled"]) for row in found}
    assert names["_Z5saxpyfPfi"] == ("saxpy", "saxpy(float, float *, int)")
    assert names["_ZN4demo6reduceIfEEvPT_i"][0] == "reduce"
    assert names["plain_kernel"] == ("plain_kernel", "plain_kernel")
    launcher = {row["correlationId"]: row for row in rows(work, "CUPTI_ACTIVITY_KIND_RUNTIME")}
    for row in found:
        # The GPU worked while or after the call was made, on the session's timeline.
        assert launcher[row["correlationId"]]["start"] <= row["start"] + slack
        assert row["globalPid"] == launcher[row["correlationId"]]["globalTid"] >> 24 << 24


def test_copies(work):
    answer = work.expected()
    same_times(work, "CUPTI_ACTIVITY_KIND_MEMCPY", answer["MEMCPY"],
               where=lambda row: row["copyKind"] < 11)
    same_times(work, "CUPTI_ACTIVITY_KIND_MEMCPY", answer["MIGRATION"],
               where=lambda row: row["copyKind"] >= 11)
    same_times(work, "CUPTI_ACTIVITY_KIND_MEMSET", answer["MEMSET"])


def test_synchronization_and_events(work):
    answer = work.expected()
    found = same(work, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", answer["SYNCHRONIZATION"])
    assert {row["syncType"] for row in found} == {1, 2, 3, 4}
    same(work, "CUPTI_ACTIVITY_KIND_CUDA_EVENT", answer["CUDA_EVENT"])
    calls = {row["correlationId"]: (row["start"], row["end"])
             for row in rows(work, "CUPTI_ACTIVITY_KIND_RUNTIME")
             if row["globalTid"] >> 24 == pid_of(work) >> 24}
    queried = {row["correlationId"] for row in answer["QUERY"]}
    for row in found:
        assert row["correlationId"] in queried or calls[row["correlationId"]] == (row["start"], row["end"])


def test_calls(work):
    answer = work.expected()
    expected = answer["RUNTIME"]
    found = same(work, "CUPTI_ACTIVITY_KIND_RUNTIME", expected, TEXTS, NAME,
                 where=lambda row: row["globalTid"] >> 24 == pid_of(work) >> 24)
    assert {row["eventClass"] for row in found} == {0, 1}
    assert [row["name"] for row in found if row["eventClass"] == 1] == ["cuLaunchKernelEx"]
    assert all(row["end"] >= row["start"] > 0 for row in found)


def pid_of(report):
    """globalPid of the process that came to CUDA."""
    return report.value("SELECT globalPid FROM CUPTI_ACTIVITY_KIND_KERNEL")


def test_correlation_is_complete(work):
    """Every operation has its call, and every call that makes work has its operation."""
    calls = {row["correlationId"]: row["name"]
             for row in rows(work, "CUPTI_ACTIVITY_KIND_RUNTIME", TEXTS, NAME)
             if row["globalTid"] >> 24 == pid_of(work) >> 24}
    queried = {row["correlationId"] for row in work.expected()["QUERY"]}  # no calls of interest
    captured = {row["correlationId"] for row in work.expected()["CAPTURED"]}  # no work
    worked = set()
    for kind in ("KERNEL", "MEMCPY", "MEMSET", "SYNCHRONIZATION", "GRAPH_TRACE", "CUDA_EVENT"):
        for row in rows(work, f"CUPTI_ACTIVITY_KIND_{kind}"):
            if row["correlationId"] is not None and row["correlationId"] not in queried:
                assert row["correlationId"] in calls
                worked.add(row["correlationId"])
    makers = ("Launch", "Memcpy", "Memset", "Synchronize", "EventRecord", "WaitEvent")
    assert {c for c, name in calls.items() if any(maker in name for maker in makers)} == worked | captured


def test_graphs_as_a_whole(work):
    answer = work.expected()
    same_times(work, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", answer["GRAPH_TRACE"])
    same(work, "CUDA_GRAPH_EVENTS", answer["GRAPH_EVENTS"])
    assert "CUDA_GRAPH_NODE_EVENTS" not in work.tables()
    assert not [row for row in rows(work, "CUPTI_ACTIVITY_KIND_KERNEL") if row["graphNodeId"]]


def test_graphs_by_node(tmp_path):
    report = run(tmp_path, "work", options=("--cuda-graph-trace=node",))
    answer = report.expected()
    same_times(report, "CUPTI_ACTIVITY_KIND_KERNEL", answer["KERNEL"] + answer["NODE_KERNEL"],
               KERNEL_NAMES, KERNEL_JOIN)
    same(report, "CUDA_GRAPH_NODE_EVENTS", answer["NODE_EVENTS"])
    same(report, "CUDA_GRAPH_EVENTS", answer["GRAPH_EVENTS"])
    assert "CUPTI_ACTIVITY_KIND_GRAPH_TRACE" not in report.tables()


def test_memory(work):
    answer = work.expected()
    same(work, "CUDA_GPU_MEMORY_USAGE_EVENTS", answer["MEMORY"])
    same(work, "CUDA_GPU_MEMORY_POOL_EVENTS", answer["POOL"])


def test_page_faults(work):
    answer = work.expected()
    found = same(work, "CUDA_UM_CPU_PAGE_FAULT_EVENTS", answer["CPU_FAULT"])
    assert found[0]["originalFaultPc"] == 0x401234
    same_times(work, "CUDA_UM_GPU_PAGE_FAULT_EVENTS", answer["GPU_FAULT"])


def test_overhead(work):
    found = rows(work, "PROFILER_OVERHEAD", TEXTS, NAME)
    assert {row["name"] for row in found} >= {
        "CUDA profiling initialization", "CUDA profiling data flush",
        "CUPTI Resource Management", "CUPTI Lazy function loading"}


def test_gpus_contexts_and_streams(work):
    gpus = sorted(rows(work, "TARGET_INFO_GPU"), key=lambda row: row["cuDevice"])
    assert [row["name"] for row in gpus] == ["Fake GPU One", "Fake GPU Two"]
    assert [row["busLocation"] for row in gpus] == ["0000:a0:1f.0", "0000:a1:1f.0"]
    assert gpus[0]["uuid"] == "00010203-0405-0607-0809-0a0b0c0d0e0f"
    assert gpus[0]["memoryBandwidth"] == 3 * 10**12 and gpus[0]["clockRate"] == 1980 * 10**6
    assert gpus[0]["chipName"] == "GH100" and gpus[0]["isDiscrete"] == 1
    assert gpus[0]["maxShmemPerBlockOptin"] == 232448
    same(work, "TARGET_INFO_CUDA_DEVICE", [{"cudaId": 0}, {"cudaId": 1}])
    same(work, "TARGET_INFO_CUDA_CONTEXT_INFO", [
        {"contextId": 1, "deviceId": 0, "nullStreamId": 7, "parentContextId": 0, "isGreenContext": 0},
        {"contextId": 2, "deviceId": 1, "nullStreamId": 7, "parentContextId": 0, "isGreenContext": 0},
        {"contextId": 3, "deviceId": 0, "nullStreamId": 17, "parentContextId": 1, "isGreenContext": 1}])
    same(work, "TARGET_INFO_CUDA_STREAM", [
        {"streamId": 7, "contextId": 1, "priority": 0}, {"streamId": 7, "contextId": 2, "priority": 0},
        {"streamId": 17, "contextId": 3, "priority": 0},
        {"streamId": 13, "contextId": 1, "priority": 2**32 - 2}])


def test_nothing_is_said_of_good_work(work):
    severe = work.query("SELECT text FROM DIAGNOSTIC_EVENT WHERE severity > 1")
    assert not [row["text"] for row in severe]
    assert any("CUDA tracing initialized" in text for text in work.diagnostics())


def test_what_is_not_asked_for_is_not_there(tmp_path):
    report = run(tmp_path, "work", traces="cuda", options=("--cuda-event-trace=false",))
    assert not report.tables() & {
        "CUDA_GPU_MEMORY_USAGE_EVENTS", "CUDA_GPU_MEMORY_POOL_EVENTS", "OSRT_API",
        "CUDA_UM_CPU_PAGE_FAULT_EVENTS", "CUDA_UM_GPU_PAGE_FAULT_EVENTS",
        "CUPTI_ACTIVITY_KIND_CUDA_EVENT"}
    same_times(report, "CUPTI_ACTIVITY_KIND_KERNEL", report.expected()["KERNEL"], KERNEL_NAMES,
               KERNEL_JOIN)


def test_without_cuda_there_is_none(tmp_path):
    report = run(tmp_path, "work", traces="osrt", cupti=None)
    assert not [table for table in report.tables() if "CUPTI_ACTIVITY" in table]


def test_all_apis(tmp_path):
    report = run(tmp_path, "work", options=("--cuda-trace-all-apis=true",))
    answer = report.expected()
    expected = [{"name": row["name"], "correlationId": row["correlationId"]}
                for row in answer["RUNTIME"] + answer["QUERY"]]
    same(report, "CUPTI_ACTIVITY_KIND_RUNTIME", expected, TEXTS, NAME,
         where=lambda row: row["globalTid"] >> 24 == pid_of(report) >> 24)


def test_finds_the_libcupti_of_the_program(tmp_path):
    """It is linked to the program, which has it on no path of the linker's but its own."""
    report = run(tmp_path, "work", cupti=None)
    assert len(rows(report, "CUPTI_ACTIVITY_KIND_KERNEL")) == len(report.expected()["KERNEL"]), report.diagnostics()


# Recordings of real sessions: the recorder, and the replay of what it wrote.

def record(tmp_path, *arguments, graphs="whole"):
    trace = tmp_path / "trace.cupti"
    done = subprocess.run(
        [APP, *arguments], capture_output=True, text=True, check=True, timeout=60,
        env={**os.environ, "CUDA_INJECTION64_PATH": str(FAKES / "libcupti_recorder.so"),
             "FAKE_CUPTI_RECORD": str(trace), "FAKE_CUPTI_GRAPHS": graphs})
    assert "failed" not in done.stderr
    return trace, json.loads(done.stdout)


def counted(report, table, column, join=""):
    if table not in report.tables():
        return {}
    return {str(row[0]): row[1] for row in report.query(
        f"SELECT {column}, count(*) FROM {table} t {join} GROUP BY 1")}


def check_replay(report):
    """The report has what the replay delivered."""
    answer = report.expected()
    assert counted(report, "CUPTI_ACTIVITY_KIND_KERNEL", "mangled.value",
                   "JOIN StringIds mangled ON mangled.id = t.mangledName") == answer["kernels"]
    assert counted(report, "CUPTI_ACTIVITY_KIND_MEMCPY", "copyKind") == answer.get("copies", {})
    same(report, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", answer.get("SYNCHRONIZATION", []))
    same(report, "CUPTI_ACTIVITY_KIND_CUDA_EVENT", answer.get("CUDA_EVENT", []))
    calls = counted(report, "CUPTI_ACTIVITY_KIND_RUNTIME", "name.value", NAME)
    assert calls == {name: answer["calls"][name] for name in calls}
    assert not {name for name in set(answer["calls"]) - set(calls) if "Launch" in name}
    assert not report.query("SELECT text FROM DIAGNOSTIC_EVENT WHERE severity > 1")
    return answer


@pytest.mark.parametrize("graphs", ["whole", "node"])
def test_replay_of_a_recording(tmp_path, graphs):
    trace, truth = record(tmp_path, "work", graphs=graphs)
    options = ("--cuda-graph-trace=node",) if graphs == "node" else ()
    report = run(tmp_path, "replay", trace, options=("--cuda-memory-usage=true", *options))
    check_replay(report)
    kernels = truth["KERNEL"] + (truth["NODE_KERNEL"] if graphs == "node" else [])
    same_times(report, "CUPTI_ACTIVITY_KIND_KERNEL", kernels, KERNEL_NAMES, KERNEL_JOIN)
    same(report, "CUDA_GRAPH_EVENTS", truth["GRAPH_EVENTS"])
    same(report, "CUDA_GPU_MEMORY_USAGE_EVENTS", truth["MEMORY"])
    if graphs == "node":
        same(report, "CUDA_GRAPH_NODE_EVENTS", truth["NODE_EVENTS"])
    else:
        same_times(report, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", truth["GRAPH_TRACE"])


CAPTURED = SOURCE / "tests" / "fake_cupti" / "captured"


@pytest.mark.parametrize("recording", sorted(CAPTURED.glob("*.trace")), ids=lambda path: path.stem)
def test_recordings_of_real_gpus(tmp_path, recording):
    """Sessions on an H200, beside what their program said of itself (NAME.json); NAME.node.trace
    has graphs node by node."""
    options = ("--cuda-graph-trace=node",) if ".node" in recording.name else ()
    report = run(tmp_path, "replay", recording, options=("--cuda-memory-usage=true", *options))
    check_replay(report)
    known = recording.parent / (recording.name.split(".")[0] + ".json")
    if not known.exists() or options:
        return
    truth = json.loads(known.read_text())
    assert counted(report, "CUPTI_ACTIVITY_KIND_KERNEL", "mangled.value",
                   "JOIN StringIds mangled ON mangled.id = t.mangledName") == truth["kernels_mangled"]
    assert counted(report, "CUPTI_ACTIVITY_KIND_KERNEL", "short.value",
                   "JOIN StringIds short ON short.id = t.shortName") == truth["kernels"]
    copies = {(row["copyKind"]): [row["n"], row["bytes"]] for row in report.query(
        "SELECT copyKind, count(*) AS n, sum(bytes) AS bytes FROM CUPTI_ACTIVITY_KIND_MEMCPY GROUP BY 1")}
    kinds = {"HtoD": 1, "DtoH": 2, "DtoD": 8, "HtoH": 9}
    assert copies == {kinds[name]: value for name, value in truth["memcpy"].items()}
    assert [*report.query("SELECT count(*), sum(bytes) FROM CUPTI_ACTIVITY_KIND_MEMSET")[0]] == truth["memset"]
    assert len(rows(report, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE")) == truth["graph_launches"]
    bare = Counter()
    for name, count in counted(report, "CUPTI_ACTIVITY_KIND_RUNTIME", "name.value", NAME).items():
        bare[re.sub(r"_v\d+$", "", name)] += count
    driver = {name: count for name, count in bare.items() if not name.startswith("cuda")}
    assert driver["cuLaunchKernel"] == truth["driver_calls"]["cuLaunchKernel"]
    for name, count in bare.items():
        if name.startswith("cuda"):
            assert count == truth["runtime_calls"][name], name


# Endings. The launches are 20, in one buffer that is never full.

@pytest.mark.parametrize("ending, status", [
    ("return", 0), ("_exit", 3), ("quick_exit", 4), ("exec", 0), ("thread_exit", 5),
    ("fork", 0), ("init_elsewhere", 0), ("no_threads", 0)])
def test_endings_that_keep_everything(tmp_path, ending, status):
    report = run(tmp_path, "exit", ending, status=status)
    expected = json.loads(report.done.stdout.splitlines()[0])
    same_times(report, "CUPTI_ACTIVITY_KIND_KERNEL", expected["KERNEL"], KERNEL_NAMES, KERNEL_JOIN)
    assert len(rows(report, "CUPTI_ACTIVITY_KIND_RUNTIME")) == 20
    assert not [text for text in report.diagnostics() if LAST_RECORDS in text]


@pytest.mark.parametrize("ending, options, status, kernels", [
    ("abort", (), 134, 0), ("kill9", (), 137, 0), ("sync_kill9", (), 137, 20),
    ("interval_kill9", ("--cuda-flush-interval=50",), 137, 20),
    ("profiler_stop", ("--flush-on-cudaprofilerstop=true",), 137, 20),
    ("profiler_stop", ("--flush-on-cudaprofilerstop=false",), 137, 0)])
def test_endings_that_keep_what_was_flushed(tmp_path, ending, options, status, kernels):
    report = run(tmp_path, "exit", ending, options=options, status=status)
    assert len(rows(report, "CUPTI_ACTIVITY_KIND_KERNEL")) == kernels, report.diagnostics()
    names = [row["name"] for row in rows(report, "CUPTI_ACTIVITY_KIND_RUNTIME", TEXTS, NAME)]
    assert names.count("cudaLaunchKernel_v7000") == 20  # calls outlive every ending
    assert [text for text in report.diagnostics() if LAST_RECORDS in text]


@pytest.mark.parametrize("ending, kernels", [("stop", 20), ("none", 40)])
def test_capture_range_of_the_profiler_api(tmp_path, ending, kernels):
    """20 launches before cudaProfilerStart, 20 up to cudaProfilerStop, 20 after it."""
    report = run(tmp_path, "exit", "profiler_range",
                 options=("-c", "cudaProfilerApi", f"--capture-range-end={ending}"))
    assert len(rows(report, "CUPTI_ACTIVITY_KIND_KERNEL")) == kernels, report.diagnostics()
    names = [row["name"] for row in rows(report, "CUPTI_ACTIVITY_KIND_RUNTIME", TEXTS, NAME)]
    assert names.count("cudaLaunchKernel_v7000") == kernels
    assert len(rows(report, "TARGET_INFO_CUDA_CONTEXT_INFO")) >= 1  # made before the range


def test_device_reset(tmp_path):
    """Records are fetched before the reset takes them, and those after it as ever."""
    report = run(tmp_path, "exit", "device_reset")
    assert report.expected()["DELIVERED"][0] >= 20
    assert len(rows(report, "CUPTI_ACTIVITY_KIND_KERNEL")) == 40, report.diagnostics()


def test_unfinished_work(tmp_path):
    """A kernel that never ended is no kernel with a duration; the report says that there was one."""
    report = run(tmp_path, "exit", "unfinished")
    assert len(rows(report, "CUPTI_ACTIVITY_KIND_KERNEL")) == 20, report.diagnostics()
    assert [text for text in report.diagnostics() if "without a possible time" in text
            and text.endswith(": 1.")]


def test_a_program_that_never_comes_to_cuda(tmp_path):
    report = run(tmp_path, "exit", "never_init")
    assert not [table for table in report.tables() if "CUPTI_ACTIVITY" in table]
    assert not report.query("SELECT text FROM DIAGNOSTIC_EVENT WHERE severity > 1")


# Misbehaviour of CUPTI. The program notices nothing; the report says what happened.

def untraced(report):
    return not [table for table in report.tables() if "CUPTI_ACTIVITY" in table]


@pytest.mark.parametrize("fake, told", [
    ("taken", 'is held by "CUPTI for another one"'), ("old", "older than CUDA 12.0 (API version 18)"),
    ("fail=cuptiGetVersion", "older than CUDA 12.0"),
    ("fail=cuptiSubscribe", "cuptiSubscribe failed with CUptiResult 999"),
    ("fail=cuptiSubscribe,result=14", "libcupti does not fit the driver"),
    ("fail=cuptiSubscribe,result=35", "reserves it for administrators"),
    ("fail=cuptiActivityRegisterCallbacks", "cuptiActivityRegisterCallbacks failed"),
    ("fail=cuptiActivityEnable", "cuptiActivityEnable failed")])
def test_cuda_is_not_traced(tmp_path, fake, told):
    report = run(tmp_path, "work", fake=fake)
    assert report.expected()["KERNEL"]
    assert [text for text in report.diagnostics() if told in text]
    assert untraced(report)
    assert report.calls()["waitpid"] == 1  # the rest is


@pytest.mark.parametrize("fake, told", [
    ("drop", "7 events of process"), ("unknown_kind", "unknown kind (9999)"),
    ("no_clock", "does not use the profiler's clock"),
    ("fail=cuptiActivityRegisterTimestampCallback", "does not use the profiler's clock"),
    ("fail=cuptiSetThreadIdType", "cuptiSetThreadIdType failed")])
def test_kernels_are_there_all_the_same(tmp_path, fake, told):
    report = run(tmp_path, "work", fake=fake)
    assert [text for text in report.diagnostics() if told in text]
    test_kernels(report, slack=20_000 if "clock" in told else 0)


@pytest.mark.parametrize("fake, calls, kernels", [
    ("fail=cuptiActivityFlushAll", True, False), ("fail=cuptiActivityGetNextRecord", True, False),
    ("fail=cuptiEnableCallback", False, True), ("fail=cuptiGetCallbackName", False, True)])
def test_half_of_it_fails(tmp_path, fake, calls, kernels):
    report = run(tmp_path, "work", fake=fake)
    assert [text for text in report.diagnostics() if fake[5:] + " failed" in text]
    assert bool(rows(report, "CUPTI_ACTIVITY_KIND_RUNTIME")) == calls
    assert bool(rows(report, "CUPTI_ACTIVITY_KIND_KERNEL")) == kernels


@pytest.mark.parametrize("function", [
    "cuptiActivityConfigureUnifiedMemoryCounter", "cuptiGetStreamIdEx", "cuptiGetGraphId", "cuptiGetGraphExecId",
    "cuptiActivityGetNumDroppedRecords", "cuptiActivityEnableHWTrace", "cuptiActivityFlushPeriod"])
def test_small_failures_cost_no_kernels(tmp_path, function):
    report = run(tmp_path, "work", fake=f"fail={function}", traces="cuda-hw,osrt",
                 options=("--cuda-flush-interval=100",))
    assert len(rows(report, "CUPTI_ACTIVITY_KIND_KERNEL")) == len(report.expected()["KERNEL"]), report.diagnostics()


def test_records_of_an_older_cuda(tmp_path):
    """CUDA 12.6: what its shorter records do not have is not read from behind them."""
    report = run(tmp_path, "work", fake="v12", options=("--cuda-memory-usage=true", *UM))
    answer = report.expected()
    for row in answer["MEMCPY"]:
        row["copyCount"] = 1
    same_times(report, "CUPTI_ACTIVITY_KIND_MEMCPY", answer["MEMCPY"],
               where=lambda row: row["copyKind"] < 11)
    same(report, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", answer["SYNCHRONIZATION"])
    same(report, "CUPTI_ACTIVITY_KIND_CUDA_EVENT", answer["CUDA_EVENT"])
    same(report, "CUDA_GPU_MEMORY_USAGE_EVENTS", answer["MEMORY"])
    same(report, "CUDA_GPU_MEMORY_POOL_EVENTS", answer["POOL"])
    test_kernels(report)
    test_gpus_contexts_and_streams(report)
    test_page_faults(report)


def test_buffers_that_come_on_a_thread_of_the_program(tmp_path):
    report = run(tmp_path, "work", fake="on_app_thread")
    test_kernels(report)
    assert report.calls()["waitpid"] == 1  # which comes after


def test_a_flush_that_takes_its_time(tmp_path):
    before = time.monotonic()
    report = run(tmp_path, "exit", "return", fake="hang_flush=2", options=("--osrt-threshold=0",))
    assert time.monotonic() - before >= 2
    assert len(rows(report, "CUPTI_ACTIVITY_KIND_KERNEL")) == 20, report.diagnostics()
    # The thread that waits is ours: the program made one, its CUPTI's, and slept nowhere.
    assert report.calls()["pthread_create"] == 1 and report.calls()["sleep"] == 0


@pytest.mark.parametrize("ending, status", [
    ("return", 0), ("_exit", 3), ("quick_exit", 4), ("exec", 0), ("thread_exit", 5), ("fork", 0)])
def test_a_flush_that_never_ends(tmp_path, ending, status):
    """The program ends all the same, and the report says what is missing."""
    report = run(tmp_path, "exit", ending, status=status, fake="hang_flush=0",
                 options=("--cuda-flush-timeout=1",))
    assert len(rows(report, "CUPTI_ACTIVITY_KIND_RUNTIME")) == 20
    assert len([text for text in report.diagnostics() if "given up after 1 s" in text]) == 1
    assert not [text for text in report.diagnostics() if LAST_RECORDS in text]


@pytest.mark.parametrize("timeout", [0, 60])
def test_a_flush_that_is_interrupted(tmp_path, timeout):
    """^C ends it, and the report says what is missing."""
    path = tmp_path / "report.db"
    with subprocess.Popen(
            [PROF, "profile", "-t", "cuda", "-o", path, "--cupti-path", CUPTI,
             f"--cuda-flush-timeout={timeout}", "--", APP, "exit", "return"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's & ignores it
            env={**os.environ, "FAKE_CUPTI": "hang_flush=0"}) as done:
        done.stdout.readline()  # the program's answer: it is about to end
        time.sleep(0.5)
        os.killpg(done.pid, signal.SIGINT)
        done.communicate(timeout=30)
    report = Report(path)
    assert len(rows(report, "CUPTI_ACTIVITY_KIND_RUNTIME")) == 20
    assert [text for text in report.diagnostics() if LAST_RECORDS in text]


# Getting there.

def test_injection_variable_that_is_taken(tmp_path):
    other = {"CUDA_INJECTION64_PATH": "/no/such/tool.so"}
    report = run(tmp_path, "work", environment=other)
    assert untraced(report)
    assert [text for text in report.diagnostics() if "CUDA_INJECTION64_PATH is set" in text]
    forced = run(tmp_path, "work", environment=other, options=("--cuda-injection=force",))
    assert len(rows(forced, "CUPTI_ACTIVITY_KIND_KERNEL")) == len(forced.expected()["KERNEL"])


def test_no_libcupti_at_the_path(tmp_path):
    done = prof("profile", "-t", "cuda", "--cupti-path", tmp_path / "none.so", "-o",
                tmp_path / "r.db", "--", "true")
    assert done.returncode == 2 and "no libcupti at" in done.stderr


def test_a_libcupti_that_is_none(tmp_path):
    (tmp_path / "libcupti.so.13").write_text("not a library")
    report = run(tmp_path, "work", cupti=tmp_path / "libcupti.so.13")
    assert untraced(report)
    assert [text for text in report.diagnostics() if "no libcupti" in text]


def test_traced_and_untraced_runs_print_the_same(tmp_path):
    plain = subprocess.run([APP, "exit", "return"], capture_output=True, text=True, check=True)
    report = run(tmp_path, "exit", "return")
    shape = lambda text: [(row["mangled"], row["correlationId"]) for row in json.loads(text)["KERNEL"]]
    assert shape(plain.stdout) == shape(report.done.stdout)
