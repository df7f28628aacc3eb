"""prof analyze: nsys's rules on reports of nsys, and on made-up reports for cases that these lack."""
import csv
import io
import json
import shutil

import cuda_app
import pytest
from made_up_report import PROCESS, MadeUpReport
from profiling import MORE_TRUTH, TRUTH, prof, profile, unpacked

RULES = ["cuda_memcpy_async", "cuda_memcpy_sync", "cuda_memset_sync", "cuda_api_sync", "gpu_gaps",
         "gpu_time_util"]
ALL = ("-r", ",".join(RULES))
MS = 1_000_000
UNKNOWN, H2D, D2H, D2D, H2H, P2P = 0, 1, 2, 8, 9, 10
PAGEABLE, PINNED, DEVICE, ARRAY, MANAGED, DEVICE_STATIC, MANAGED_STATIC = range(7)

# Tables as in 2021, only with the columns that every version of nsys has.
SCHEMA = """
    CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid, correlationId, nameId);
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, globalPid);
    CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId, streamId, correlationId,
      globalPid, bytes, copyKind, srcKind, dstKind);
    CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start, end, deviceId, contextId, streamId, correlationId,
      globalPid, bytes, memKind);
    CREATE TABLE PROFILER_OVERHEAD (start, end, globalTid);
"""


class MadeUp(MadeUpReport):
    def __init__(self, path):
        super().__init__(path, SCHEMA, isolation_level=None)
        self.ids = 0

    def add(self, table, **values):
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        self.database.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(values.values()))

    def call(self, name, start, end, event_class=0, process=PROCESS):
        self.ids += 1
        self.add("CUPTI_ACTIVITY_KIND_RUNTIME", start=start, end=end, eventClass=event_class,
                 globalTid=process + 7, correlationId=self.ids, nameId=self.string(name))
        return self.ids

    def copy(self, name, duration, kind, source, target, size=1_000_000, **more):
        start = 1000 * self.ids
        self.add("CUPTI_ACTIVITY_KIND_MEMCPY", start=start, end=start + duration, deviceId=0, contextId=1,
                 streamId=7, correlationId=self.call(name, start, start + 1), globalPid=PROCESS,
                 bytes=size, copyKind=kind, srcKind=source, dstKind=target, **more)

    def fill(self, name, duration, kind):
        self.add("CUPTI_ACTIVITY_KIND_MEMSET", start=5, end=5 + duration, deviceId=0, contextId=1,
                 streamId=7, correlationId=self.call(name, 1, 2), globalPid=PROCESS, bytes=4096, memKind=kind)

    def kernel(self, start, end, device=0, context=1, process=PROCESS):
        self.add("CUPTI_ACTIVITY_KIND_KERNEL", start=start, end=end, deviceId=device, contextId=context,
                 globalPid=process)

    def overhead(self, start, end, thread=PROCESS + 9):
        self.add("PROFILER_OVERHEAD", start=start, end=end, globalTid=thread)

    def drop(self, *tables):
        for table in tables:
            self.database.execute(f"DROP TABLE CUPTI_ACTIVITY_KIND_{table}")


@pytest.fixture
def made_up(tmp_path):
    return MadeUp(tmp_path / "made_up.sqlite")


@pytest.fixture(scope="module")
def nsys_report(tmp_path_factory):
    return unpacked(tmp_path_factory.mktemp("nsys_report") / "zoo.sqlite")


def analyze(report, rule):
    """Returns the CSV, and checks that there is no other output."""
    done = prof("analyze", "-q", "-r", rule, "-f", "csv", report)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def found(report, rule):
    return list(csv.DictReader(io.StringIO(analyze(report.path, rule).strip())))


def equals_truth(report, folder):
    """nsys prints no table if a rule finds nothing."""
    for rule in RULES:
        truth = folder / f"analyze_{rule}.csv"
        expected = truth.read_text() if truth.exists() else ""
        assert analyze(report, f"{rule}:rows=-1") == expected, rule


# --- reports of nsys

def test_findings_in_an_nsys_report_equal_nsyss_own(nsys_report):
    equals_truth(nsys_report, TRUTH)


FOLDERS = sorted(path.parent.name for path in MORE_TRUTH.glob("*/report.sqlite.gz"))


@pytest.mark.skipif(not FOLDERS, reason=f"no nsys reports of nsys in {MORE_TRUTH}")
@pytest.mark.parametrize("folder", FOLDERS)
def test_findings_in_other_nsys_reports(tmp_path, folder):
    """Exports of nsys 2022 to 2026, from other machines and programs."""
    report = unpacked(tmp_path / "report.sqlite", MORE_TRUTH / folder / "report.sqlite.gz")
    equals_truth(report, MORE_TRUTH / folder)


def test_text_output_has_advice(nsys_report):
    done = prof("analyze", *ALL, nsys_report)
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split("(")[-1] for line in done.stdout.splitlines()
            if line.startswith(" ** ")] == [f"{rule}):" for rule in RULES]
    assert done.stdout.startswith("""
 ** CUDA Async Memcpy with Pageable Memory (cuda_memcpy_async):

No asynchronous copy uses pageable memory.

""")
    assert """
 ** CUDA Synchronous Memcpy (cuda_memcpy_sync):

The calling thread waited until these copies were done. (Copies of up to 64 KB to the
device do not block and are not listed.) cudaMemcpyAsync on a stream does not block.

 Duration (ns)  Start (ns)   Src Kind  Dst Kind  Bytes (MB) """ in done.stdout
    assert "\n    1         0.4     18,826,880  466,971,621  482          0           1\n" in done.stdout
    assert all(len(line) <= 88 for line in done.stdout.splitlines() if not line.startswith(" "))
    assert prof("analyze", "-r", "all", nsys_report).stdout.endswith(done.stdout)


def test_formats_of_findings_agree(nsys_report):
    rule = "cuda_memcpy_sync"
    rows = list(csv.reader(io.StringIO(analyze(nsys_report, rule).strip())))
    tsv = prof("analyze", "-r", rule, "-f", "tsv", nsys_report).stdout.strip().splitlines()
    assert [line.split("\t") for line in tsv] == rows
    document = json.loads(prof("analyze", "-r", rule, "-f", "json", nsys_report).stdout)
    assert [row["Duration (ns)"] for row in document] == [int(row[0]) for row in rows[1:]]
    assert document[0]["Green Context ID"] is None
    table = prof("analyze", "-r", rule, "-f", "table", nsys_report).stdout
    assert "cudaMemcpyAsync on a stream does not block.\n\n+----" in table


# --- copies and fills

def test_asynchronous_copies_of_pageable_memory(made_up):
    made_up.copy("cudaMemcpyAsync_v3020", 10, H2D, PAGEABLE, DEVICE, size=8)
    made_up.copy("cudaMemcpy2DAsync_ptsz_v7000", 20, D2H, DEVICE, PAGEABLE)
    made_up.copy("cudaMemcpyAsync_v3020", 30, H2D, PINNED, DEVICE)
    made_up.copy("cudaMemcpyAsync_v3020", 40, H2D, None, None)
    made_up.copy("cudaMemcpy_v3020", 50, H2D, PAGEABLE, DEVICE)
    made_up.copy("cudaMemcpyAsync_v3020", 10, H2H, PAGEABLE, PINNED)
    rows = found(made_up, "cuda_memcpy_async")
    assert [(row["Duration (ns)"], row["Src Kind"], row["Dst Kind"]) for row in rows] == [
        ("20", "Device", "Pageable"), ("10", "Pageable", "Device"), ("10", "Pageable", "Pinned")]
    assert list(rows[0].values()) == ["20", "1000", "Device", "Pageable", "1.000", "482", "0", "1", "", "7",
                                      "cudaMemcpy2DAsync_ptsz_v7000"]


def test_synchronous_copies_that_block(made_up):
    for size in (64 * 1024, 64 * 1024 + 1):
        made_up.copy("cudaMemcpy_v3020", size, H2D, PAGEABLE, DEVICE, size=size)
        made_up.copy("cudaMemcpyToSymbol_v3020", size + 10, H2D, PINNED, DEVICE, size=size)
    made_up.copy("cudaMemcpy_v3020", 3, D2H, DEVICE, PAGEABLE, size=1)
    made_up.copy("cudaMemcpy2D_v3020", 2, H2H, PINNED, PINNED)
    made_up.copy("cudaMemcpy_v3020", 9, D2D, DEVICE, DEVICE)
    made_up.copy("cudaMemcpyPeer_v4000", 9, P2P, DEVICE, DEVICE)
    made_up.copy("cudaMemcpyAsync_v3020", 9, D2H, DEVICE, PAGEABLE)
    made_up.copy("cuMemcpyDtoH_v2", 9, D2H, DEVICE, PAGEABLE)
    assert [int(row["Duration (ns)"]) for row in found(made_up, "cuda_memcpy_sync")] == [65547, 65537, 3, 2]


def test_copies_in_green_contexts(made_up):
    made_up.database.execute("ALTER TABLE CUPTI_ACTIVITY_KIND_MEMCPY ADD COLUMN greenContextId")
    for duration, context in ((3, 5), (2, 0), (1, None)):
        made_up.copy("cudaMemcpy_v3020", duration, D2H, DEVICE, PAGEABLE, greenContextId=context)
    assert [row["Green Context ID"] for row in found(made_up, "cuda_memcpy_sync")] == ["5", "", ""]


def test_copies_of_another_process_with_the_same_correlation(made_up):
    made_up.copy("cudaMemcpy_v3020", 3, D2H, DEVICE, PAGEABLE)
    made_up.database.execute("UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET globalPid = globalPid + (1 << 24)")
    assert found(made_up, "cuda_memcpy_sync") == []


def test_fills_that_block(made_up):
    for kind in (PAGEABLE, PINNED, DEVICE, ARRAY, MANAGED, DEVICE_STATIC, MANAGED_STATIC, None):
        made_up.fill("cudaMemset_v3020", 10 + (kind or 0), kind)
    made_up.fill("cudaMemsetAsync_v3020", 1000, PINNED)
    made_up.fill("cuMemsetD8_v2", 1000, PINNED)
    rows = found(made_up, "cuda_memset_sync")
    assert [row["Memory Kind"] for row in rows] == ["Managed Static", "Managed", "Pinned"]
    assert list(rows[2].items()) == [
        ("Duration (ns)", "11"), ("Start (ns)", "5"), ("Memory Kind", "Pinned"), ("Bytes (MB)", "0.004"),
        ("PID", "482"), ("Device ID", "0"), ("Context ID", "1"), ("Green Context ID", ""), ("Stream ID", "7"),
        ("API Name", "cudaMemset_v3020")]


# --- synchronizations

def test_synchronizing_calls(made_up):
    names = ("cudaDeviceSynchronize_v3020", "cudaStreamSynchronize_ptsz_v7000", "cudaEventSynchronize_v3020",
             "cuStreamSynchronize", "cudaStreamWaitEvent_v3020", "cudaMemcpy_v3020")
    for number, name in enumerate(names):
        made_up.call(name, 100, 200 + number)
        made_up.call(name, 100, 300, event_class=67)  # repeats a call because of its call chain
    assert [list(row.values()) for row in found(made_up, "cuda_api_sync")] == [
        ["101", "100", "482", "7", names[1]], ["100", "100", "482", "7", names[0]]]


# --- idle GPUs

def gaps(report, rule="gpu_gaps"):
    return [tuple(int(row[name]) for name in ("Duration (ns)", "Start (ns)", "PID", "Device ID", "Context ID"))
            for row in found(report, rule)]


def test_gaps_are_longer_than_the_limit_and_between_operations(made_up):
    made_up.kernel(1000 * MS, 1010 * MS)
    made_up.kernel(1510 * MS, 1511 * MS)          # 500 ms later
    made_up.kernel(2011 * MS + 1, 4000 * MS)      # and 1 ns longer
    made_up.kernel(2100 * MS, 2200 * MS, context=3)  # inside
    made_up.kernel(4700 * MS, 4701 * MS)
    assert gaps(made_up) == [(700 * MS, 4000 * MS, 482, 0, 1), (500 * MS + 1, 1511 * MS, 482, 0, 1)]
    assert gaps(made_up, "gpu_gaps:gap=499:rows=2") == gaps(made_up) and len(gaps(made_up, "gpu_gaps:gap=499")) == 3
    assert gaps(made_up, "gpu_gaps:gap=700") == []
    assert [row["Row#"] for row in found(made_up, "gpu_gaps:rows=0")] == ["1", "2"]


def test_gaps_are_by_process_and_device_and_of_all_operations(made_up):
    made_up.kernel(0, MS)
    made_up.copy("cudaMemcpy_v3020", 5, D2H, DEVICE, PAGEABLE)
    made_up.kernel(900 * MS, 901 * MS, context=2)
    made_up.database.execute(f"UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET start = {450 * MS}, end = {451 * MS}")
    assert gaps(made_up) == []
    other = PROCESS + (1 << 24)
    for device, process in ((1, PROCESS), (0, other)):
        made_up.kernel(100 * MS, 101 * MS, device, 4, process)
        made_up.kernel(801 * MS, 802 * MS, device, 9, process)
    assert gaps(made_up) == [(700 * MS, 101 * MS, 482, 1, 4), (700 * MS, 101 * MS, 483, 0, 4)]


def test_gaps_by_the_profiler_are_left_out(made_up):
    made_up.kernel(0, MS)
    made_up.overhead(400 * MS, 600 * MS)
    made_up.kernel(1001 * MS, 1002 * MS)
    made_up.overhead(1100 * MS, 1110 * MS)
    made_up.kernel(2002 * MS, 2003 * MS)
    made_up.overhead(2500 * MS, 9000 * MS)  # after the last operation
    assert gaps(made_up) == [(892 * MS, 1110 * MS, 482, 0, 1)]
    made_up.database.execute("UPDATE PROFILER_OVERHEAD SET globalTid = globalTid + (1 << 24)")
    assert [gap[:2] for gap in gaps(made_up)] == [(1000 * MS, MS), (1000 * MS, 1002 * MS)]
    made_up.database.execute("DROP TABLE PROFILER_OVERHEAD")
    assert len(gaps(made_up)) == 2


def test_a_full_queue_of_launches_is_no_overhead(made_up):
    """The program waits there without a profiler, too."""
    made_up.database.execute("ALTER TABLE PROFILER_OVERHEAD ADD COLUMN nameId")
    made_up.kernel(0, MS)
    made_up.overhead(400 * MS, 600 * MS)
    made_up.kernel(1001 * MS, 1002 * MS)
    made_up.database.execute("UPDATE PROFILER_OVERHEAD SET nameId = ?", (made_up.string("CUPTI Command buffer full"),))
    assert [gap[:2] for gap in gaps(made_up)] == [(1000 * MS, MS)]


def utilization(report, rule="gpu_time_util"):
    return [(row["In-Use (%)"], int(row["Duration (ns)"]), int(row["Start (ns)"])) for row in found(report, rule)]


def test_utilization_of_chunks(made_up):
    """30 chunks of 100 ns."""
    made_up.kernel(0, 149)                            # 49 % of the second
    made_up.kernel(200, 250)                          # exactly 50 %
    for _ in range(2):
        made_up.kernel(300, 330)                      # together 60 %
    made_up.kernel(550, 2800)                         # none of 400..499, half of the next
    made_up.kernel(2900, 2910)
    made_up.kernel(2999, 3000)
    assert utilization(made_up) == [("0.0", 100, 400), ("5.5", 200, 2800), ("49.0", 100, 100)]
    assert utilization(made_up, "gpu_time_util:threshold=49") == utilization(made_up)[:2]
    assert utilization(made_up, "gpu_time_util:threshold=51") == [
        ("5.5", 200, 2800), ("25.0", 200, 400), ("49.5", 200, 100)]
    assert utilization(made_up, "gpu_time_util:threshold=80:chunks=1") == []
    assert utilization(made_up, "gpu_time_util:threshold=90:chunks=1") == [("84.0", 3000, 0)]
    assert utilization(made_up, "gpu_time_util:rows=1") == utilization(made_up)[:1]


def test_utilization_of_short_ranges(made_up):
    """Chunks are whole nanoseconds and the last one is the rest: 61 ns are 20 chunks of 3 ns and one of 1 ns."""
    made_up.kernel(5, 5)
    made_up.kernel(10, 12, device=1)
    made_up.kernel(16, 17, device=1)
    made_up.kernel(100, 102, device=2)
    made_up.kernel(160, 161, device=2)
    assert utilization(made_up) == [("0.0", 57, 103), ("0.0", 4, 12)]


# --- what is missing, and what is wrong

def skipped(path, thing):
    return (f"SKIPPED: {path} could not be analyzed because it does not contain the required CUDA data. "
            f"Does the application use CUDA {thing}APIs?")


def test_missing_tables_are_named(made_up):
    made_up.drop("RUNTIME", "KERNEL", "MEMCPY", "MEMSET")
    done = prof("analyze", *ALL, made_up.path)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.splitlines() == [skipped(made_up.path, thing) for thing in (
        "memcpy ", "memcpy ", "memset ", "runtime ", "", "")]
    assert prof("analyze", *ALL, "-q", made_up.path).stderr == ""


def test_some_tables_are_enough(made_up):
    made_up.kernel(0, MS)
    made_up.drop("MEMCPY", "MEMSET")
    done = prof("analyze", *ALL, "-f", "csv", made_up.path)
    assert (done.returncode, done.stdout) == (0, "")
    said = done.stderr.splitlines()
    assert said[:3] == [skipped(made_up.path, f"{thing} ") for thing in ("memcpy", "memcpy", "memset")]
    assert said[3:5] == [
        f"{made_up.path}: cuda_api_sync: No call waited for everything issued.",
        f"{made_up.path}: gpu_gaps: No GPU was idle for more than 500 ms at a time."]


def test_empty_tables_have_no_problems(made_up):
    done = prof("analyze", "-r", "gpu_gaps:gap=20,gpu_time_util:threshold=30", made_up.path)
    assert done.stdout == """
 ** GPU Gaps (gpu_gaps:gap=20):

No GPU was idle for more than 20 ms at a time.


 ** GPU Time Utilization (gpu_time_util:threshold=30):

Every GPU was busy for at least 30 % of each part of the time.

"""
    assert prof("analyze", *ALL, "-q", made_up.path).stdout == ""
    for rule in RULES:
        assert found(made_up, rule) == []


def test_report_without_cuda(tmp_path):
    report = profile(tmp_path, "true")
    done = prof("analyze", *ALL, report.path)
    assert (done.returncode, done.stdout) == (0, "") and done.stderr.count("SKIPPED") == 6


def fails(done, *words):
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1 and done.stdout == ""
    for word in words:
        assert word in done.stderr, done.stderr


def test_wrong_usage(nsys_report):
    fails(prof("analyze", "-r", "gpu_gap", nsys_report), "unknown rule gpu_gap; did you mean gpu_gaps?")
    fails(prof("analyze", "-r", "cuda_api_sync,nope", nsys_report), "unknown rule nope", "--help-rules")
    fails(prof("analyze", "-r", "cuda_api_sync:gap=5", nsys_report),
          "cuda_api_sync:gap=5: unknown argument gap (allowed: rows=)")
    fails(prof("analyze", "-r", "gpu_gaps:gap=soon", nsys_report), "gap= takes a whole number from 0 to")
    for words in ("chunks=0", "chunks=", "chunks", "chunks=1e3", "threshold=-1", "rows=-2",
                  "chunks=99999999999999999999"):
        fails(prof("analyze", "-r", f"gpu_time_util:{words}", nsys_report), words, "takes a whole number")
    fails(prof("analyze", "-f", "xml", nsys_report), "unknown format xml")
    fails(prof("analyze", "--help-rules=nope"), "unknown rule nope")


def test_old_names_of_rules(nsys_report):
    for old, new in (("cuda-sync-memcpy", "cuda_memcpy_sync"), ("cuda-sync-api", "cuda_api_sync"),
                     ("gpu-time-util", "gpu_time_util"), ("gpu-low-utilization", "gpu_time_util")):
        assert analyze(nsys_report, old) == analyze(nsys_report, new)


def test_help_on_rules():
    listed = prof("analyze", "--help-rules")
    assert listed.returncode == 0 and all(rule in listed.stdout for rule in RULES)
    for words in (["--help-rules=gpu_gaps"], ["--help-rules", "gpu_gaps"]):
        done = prof("analyze", *words)
        assert done.returncode == 0 and "gap= " in done.stdout and "default: 500" in done.stdout
    assert prof("analyze", "--help-rules", "ALL").stdout == listed.stdout


def test_findings_in_files(tmp_path, nsys_report):
    shutil.copy(nsys_report, tmp_path / "zoo.sqlite")
    rules = "cuda_memcpy_async,cuda_memcpy_sync:rows=2,cuda_api_sync"
    done = prof("analyze", "-f", "csv", "-r", rules, "-o", ".", tmp_path / "zoo.sqlite")
    assert done.returncode == 0 and done.stdout == ""
    assert sorted(path.name for path in tmp_path.glob("*.csv")) == [
        "zoo_cuda_api_sync.csv", "zoo_cuda_memcpy_sync_rows=2.csv"]
    assert (tmp_path / "zoo_cuda_api_sync.csv").read_text() == analyze(nsys_report, "cuda_api_sync")
    again = prof("analyze", "-f", "csv", "-r", rules, "-o", ".", tmp_path / "zoo.sqlite")
    assert again.returncode == 1 and "--force-overwrite" in again.stderr


def test_lists_of_formats_and_outputs(tmp_path, nsys_report):
    base = tmp_path / "found"
    done = prof("analyze", "-q", "-r", "cuda_api_sync,cuda_memcpy_async,cuda_memcpy_sync,gpu_time_util", "-f", "csv,json,.",
                "-o", f"-,-,{base}", nsys_report)
    assert (done.returncode, done.stdout) == (0, analyze(nsys_report, "cuda_api_sync"))
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        f"found_{rule}.csv": analyze(nsys_report, rule) for rule in ("cuda_memcpy_sync", "gpu_time_util")}


def test_units_and_filters_are_those_of_the_statistics(tmp_path, nsys_report):
    window = ["--filter-time", "460ms/460.15ms", "-q", "-r", "cuda_api_sync", "-f", "csv"]
    reported = prof("analyze", "--timeunit", "ms", *window, nsys_report).stdout.splitlines()
    whole = list(csv.DictReader(io.StringIO(analyze(nsys_report, "cuda_api_sync:rows=-1").strip())))
    inside = [row for row in whole if int(row["Start (ns)"]) <= 460_150_000
              and int(row["Start (ns)"]) + int(row["Duration (ns)"]) >= 460_000_000]
    assert reported[0] == "Duration (ms),Start (ms),PID,TID,API Name" and 0 < len(inside) < len(whole)
    assert [line.split(",")[0] for line in reported[1:] if line] == [f"{int(row['Duration (ns)']) / 1e6:.4f}" for row in inside]
    ranged = prof("analyze", "-q", "-r", "cuda_api_sync", "-f", "csv", "--filter-nvtx", "iter 3", "-o", tmp_path / "x", nsys_report)
    assert ranged.returncode == 0 and len((tmp_path / "x_cuda_api_sync_nvtx=iter 3.csv").read_text().splitlines()) == 6
    fails(prof("analyze", "--timeunit", "hours", nsys_report), "unknown time unit hours")
    fails(prof("analyze", "--filter-time", "5", nsys_report), "bad time filter 5")
    assert prof("analyze", "--filter-nvtx", "absent", nsys_report).returncode == 1


def test_several_reports(tmp_path, nsys_report):
    shutil.copy(nsys_report, tmp_path / "copy.sqlite")
    done = prof("analyze", "-r", "cuda_api_sync:rows=1", "-f", "csv", nsys_report, tmp_path / "copy.sqlite")
    assert done.stdout == 2 * analyze(nsys_report, "cuda_api_sync:rows=1")
    assert done.stderr.count("prof: analyzing ") == 2


@cuda_app.needs_cuda
def test_report_of_prof_with_cuda(tmp_path):
    """The findings are rows of the report and name its calls and processes."""
    work = cuda_app.run(tmp_path, "work")
    waits = work.query("SELECT end - start, start, globalTid >> 24 & 0xffffff, globalTid & 0xffffff, value "
                       "FROM CUPTI_ACTIVITY_KIND_RUNTIME JOIN StringIds ON id = nameId "
                       "WHERE value GLOB 'cuda[DS]*Synchronize*' ORDER BY 1 DESC")
    rows = [tuple(row.values()) for row in found(work, "cuda_api_sync:rows=-1")]
    assert rows and rows == [tuple(map(str, wait)) for wait in waits]
    assert [row["Dst Kind"] for row in found(work, "cuda_memcpy_async")] == ["Device", "Unknown"]
    for rule in RULES:
        done = prof("analyze", "-q", "-r", rule, work.path)
        assert (done.returncode, done.stderr) == (0, ""), rule
