"""Perfetto's trace processor reads in a trace what the report has: every slice, link, counter, sample and state."""
import gzip
import subprocess

import pytest
from made_up_report import PID, PROCESS, SCHEMA, THREAD, MadeUpReport
from perfetto_trace import Trace, engine, serve, show
from profiling import MORE_TRUTH, PROF, TRUTH, Report, prof, unpacked
from viewed_page import browsing

OTHER_THREAD = THREAD + 1

# The row in the trace of each table, with its slices' condition.
ROWS = {
    "CUPTI_ACTIVITY_KIND_RUNTIME": ("CUDA API", "eventClass <> 67"),
    "OSRT_API": ("OS runtime", "eventClass = 27"),
    "CUPTI_ACTIVITY_KIND_KERNEL": ("Kernels", "1"),
    "CUPTI_ACTIVITY_KIND_MEMCPY": ("Copies", "1"),
    "CUPTI_ACTIVITY_KIND_MEMSET": ("Fills", "1"),
    "CUPTI_ACTIVITY_KIND_GRAPH_TRACE": ("Graphs", "1"),
    "PROFILER_OVERHEAD": ("Profiler overhead", "1"),
}
SLICES = """SELECT t.name AS row, COUNT(*) AS count, SUM(s.dur) AS time FROM slice s JOIN track t ON t.id = s.track_id
            GROUP BY 1"""
NAMES = "SELECT t.name AS row, s.name AS name, s.ts AS ts, s.dur AS dur FROM slice s JOIN track t ON t.id = s.track_id"


def export(report, folder, *options, ending=".pftrace"):
    path = folder / ("trace" + ending)
    done = prof("export", "-t", "perfetto", "-f", "true", "-o", path, *options, report)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return Trace(path)


def truths():
    found = [TRUTH / "report.sqlite.gz"]
    return found + sorted(MORE_TRUTH.glob("*/report.sqlite.gz"))


@pytest.mark.parametrize("compressed", truths(), ids=lambda path: path.parent.name)
def test_slices_and_links_equal_the_report(tmp_path, compressed):
    report = Report(unpacked(tmp_path / "report.sqlite", compressed))
    trace = export(report.path, tmp_path)
    slices, names, flows = trace.queries(SLICES, NAMES, "SELECT COUNT(*) AS count FROM flow")
    found = {row["row"]: (row["count"], row["time"]) for row in slices}
    tables = report.tables()
    calls = {}
    if "CUPTI_ACTIVITY_KIND_RUNTIME" in tables:
        calls = {(row[0], row[1]): row[2] for row in report.query(
            "SELECT globalTid >> 24, correlationId, start FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE eventClass <> 67")}
    expected_links = 0
    for table, (name, condition) in ROWS.items():
        if table not in tables:
            continue
        count, time = report.query(f'SELECT COUNT(*), SUM("end" - start) FROM {table} WHERE {condition}')[0]
        if count:
            assert found[name] == (count, time), table
        if name in ("Kernels", "Copies", "Fills", "Graphs"):
            expected_links += sum(
                calls.get((row[0], row[1]), row[2] + 1) <= row[2]
                for row in report.query(f"SELECT globalPid >> 24, correlationId, start FROM {table}"))
    assert flows == [{"count": expected_links}]
    if "CUPTI_ACTIVITY_KIND_KERNEL" in tables:
        kernels = report.query('SELECT s.value, k.start, k."end" - k.start FROM CUPTI_ACTIVITY_KIND_KERNEL k '
                               "JOIN StringIds s ON s.id = k.demangledName")
        assert sorted(map(tuple, kernels)) == sorted((row["name"], row["ts"], row["dur"]) for row in names
                                                     if row["row"] == "Kernels")
    if "CUPTI_ACTIVITY_KIND_MEMCPY" in tables:
        copies = report.query('SELECT copyKind, start FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE copyKind IN (1, 2, 8)')
        kinds = {1: "Host-to-Device", 2: "Device-to-Host", 8: "Device-to-Device"}
        assert {(f"[CUDA memcpy {kinds[row[0]]}]", row[1]) for row in copies} <= {
            (row["name"], row["ts"]) for row in names if row["row"] == "Copies"}
    if "NVTX_EVENTS" in tables:
        ranges = report.query('SELECT start FROM NVTX_EVENTS WHERE eventType IN (34, 59, 60)')
        assert sorted(row[0] for row in ranges) == sorted(row["ts"] for row in names if row["row"].startswith("NVTX"))


# Tables of calls, the row in the trace, and the column with the name.
CALLS = {
    "MPI_COLLECTIVES_EVENTS": ("MPI collectives", "textId"),
    "MPI_P2P_EVENTS": ("MPI point-to-point", "textId"),
    "MPI_START_WAIT_EVENTS": ("MPI start and wait", "textId"),
    "MPI_OTHER_EVENTS": ("MPI", "textId"),
    "OPENMP_EVENT_KIND_PARALLEL": ("OpenMP parallel", "nameId"),
    "OPENMP_EVENT_KIND_TASK": ("OpenMP task", "nameId"),
    "OPENMP_EVENT_KIND_TASK_CREATE": ("OpenMP task create", "nameId"),
    "OPENMP_EVENT_KIND_WORKSHARE": ("OpenMP workshare", "nameId"),
    "OPENMP_EVENT_KIND_SYNC_REGION": ("OpenMP sync region", "nameId"),
    "OPENMP_EVENT_KIND_MUTEX_WAIT": ("OpenMP mutex wait", "nameId"),
    "OPENMP_EVENT_KIND_MUTEX_RELEASED": ("OpenMP mutex released", "nameId"),
    "OPENMP_EVENT_KIND_CRITICAL_SECTION": ("OpenMP critical section", "nameId"),
    "OPENMP_EVENT_KIND_MASTER": ("OpenMP master", "nameId"),
    "CUPTI_ACTIVITY_KIND_OPENACC_DATA": ("OpenACC data", "nameId"),
    "CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH": ("OpenACC launch", "nameId"),
    "CUPTI_ACTIVITY_KIND_OPENACC_OTHER": ("OpenACC other", "nameId"),
    "SYSCALL": ("System calls", "nameId"),
}
CALLS_OF_THREADS = """SELECT t.name AS row, tid, s.name AS name, ts, dur FROM slice s
                      JOIN thread_track t ON t.id = s.track_id JOIN thread USING (utid)"""


def calls_of(report, table):
    """(row, thread, name, start, duration). nsys has no name for some events: they get the row's."""
    row, name = CALLS[table]
    return sorted(tuple(each) for each in report.query(
        f'SELECT ?, globalTid & 0xffffff, COALESCE(value, ?), start, "end" - start FROM {table} '
        f"LEFT JOIN StringIds ON id = {name}", row, row))


def check_calls(report, trace, tables):
    found = {}
    for row in trace.query(CALLS_OF_THREADS):
        found.setdefault(row["row"], []).append(tuple(row.values()))
    for table in tables:
        assert sorted(found[CALLS[table][0]]) == calls_of(report, table), table


@pytest.mark.parametrize("compressed", sorted(MORE_TRUTH.glob("mpi-openmp/*.sqlite.gz")), ids=lambda path: path.name)
def test_mpi_and_openmp_of_nsys(tmp_path, compressed):
    report = Report(unpacked(tmp_path / "report.sqlite", compressed))
    tables = CALLS.keys() & report.tables()
    assert len(tables) >= 4
    check_calls(report, export(report.path, tmp_path), tables)


def test_native_gpu_tracks(tmp_path):
    report = Report(unpacked(tmp_path / "report.sqlite"))
    trace = export(report.path, tmp_path, "--gpu-tracks=native")
    tracks, names, rows = trace.queries(
        "SELECT t.name AS name, COUNT(*) AS count, SUM(g.dur) AS time FROM gpu_slice g JOIN track t "
        "ON t.id = g.track_id GROUP BY 1", "SELECT name, ts, dur FROM gpu_slice", SLICES)
    work = [f'SELECT streamId, "end" - start AS time FROM {table}' for table in ROWS if table.startswith("CUPTI")
            and "RUNTIME" not in table and table in report.tables()]
    expected = report.query(f"SELECT streamId, COUNT(*), SUM(time) FROM ({' UNION ALL '.join(work)}) GROUP BY 1")
    assert sorted((row["name"].rsplit(" ", 1)[1], row["count"], row["time"]) for row in tracks) == sorted(
        (str(stream), count, time) for stream, count, time in expected)
    kernels = report.query('SELECT s.value, k.start, k."end" - k.start FROM CUPTI_ACTIVITY_KIND_KERNEL k '
                           "JOIN StringIds s ON s.id = k.demangledName")
    assert set(map(tuple, kernels)) <= {(row["name"], row["ts"], row["dur"]) for row in names}
    assert not {"Kernels", "Copies"} & {row["row"] for row in rows}


TABLES = """
    CREATE TABLE ThreadNames (nameId, priority, globalTid);
    CREATE TABLE PROCESSES (globalPid, pid, name);
    CREATE TABLE SCHED_EVENTS (start, cpu, isSchedIn, globalTid, threadState, threadBlock);
    CREATE TABLE COMPOSITE_EVENTS (id INTEGER PRIMARY KEY, start, cpu, threadState, globalTid, cpuCycles);
    CREATE TABLE SAMPLING_CALLCHAINS (id, symbol, module, kernelMode, thumbCode, unresolved, specialEntry,
      originalIP, unwindMethod, stackDepth, line);
    CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start, globalPid, deviceId, bytes, memKind, memoryOperationType);
    CREATE TABLE GPU_METRICS (rawTimestamp, timestamp, typeId, metricId, value);
    CREATE TABLE TARGET_INFO_GPU_METRICS (typeId, sourceId, typeName, metricId, metricName);
    CREATE TABLE TARGET_INFO_GPU (id, name);
"""


class MadeUp(MadeUpReport):
    """A report that is made for one test."""

    def __init__(self, path):
        super().__init__(path, SCHEMA + TABLES)
        self.insert("ThreadNames", self.string("main"), 20, THREAD)
        self.insert("ThreadNames", self.string("helper"), 20, OTHER_THREAD)
        self.insert("PROCESSES", PROCESS, PID, "/usr/bin/trainer")
        self.insert("TARGET_INFO_GPU", 0, "Made-up GPU")

    def call(self, start, end, name, correlation, result=0, thread=THREAD):
        self.insert("CUPTI_ACTIVITY_KIND_RUNTIME", start, end, 0, thread, correlation, self.string(name), result)

    def kernel(self, start, end, name, correlation, stream=7):
        name = self.string(name)
        self.insert("CUPTI_ACTIVITY_KIND_KERNEL", start, end, 0, 1, stream, correlation, PROCESS, name, name,
                    2, 3, 1, 256, 1, 1, 32, 16, 4096)

    def range(self, start, end, text, thread=THREAD, kind=59):
        self.insert("NVTX_EVENTS", start, end, kind, text, None, thread, 0)

    def trace(self, folder, *options, **more):
        self.database.commit()
        return export(self.path, folder, *options, **more)


@pytest.fixture
def made(tmp_path):
    engine()
    return MadeUp(tmp_path / "made.db")


def rows_of(trace, name):
    """(name, start, end) of the slices in the rows of this name."""
    return sorted((row["name"], row["ts"], row["ts"] + row["dur"]) for row in trace.query(NAMES) if row["row"] == name)


def test_work_that_overlaps_on_a_stream_keeps_its_times(made, tmp_path):
    kernels = [("a", 2000, 3000), ("b", 2500, 4000), ("inside", 2600, 2700), ("c", 4000, 4000), ("d", 4000, 5000)]
    for i, (name, start, end) in enumerate(reversed(kernels)):  # the rows are not in order of time
        made.kernel(start, end, name, i)
    trace = made.trace(tmp_path)
    assert rows_of(trace, "Kernels") == sorted(kernels)
    assert {row["depth"] for row in trace.query("SELECT depth FROM slice")} == {0}  # none is below another


def test_nested_ranges_have_depths(made, tmp_path):
    made.range(200, 300, "inner")
    made.range(100, 400, "outer")
    made.range(400, 500, "next")
    made.range(400, 400, "empty")
    made.range(100, 150, "first")  # begins with the outer one
    made.range(50, 600, "elsewhere", thread=OTHER_THREAD)
    trace = made.trace(tmp_path)
    depths = trace.query("""SELECT s.name AS name, depth, th.name AS thread FROM slice s JOIN thread_track t
                            ON t.id = s.track_id JOIN thread th USING (utid)""")
    assert {(row["name"], row["depth"], row["thread"]) for row in depths} == {
        ("outer", 0, "main"), ("inner", 1, "main"), ("first", 1, "main"), ("next", 0, "main"),
        ("empty", 1, "main"), ("elsewhere", 0, "helper")}


def test_ranges_that_overlap_or_never_end(made, tmp_path):
    made.range(100, 300, "a", kind=60)
    made.range(200, 400, "b", kind=60)
    made.range(250, None, "open", kind=60)
    made.range(350, None, "mark", kind=34)
    trace = made.trace(tmp_path)
    assert rows_of(trace, "NVTX start/end") == [("a", 100, 300), ("b", 200, 400), ("open", 250, 400)]
    assert rows_of(trace, "NVTX marks") == [("mark", 350, 350)]


def test_links_lead_from_a_call_to_each_piece_of_its_work(made, tmp_path):
    made.call(1000, 1100, "cudaGraphLaunch_v10000", 1)
    made.call(1200, 1300, "cudaLaunchKernel_v7000", 2)
    made.call(1400, 1500, "cudaDeviceSynchronize_v3020", 3, result=700)
    made.kernel(1150, 1160, "node 1", 1)
    made.kernel(1160, 1170, "node 2", 1)
    made.kernel(1160, 1170, "node 3", 1, stream=8)
    made.kernel(1190, 1250, "before its call by the GPU's clock", 2)
    trace = made.trace(tmp_path)
    links, results = trace.queries(
        "SELECT a.name AS source, b.name AS target FROM flow f JOIN slice a ON a.id = f.slice_out "
        "JOIN slice b ON b.id = f.slice_in",
        "SELECT s.name AS name, a.key AS key, a.int_value AS number, a.string_value AS text "
        "FROM slice s JOIN args a USING (arg_set_id)")
    assert sorted((row["source"], row["target"]) for row in links) == [
        ("cudaGraphLaunch_v10000", f"node {i}") for i in (1, 2, 3)]
    arguments = {(row["name"], row["key"]): row["number"] or row["text"] for row in results}
    assert arguments[("cudaDeviceSynchronize", "debug.returnValue")] == 700
    assert arguments[("node 2", "debug.launch")] == "grid 2x3x1, block 256x1x1, 32 registers, 4112 B shared memory"
    assert ("cudaGraphLaunch_v10000", "debug.returnValue") not in arguments


def test_system_calls_mpi_openmp_and_openacc(made, tmp_path):
    for number, (table, (_, name)) in enumerate(CALLS.items()):
        made.database.execute(f"CREATE TABLE {table} (start, end, globalTid, {name})")
        for i in range(3):  # one inside of the first, one after it; the other thread has one, too
            start = 1000 * number + 100 * i
            made.insert(table, start, start + (150 if i == 0 else 40), THREAD, made.string(f"{table} {i % 2}"))
        made.insert(table, start, start, OTHER_THREAD, made.string("at once"))
    made.insert("OPENMP_EVENT_KIND_MUTEX_RELEASED", 5, 5, THREAD, 0xffffffff)
    trace = made.trace(tmp_path)
    check_calls(Report(made.path), trace, CALLS)
    assert ("OpenMP mutex released", 5, 5) in rows_of(trace, "OpenMP mutex released")
    depths = trace.query("SELECT s.name AS name, depth FROM slice s WHERE s.name LIKE 'SYSCALL%' ORDER BY ts")
    assert [row["depth"] for row in depths] == [0, 1, 0]


def test_counters(made, tmp_path):
    for start, size, kind, operation in ((100, 4096, 2, 0), (300, 4096, 2, 1), (200, 1024, 2, 0), (250, 10, 1, 0)):
        made.insert("CUDA_GPU_MEMORY_USAGE_EVENTS", start, PROCESS, 0, size, kind, operation)
    made.insert("TARGET_INFO_GPU_METRICS", 5 << 56, 0, "", 3, "SMs Active [Throughput %]")
    made.insert("GPU_METRICS", -50, -50, 5 << 56, 3, 7)  # before the session's start
    made.insert("GPU_METRICS", 150, 150, 5 << 56, 3, 90)
    trace = made.trace(tmp_path)
    values = trace.query("SELECT t.name AS name, t.unit AS unit, c.ts AS ts, c.value AS value FROM counter c "
                         "JOIN counter_track t ON t.id = c.track_id ORDER BY name, ts")
    assert [tuple(row.values()) for row in values] == [
        ("Device memory", "bytes", 100, 4096), ("Device memory", "bytes", 200, 5120),
        ("Device memory", "bytes", 300, 1024), ("Pinned memory", "bytes", 250, 10),
        ("SMs Active", "Throughput %", 0, 7), ("SMs Active", "Throughput %", 150, 90)]


def test_samples_have_their_call_chains(made, tmp_path):
    chains = {1: ["leaf", "middle", "main"], 2: ["other", "main"], 3: ["leaf", "middle", "main"]}
    for id_, chain in chains.items():
        made.insert("COMPOSITE_EVENTS", id_, 1000 * id_, id_ % 2, 1, THREAD if id_ < 3 else OTHER_THREAD, 1)
        for depth, function in enumerate(chain):
            made.insert("SAMPLING_CALLCHAINS", id_, made.string(function), made.string("/usr/lib/libx.so"), 0, 0, 0, 0,
                        0x1000 + depth, 1, depth, None)
    trace = made.trace(tmp_path)
    samples, frames = trace.queries(
        "SELECT ts, cpu, tid, callsite_id FROM perf_sample JOIN thread USING (utid) ORDER BY ts",
        "SELECT c.id AS id, c.parent_id AS parent, f.name AS name, m.name AS module FROM stack_profile_callsite c "
        "JOIN stack_profile_frame f ON f.id = c.frame_id JOIN stack_profile_mapping m ON m.id = f.mapping")
    by_id = {row["id"]: row for row in frames}

    def chain_of(callsite):
        names = []
        while callsite is not None:
            names.append(by_id[callsite]["name"])
            callsite = by_id[callsite]["parent"]
        return names
    assert [(row["ts"], row["cpu"], row["tid"], chain_of(row["callsite_id"])) for row in samples] == [
        (1000, 1, 482, chains[1]), (2000, 0, 482, chains[2]), (3000, 1, 483, chains[3])]
    assert {row["module"] for row in frames} == {"/usr/lib/libx.so"}


def test_thread_states(made, tmp_path):
    for start, cpu, is_in, state in ((100, 0, 1, 0), (300, 0, 0, 6), (350, 1, 1, 0), (450, 1, 0, 7), (900, 1, 1, 0),
                                     (1000, 1, 0, 5)):
        made.insert("SCHED_EVENTS", start, cpu, is_in, THREAD, state, None)
    trace = made.trace(tmp_path)
    states, runs = trace.queries(
        "SELECT ts, dur, state, p.name AS process FROM thread_state JOIN thread t USING (utid) "
        "JOIN process p USING (upid) WHERE t.tid = 482 ORDER BY ts", "SELECT ts, cpu, dur FROM sched ORDER BY ts")
    assert [(row["ts"], row["state"]) for row in states] == [
        (100, "Running"), (300, "R"), (350, "Running"), (450, "S"), (900, "Running"), (1000, "Z")]
    assert [row["dur"] for row in states[:5]] == [200, 50, 100, 450, 100]
    assert [(row["ts"], row["cpu"], row["dur"]) for row in runs] == [(100, 0, 200), (350, 1, 100), (900, 1, 100)]
    assert {row["process"] for row in states} == {"trainer"}


def test_names_may_be_any_bytes(made, tmp_path):
    made.range(100, 200, "line\nquote\" \\ ü")
    made.database.execute("INSERT INTO NVTX_EVENTS VALUES (300, 400, 59, CAST(x'ff22005c0a' AS TEXT), NULL, ?, 0)",
                          (THREAD,))
    trace = made.trace(tmp_path)
    found = rows_of(trace, "NVTX")
    assert ("line\nquote\" \\ ü", 100, 200) in found and len(found) == 2


def test_the_user_interface_shows_the_rows(made, tmp_path):
    made.range(100_000, 900_000, "step")
    made.call(200_000, 250_000, "cudaLaunchKernel_v7000", 1)
    made.kernel(300_000, 600_000, "gemm", 1)
    made.kernel(500_000, 700_000, "reduce", 2)
    made.trace(tmp_path)
    with serve(tmp_path / "trace.pftrace") as url, browsing() as browser:
        page = browser.new_page()
        titles = show(page, url)
        page.close()
    assert {"GPU 0 Made-up GPU", "trainer 482 context 1", "Stream 7", "Kernels", "trainer 482"} <= set(titles)
    assert any(title.startswith("NVTX") for title in titles) and any(title.startswith("CUDA API") for title in titles)


def test_output(made, tmp_path):
    made.range(100, 200, "range")
    made.kernel(500, 700, "kernel", 1)
    assert rows_of(made.trace(tmp_path, ending=".pftrace.gz"), "NVTX") == [("range", 100, 200)]
    with gzip.open(tmp_path / "trace.pftrace.gz") as packed:
        assert subprocess.run([PROF, "export", "-t", "perfetto", "-o", "-", made.path], stdout=subprocess.PIPE,
                              check=True).stdout == packed.read()
    assert prof("export", "-t", "perfetto", made.path).returncode == 0  # named after the report
    assert rows_of(Trace(tmp_path / "made.pftrace"), "NVTX") == [("range", 100, 200)]
    done = prof("export", "-t", "perfetto", made.path)
    assert done.returncode == 1 and "made.pftrace exists" in done.stderr
    assert rows_of(made.trace(tmp_path, "--filter-time=400/"), "NVTX") == []
    only = made.trace(tmp_path, "--tables=NVTX_EVENTS,StringIds", "--ts-shift=1000")
    assert rows_of(only, "NVTX") == [("range", 1100, 1200)] and rows_of(only, "Kernels") == []
    for options, word in ((("--samples=cpu",), "--samples"), (("--gpu-tracks=all",), "--gpu-tracks")):
        done = prof("export", "-t", "perfetto", *options, made.path)
        assert done.returncode == 2 and word in done.stderr and done.stderr.count("\n") == 1


def test_output_that_cannot_be_written(made, tmp_path):
    made.range(100, 200, "range")
    made.database.commit()
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([PROF, "export", "-t", "perfetto", "-o", "-", made.path], stdout=full,
                              stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1 and "No space left" in done.stderr
    done = subprocess.run(f"'{PROF}' export -t perfetto -o - '{made.path}' 2>'{tmp_path}/err' | true; "
                          "echo ${PIPESTATUS[0]}", shell=True, executable="/bin/bash", stdout=subprocess.PIPE,
                          text=True, check=True)
    # The reader may end before or after prof writes.
    assert (done.stdout, (tmp_path / "err").read_text()) in (
        ("0\n", ""), ("1\n", "prof: cannot write standard output: Broken pipe\n"))
    done = prof("export", "-t", "perfetto", "-o", tmp_path / "no" / "such.pftrace", made.path)
    assert done.returncode == 1 and "cannot write" in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"made.db", "err"}
