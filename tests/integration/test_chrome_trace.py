"""The Chrome trace has what the report has, as PyTorch's profiler would write it."""
import gzip
import json
import shutil
import sqlite3

import pytest
from made_up_report import PID, PROCESS, SCHEMA, THREAD, MadeUpReport
from perfetto_trace import Trace
from profiling import MORE_TRUTH, TRUTH, Report, prof, unpacked

CATEGORIES = {
    "CUPTI_ACTIVITY_KIND_KERNEL": ("kernel",), "CUPTI_ACTIVITY_KIND_MEMCPY": ("gpu_memcpy",),
    "CUPTI_ACTIVITY_KIND_MEMSET": ("gpu_memset",), "CUPTI_ACTIVITY_KIND_GRAPH_TRACE": ("gpu_graph",),
    "CUPTI_ACTIVITY_KIND_RUNTIME": ("cuda_runtime", "cuda_driver"), "OSRT_API": ("osrt",)}
CONDITIONS = {"CUPTI_ACTIVITY_KIND_RUNTIME": "eventClass <> 67", "OSRT_API": "eventClass = 27"}


def export(report, folder, *options, ending=".json"):
    path = folder / ("trace" + ending)
    done = prof("export", "-t", "chrome", "-f", "true", "-o", path, *options, report)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    with (gzip.open if ending.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
        document = json.load(file, parse_float=lambda text: round(float(text) * 1000) / 1000)
    return document


def nanoseconds(value):
    return round(value * 1000)


def slices(document, *categories):
    return [event for event in document["traceEvents"] if event["ph"] == "X" and event["cat"] in categories]


def total(events):
    return len(events), sum(nanoseconds(event["dur"]) for event in events)


def crossing(document):
    """Pairs of slices in one row that overlap without being nested."""
    rows, found = {}, []
    for event in document["traceEvents"]:
        if event["ph"] == "X":
            start = nanoseconds(event["ts"])
            rows.setdefault((event["pid"], event["tid"]), []).append((start, start + nanoseconds(event["dur"])))
    for row, times in rows.items():
        open_ends = []
        for start, end in sorted(times, key=lambda time: (time[0], -time[1])):
            while open_ends and open_ends[-1] <= start:
                open_ends.pop()
            if open_ends and open_ends[-1] < end:
                found.append((row, start, end))
            open_ends.append(end)
    return found


@pytest.mark.parametrize("compressed", [TRUTH / "report.sqlite.gz", *sorted(MORE_TRUTH.glob("*/report.sqlite.gz"))],
                         ids=lambda path: path.parent.name)
def test_events_equal_the_report(tmp_path, compressed):
    report = Report(unpacked(tmp_path / "report.sqlite", compressed))
    document = export(report.path, tmp_path)
    tables = report.tables()
    for table, categories in CATEGORIES.items():
        if table in tables:
            rows, time = report.query(f'SELECT COUNT(*), COALESCE(SUM("end" - start), 0) FROM {table} '
                                      f"WHERE {CONDITIONS.get(table, '1')}")[0]
            assert total(slices(document, *categories)) == (rows, time), table
    if "NVTX_EVENTS" in tables:
        ranges = report.value("SELECT COUNT(*) FROM NVTX_EVENTS WHERE eventType IN (59, 60)")
        assert len(slices(document, "cpu_op", "user_annotation")) == ranges
    assert crossing(document) == []
    links = {end: sorted(event["id"] for event in document["traceEvents"] if event["ph"] == end) for end in "sf"}
    assert links["s"] == links["f"] and len(set(links["s"])) == len(links["s"])
    work = slices(document, "kernel", "gpu_memcpy", "gpu_memset")
    calls = {event["args"]["correlation"] for event in slices(document, "cuda_runtime", "cuda_driver")
             if "correlation" in event["args"]}
    assert len(links["f"]) >= sum(event["args"].get("correlation") in calls for event in work) * 0.9
    if "CUPTI_ACTIVITY_KIND_KERNEL" in tables:
        kernels = report.query('SELECT s.value, k.start, k."end" - k.start, k.deviceId, k.streamId, k.correlationId, '
                               "k.gridX, k.blockX, k.registersPerThread FROM CUPTI_ACTIVITY_KIND_KERNEL k "
                               "JOIN StringIds s ON s.id = k.demangledName")
        assert sorted(map(tuple, kernels)) == sorted(
            (event["name"], nanoseconds(event["ts"]), nanoseconds(event["dur"]), event["args"]["device"],
             event["args"]["stream"], event["args"]["correlation"], event["args"]["grid"][0],
             event["args"]["block"][0], event["args"]["registers per thread"])
            for event in slices(document, "kernel"))


def test_trace_processor_takes_every_slice(tmp_path):
    report = unpacked(tmp_path / "report.sqlite")
    document = export(report, tmp_path)
    found = Trace(tmp_path / "trace.json").query("SELECT COUNT(*) AS count, SUM(dur) AS time FROM slice WHERE dur > 0")
    lasting = [event for event in document["traceEvents"] if event["ph"] == "X" and event["dur"] > 0]
    assert found == [{"count": len(lasting), "time": total(lasting)[1]}]


TABLES = """
    CREATE TABLE PROCESSES (globalPid, pid, name);
    CREATE TABLE TARGET_INFO_GPU (id, name, totalMemory, computeMajor, smCount, threadsPerWarp, maxWarpsPerSm);
    CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs);
    INSERT INTO TARGET_INFO_GPU VALUES (0, 'Made-up GPU', 1000, 9, 132, 32, 64);
    INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000);
"""


@pytest.fixture
def made(tmp_path):
    """A training step with an operator, its kernel, a copy and a fill; two kernels overlap."""
    report = MadeUpReport(tmp_path / "made.db", SCHEMA + TABLES)
    insert = report.insert
    insert("PROCESSES", PROCESS, PID, "/usr/bin/trainer")
    launch, launch_with, copy = map(report.string, ("cudaLaunchKernel_v7000", "cudaLaunchKernelExC_v11060",
                                                    "cuMemcpyAsync"))
    insert("NVTX_EVENTS", 0, None, 75, "PyTorch", None, THREAD, 3)
    insert("NVTX_EVENTS", 1000, 9001, 59, "step \"1\"", None, THREAD, 0)
    insert("NVTX_EVENTS", 2000, 3000, 59, "linear", None, THREAD, 3)
    insert("NVTX_EVENTS", 4000, 5000, 59, "aten::add", None, THREAD, 0)
    insert("NVTX_EVENTS", 8000, 9500, 60, "crosses", None, THREAD, 0)
    for start, name, driver, correlation in ((2100, launch, 0, 1), (4100, launch_with, 0, 2),
                                             (5100, copy, 1, 3), (9600, launch, 0, 4)):
        insert("CUPTI_ACTIVITY_KIND_RUNTIME", start, start + 101, driver, THREAD, correlation, name, 0)
    for start, end, correlation in ((3000, 4001, 1), (3500, 6000, 2)):
        insert("CUPTI_ACTIVITY_KIND_KERNEL", start, end, 0, 1, 7, correlation, PROCESS, *2 * [report.string("gemm")],
               264, 1, 1, 256, 1, 1, 40, 16, 1024)
    insert("CUPTI_ACTIVITY_KIND_MEMCPY", 7000, 8000, 0, 1, 7, 3, PROCESS, 5000, 1, 1, 2)
    insert("CUPTI_ACTIVITY_KIND_MEMSET", 9700, 9800, 0, 1, 7, 4, PROCESS, 100, 2)
    return report.done()


def by_name(document, name):
    found, = (event for event in document["traceEvents"] if event["ph"] == "X" and event["name"] == name)
    return found


def test_as_pytorch_writes_it(made, tmp_path):
    document = export(made, tmp_path, "--rank=1/2")
    assert document["schemaVersion"] == 1 and document["baseTimeNanoseconds"] == 1700000000000000000
    assert document["distributedInfo"] == {"backend": "nccl", "rank": 1, "world_size": 2}
    assert '"rank": 1' in (tmp_path / "trace.json").read_text()  # HTA looks for the space
    gpu, = document["deviceProperties"]
    assert (gpu["id"], gpu["name"], gpu["numSms"], gpu["maxThreadsPerMultiprocessor"], gpu["totalGlobalMem"]) == (
        0, "Made-up GPU", 132, 2048, 1000)
    step, operator, add = by_name(document, 'step "1"'), by_name(document, "linear"), by_name(document, "aten::add")
    assert [event["cat"] for event in (step, operator, add)] == ["user_annotation", "cpu_op", "cpu_op"]
    assert (step["ts"], step["dur"], step["pid"], step["tid"]) == (1.0, 8.001, 482, 482)
    assert by_name(document, "cudaLaunchKernelExC")["args"] == {"External id": add["args"]["External id"],
                                                                "correlation": 2}
    copy_call = by_name(document, "cuMemcpyAsync")
    assert copy_call["cat"] == "cuda_driver" and copy_call["args"]["External id"] == step["args"]["External id"]
    first, second = sorted(slices(document, "kernel"), key=lambda event: event["ts"])
    assert first["args"] == {
        "External id": operator["args"]["External id"], "device": 0, "context": 1, "stream": 7, "correlation": 1,
        "registers per thread": 40, "shared memory": 1040, "grid": [264, 1, 1], "block": [256, 1, 1],
        "blocks per SM": 2, "warps per SM": 16}
    assert (first["pid"], first["tid"], first["ts"], first["dur"]) == (0, 7, 3.0, 1.001)
    assert (second["pid"], second["ts"], second["dur"]) == (0, 3.5, 2.5) and second["tid"] != 7
    copy, = slices(document, "gpu_memcpy")
    assert copy["name"] == "Memcpy HtoD (Pinned -> Device)" and copy["tid"] == 7
    assert (copy["args"]["bytes"], copy["args"]["memory bandwidth (GB/s)"]) == (5000, 5)
    fill, = slices(document, "gpu_memset")
    assert fill["name"] == "Memset (Device)" and "External id" not in fill["args"]


def test_rows_have_names_and_nothing_crosses(made, tmp_path):
    document = export(made, tmp_path)
    assert crossing(document) == []
    names = {(event["name"], event["pid"], event["tid"]): event["args"] for event in document["traceEvents"]
             if event["ph"] == "M"}
    assert names[("process_name", 482, 0)] == {"name": "trainer"} and names[("process_labels", 482, 0)] == {"labels": "CPU"}
    assert names[("process_labels", 0, 0)] == {"labels": "GPU 0 Made-up GPU"}
    rows = {(event["pid"], event["tid"]) for event in document["traceEvents"] if event["ph"] == "X"}
    assert {key[1:] for key in names if key[0] == "thread_name"} == rows
    orders = [args["sort_index"] for key, args in names.items() if key[0] == "thread_sort_index"]
    assert len(set(orders)) == len(rows)
    overflow, = (args["name"] for key, args in names.items() if key[0] == "thread_name" and key[1] == 0 and key[2] != 7)
    assert overflow == "stream 7 (process 482, context 1) (2)"


def test_links(made, tmp_path):
    document = export(made, tmp_path)
    ends = {}
    for event in document["traceEvents"]:
        if event["ph"] in "sf":
            ends.setdefault(event["id"], {})[event["ph"]] = (event["pid"], event["tid"], event["ts"])
            assert event["ph"] == "s" or event["bp"] == "e"
    assert sorted(end["s"][2] for end in ends.values()) == [2.1, 5.1, 9.6]  # kernel 2 starts before its call
    assert sorted(ends) == [1, 3, 4]  # correlation ids, as Kineto's: TraceLens finds the work of a call by them
    starts = {(event["pid"], event["tid"], event["ts"]) for event in document["traceEvents"] if event["ph"] == "X"}
    assert {each for end in ends.values() for each in end.values()} <= starts


def test_links_of_graphs_and_of_several_processes_are_unique(made, tmp_path):
    database = sqlite3.connect(made)
    more = """INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT start + 9, end + 9, deviceId, contextId, streamId, correlationId,
        globalPid + ?, demangledName, shortName, gridX, gridY, gridZ, blockX, blockY, blockZ, registersPerThread,
        staticSharedMemory, dynamicSharedMemory FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE correlationId = 1"""

    def numbers():
        database.commit()
        events = export(made, tmp_path)["traceEvents"]
        starts, ends = (sorted(event["id"] for event in events if event["ph"] == end) for end in "sf")
        assert starts == ends and len(set(starts)) == len(starts)
        return [number for number in starts if number < 1 << 32]
    database.execute(more, (0,))  # as a graph has it: several kernels of one call
    assert numbers() == [1, 3, 4]
    database.execute(more, (1 << 24,))
    assert numbers() == []


def test_gzip_names_processes_and_ranks(made, tmp_path):
    assert export(made, tmp_path, ending=".pt.trace.json.gz") == export(made, tmp_path)
    other = tmp_path / "other.db"
    shutil.copy(made, other)
    folder = tmp_path / "folder"
    folder.mkdir()
    assert prof("export", "-t", "chrome", "-o", folder, made, other).returncode == 0
    ranks = {path.name: json.loads(path.read_text())["distributedInfo"] for path in folder.iterdir()}
    assert ranks == {"made.pt.trace.json": {"backend": "nccl", "rank": 0, "world_size": 2},
                     "other.pt.trace.json": {"backend": "nccl", "rank": 1, "world_size": 2}}
    shifted = export(made, tmp_path, "--ts-shift=500")
    assert by_name(shifted, "linear")["ts"] == 2.5 and shifted["baseTimeNanoseconds"] == 1699999999999999500
    assert len(slices(export(made, tmp_path, "--process=trainer"), "kernel")) == 2
    done = prof("export", "-t", "chrome", "-o", "-", "--process=483", made)
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    for rank in ("x", "-1", "2/2", "1/", "1,2"):
        done = prof("export", "-t", "chrome", "--rank", rank, made)
        assert done.returncode == 2 and "--rank" in done.stderr
    done = prof("export", "-t", "perfetto", "--rank=1", made)
    assert done.returncode == 2 and "--rank needs --type=chrome" in done.stderr


def test_steps_of_pytorchs_profiler(made, tmp_path):
    database = sqlite3.connect(made)
    for start, name in ((20000, "step \"2\""), (30000, "step 10"), (40000, "stepped 1"), (50000, "step")):
        database.execute("INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, ?, NULL, ?, 0)", (start, start + 10, name, THREAD))
    database.commit()
    names = [event["name"] for event in slices(export(made, tmp_path, "--step=step 7"), "user_annotation")]
    assert [name for name in names if "tep" in name] == ["step \"1\"", "step \"2\"", "ProfilerStep#0", "stepped 1", "step"]
    document = export(made, tmp_path, "--step=step \"0\"")
    assert (by_name(document, "ProfilerStep#0")["ts"], by_name(document, "ProfilerStep#1")["ts"]) == (1, 20)
    assert by_name(document, "cuMemcpyAsync")["args"]["External id"] == by_name(document, "ProfilerStep#0")["args"]["External id"]
    done = prof("export", "-t", "chrome", "-o", tmp_path / "none.json", "--step=epoch", made)
    assert done.returncode == 1 and "no NVTX range is called epoch" in done.stderr and not (tmp_path / "none.json").exists()
    done = prof("export", "-t", "perfetto", "--step=step", made)
    assert done.returncode == 2 and "--step needs --type=chrome" in done.stderr


def test_a_trace_for_each_rank_of_a_report(made, tmp_path):
    """Two processes on two GPUs in a report, and one in another. The process of the first GPU has the higher number."""
    two = tmp_path / "two.db"
    shutil.copy(made, two)
    database = sqlite3.connect(two)
    database.executescript("""
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT start, end, 1, contextId, streamId, correlationId, globalPid - (1 << 24),
          demangledName, shortName, gridX, gridY, gridZ, blockX, blockY, blockZ, registersPerThread, staticSharedMemory,
          dynamicSharedMemory FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE correlationId = 1;
        INSERT INTO PROCESSES VALUES ((SELECT MIN(globalPid) FROM CUPTI_ACTIVITY_KIND_KERNEL), 481, 'trainer');""")
    folder = tmp_path / "folder"
    folder.mkdir()
    done = prof("export", "-t", "chrome", "--ranks", "-o", folder, two, made)
    assert done.returncode == 0 and done.stderr.count("prof: wrote ") == 3
    found = {path.name: json.loads(path.read_text()) for path in folder.iterdir()}
    assert {name: (each["distributedInfo"]["rank"], each["distributedInfo"]["world_size"],
                   len(slices(each, "kernel"))) for name, each in found.items()} == {
        "two_rank0.pt.trace.json": (0, 3, 2), "two_rank1.pt.trace.json": (1, 3, 1), "made_rank2.pt.trace.json": (2, 3, 2)}
    assert prof("export", "-q", "-t", "chrome", "--ranks", two).returncode == 0
    assert sorted(path.name for path in tmp_path.glob("two_*")) == ["two_rank0.pt.trace.json", "two_rank1.pt.trace.json"]
    for words in (["-t", "perfetto"], ["-t", "chrome", "--process=1"], ["-t", "chrome", "--rank=1"],
                  ["-t", "chrome", "-o", tmp_path / "x"]):
        done = prof("export", "--ranks", *words, two)
        assert done.returncode == 2 and "--ranks" in done.stderr and done.stderr.count("\n") == 1
    database.execute("DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL")
    database.commit()
    done = prof("export", "-t", "chrome", "--ranks", two)
    assert done.returncode == 1 and "no GPU work" in done.stderr
