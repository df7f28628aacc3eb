"""Tools that read nsys's reports read prof's, and prof reads nsys's reports as nsys does."""
import csv
import io
import sqlite3
import sys

import pytest
from profiling import MORE_TRUTH, TRUTH, prof, profile, program, unpacked

REPORTS = ["osrt_sum", "nvtx_sum", "nvtx_pushpop_sum", "nvtx_pushpop_trace",
           "nvtx_startend_sum", "nvtx_gpu_proj_sum", "nvtx_gpu_proj_trace", "nvtx_kern_sum", "cuda_api_sum", "cuda_api_trace",
           "cuda_api_gpu_sum", "cuda_gpu_kern_sum", "cuda_gpu_kern_sum:base",
           "cuda_gpu_kern_sum:nvtx-name", "cuda_gpu_kern_gb_sum", "cuda_gpu_mem_time_sum",
           "cuda_gpu_mem_size_sum", "cuda_gpu_sum", "cuda_gpu_trace", "cuda_kern_exec_sum",
           "cuda_kern_exec_trace"]
CUDA_REPORTS = [name for name in REPORTS if name.startswith("cuda")]


def csv_of(folder, name):
    return folder / f"{name.replace(':', '_')}.csv"


@pytest.fixture(scope="module")
def nsys_report(tmp_path_factory):
    return unpacked(tmp_path_factory.mktemp("nsys_report") / "zoo.sqlite")


@pytest.mark.parametrize("name", REPORTS)
def test_statistics_of_an_nsys_report_equal_nsyss_own(nsys_report, name):
    done = prof("stats", "-r", name, "-f", "csv", nsys_report)
    assert done.returncode == 0
    assert done.stdout == csv_of(TRUTH, name).read_text()


# CSV files of nsys that belong to no statistic: rules of nsys analyze, and options that are tested below.
NO_REPORT = ("analyze_", "filter_", "timeunit_")
ARGUMENTS = ("base", "nvtx-name")


def report_of(path):
    """cuda_gpu_kern_sum_base.csv: cuda_gpu_kern_sum:base"""
    for argument in ARGUMENTS:
        if path.stem.endswith("_" + argument):
            return path.stem.removesuffix("_" + argument) + ":" + argument
    return path.stem


def test_no_csv_of_nsys_is_left_out():
    """One of these tests compares each CSV file."""
    names = {report_of(path) for path in TRUTH.glob("*.csv") if not path.name.startswith(NO_REPORT)}
    assert names == set(REPORTS)


def more_truth():
    folders = sorted(path.parent.name for path in MORE_TRUTH.glob("*/report.sqlite.gz"))
    return folders or [pytest.param("", marks=pytest.mark.skip(f"no nsys reports in {MORE_TRUTH}"))]


@pytest.mark.parametrize("folder", more_truth())
def test_statistics_of_other_nsys_reports(tmp_path, folder):
    """Exports of nsys 2022 to 2026, from other machines and programs."""
    truth = MORE_TRUTH / folder
    report = unpacked(tmp_path / "report.sqlite", truth / "report.sqlite.gz")
    expected = [path for path in truth.glob("*.csv") if not path.name.startswith(NO_REPORT)]
    assert expected
    for path in expected:
        assert stats(report, report_of(path)) == path.read_text(), path


OWN_REPORTS = ["stream_sum", "queue_length", "launch_stats", "launch_stats:base", "nccl_sum", "tensor_core_sum",
               "memory_usage", "memory_usage_trace", "kernel_occupancy", "kernel_occupancy:nvtx-name",
               "gpu_metric_util_sum", "gpu_metrics_trace", "power_sum", "power_sum:kernel", "power_sum:iteration",
               "nvlink_sum", "network_sum", "kernel_rules"]


def own_rows(report, name):
    return list(csv.DictReader(io.StringIO(stats(report, name))))


@pytest.mark.parametrize("folder", more_truth())
def test_own_statistics_of_other_nsys_reports(tmp_path, folder):
    report = unpacked(tmp_path / "report.sqlite", MORE_TRUTH / folder / "report.sqlite.gz")
    for name in OWN_REPORTS:
        done = prof("stats", "-r", name, "-f", "csv", report)
        assert done.returncode == 0, done.stderr
    kernels = sum(int(row["Instances"]) for row in own_rows(report, "tensor_core_sum"))
    assert kernels == sum(int(row["Instances"]) for row in own_rows(report, "kernel_occupancy"))
    assert kernels == sum(int(row["Kernels"]) for row in own_rows(report, "stream_sum"))


def test_own_statistics_of_an_nsys_report(nsys_report):
    streams = {row["Stream"]: row for row in own_rows(nsys_report, "stream_sum")}
    assert [streams[stream]["Kernels"] for stream in ("7", "13", "14", "15", "16")] == ["7", "21", "11", "11", "11"]
    assert sum(int(row["Graphs"]) for row in streams.values()) == 20
    assert {row["Memory Kind"]: row["Peak (bytes)"] for row in own_rows(nsys_report, "memory_usage")} == {
        "Device": str(33 << 20), "Pinned": str(16 << 20)}
    saxpy = own_rows(nsys_report, "kernel_occupancy")[1]
    assert (saxpy["Occupancy (%)"], saxpy["Blocks/SM"], saxpy["SMs"], saxpy["Limiter"]) == (
        "100.0", "8", "132", "threads")
    assert prof("stats", "-r", ",".join(OWN_REPORTS), "--filter-time", "460ms/461ms", nsys_report).returncode == 0


@pytest.mark.parametrize("options, truth", [
    (["-r", "cuda_gpu_kern_sum", "--timeunit", "ms"], "timeunit_ms_cuda_gpu_kern_sum.csv"),
    (["-r", "cuda_gpu_kern_sum", "--filter-time", "460ms/461ms"],
     "filter_time_460ms_461ms_cuda_gpu_kern_sum.csv"),
    (["-r", "osrt_sum", "--filter-nvtx", "copies"], "filter_nvtx_copies_osrt_sum.csv")])
def test_options_of_statistics_are_nsyss(nsys_report, options, truth):
    assert prof("stats", "-f", "csv", *options, nsys_report).stdout == (TRUTH / truth).read_text()


def test_filters_act_together_and_on_every_report(nsys_report):
    window = ["--filter-time", "460ms/461ms"]
    for name in REPORTS:
        assert prof("stats", "-r", name, *window, "--filter-nvtx", "iter 3", nsys_report).returncode == 0, name
    rows = list(csv.DictReader(io.StringIO(prof(
        "stats", "-r", "nvtx_pushpop_trace", "-f", "csv", *window, "--filter-nvtx", "iter 3", nsys_report).stdout)))
    assert [row["Name"] for row in rows] == [":iter 3", ":compute", ":sync"]
    assert [row["RangeStack"] for row in rows] == [":15", ":15:16", ":15:17"]
    second = prof("stats", "-r", "nvtx_sum", "-f", "csv", "--filter-nvtx", "registered-range@zoo/2", nsys_report)
    assert second.stdout.splitlines()[1].endswith("2071587,2071587,0.0,PushPop,zoo:registered-range")


def test_lists_of_formats_and_outputs(nsys_report, tmp_path):
    """One for each statistic, even if it has no data. The last one is used for the rest."""
    base = tmp_path / "sums"
    done = prof("stats", "-r", "cuda_gpu_kern_sum,mpi_event_sum,osrt_sum,nvtx_sum", "-f", "json,table,csv", "-o", f"-,-,{base}",
                nsys_report)
    assert (done.returncode, done.stdout) == (0, prof("stats", "-r", "cuda_gpu_kern_sum", "-f", "json", nsys_report).stdout)
    assert {path.name: path.read_text() for path in tmp_path.glob("sums_*")} == {
        f"sums_{name}.csv": (TRUTH / f"{name}.csv").read_text() for name in ("osrt_sum", "nvtx_sum")}
    names = "cuda_gpu_kern_sum,osrt_sum"
    again = [prof("stats", "-r", names, *words, nsys_report).stdout
             for words in (["-f", "column", "-f", "csv"], ["-f", ".,csv"], ["-o", "-,@cat"], ["-o-", "-o@cat", "-f."])]
    assert set(again) == {prof("stats", "-r", "cuda_gpu_kern_sum", nsys_report).stdout + (TRUTH / "osrt_sum.csv").read_text()}
    assert prof("stats", "-f", "csv,xml", nsys_report).returncode == 2


@pytest.mark.parametrize("form", ["column", "table", "json", "tsv"])
def test_formats_are_nsyss(nsys_report, form):
    done = prof("stats", "-r", "cuda_gpu_kern_sum,cuda_gpu_mem_time_sum", "-f", form, nsys_report)
    assert done.stdout == (TRUTH / f"format_{form}.txt").read_text()


def changed(nsys_report, tmp_path, script):
    """A copy of the nsys report after an SQL script."""
    path = tmp_path / "changed.sqlite"
    path.write_bytes(nsys_report.read_bytes())
    with sqlite3.connect(path) as database:
        database.executescript(script)
    return path


def stats(report, name):
    return prof("stats", "-r", name, "-f", "csv", report).stdout


OLD_EXPORT = """
    ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN greenContextId;
    ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN mangledName;
    ALTER TABLE CUPTI_ACTIVITY_KIND_MEMCPY DROP COLUMN greenContextId;
    ALTER TABLE CUPTI_ACTIVITY_KIND_MEMSET DROP COLUMN greenContextId;
    CREATE TABLE TARGET_INFO_CUDA_GPU AS SELECT name, cuDevice AS deviceId FROM TARGET_INFO_GPU;
    DROP TABLE TARGET_INFO_GPU;
    DROP TABLE TARGET_INFO_CUDA_DEVICE;
    DROP TABLE ENUM_CUDA_MEMCPY_OPER;
    DROP TABLE ENUM_CUDA_MEM_KIND;
"""


def test_an_export_as_of_2021_says_the_same(nsys_report, tmp_path):
    old = changed(nsys_report, tmp_path, OLD_EXPORT)
    for name in CUDA_REPORTS:
        assert stats(old, name) == csv_of(TRUTH, name).read_text(), name


def test_rows_of_cuda_backtraces_are_no_calls(nsys_report, tmp_path):
    more = changed(nsys_report, tmp_path, """
        INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT start - 5, end + 5, 67, globalTid,
          correlationId, nameId, returnValue, 0 FROM CUPTI_ACTIVITY_KIND_RUNTIME;""")
    for name in CUDA_REPORTS:
        assert stats(more, name) == csv_of(TRUTH, name).read_text(), name


def test_correlation_ids_of_two_processes_collide(nsys_report, tmp_path):
    """The second process does the same a second later, and outside of ranges."""
    two = changed(nsys_report, tmp_path, """
        CREATE TEMP TABLE calls AS SELECT * FROM CUPTI_ACTIVITY_KIND_RUNTIME;
        UPDATE calls SET start = start + 1000000000, end = end + 1000000000,
          globalTid = globalTid + (1 << 24);
        INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT * FROM calls;
        CREATE TEMP TABLE kernels AS SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL;
        UPDATE kernels SET start = start + 1000000000, end = end + 1000000000,
          globalPid = globalPid + (1 << 24);
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT * FROM kernels;""")
    one = stats(nsys_report, "cuda_kern_exec_sum").strip().splitlines()
    both = stats(two, "cuda_kern_exec_sum").strip().splitlines()
    assert sorted(both) == sorted(one + [line.replace("482,", "483,", 1) for line in one[1:]])
    names = {row["Name"]: int(row["Instances"])
             for row in csv.DictReader(io.StringIO(stats(two, "cuda_gpu_kern_sum:base:nvtx-name")))}
    assert names == {"spin": 8, "compute/saxpy": 40, "saxpy": 40, "compute/scale": 10,
                     "captured/scale": 7, "scale": 17}


OLD_NAMES = {
    "apigpusum": "cuda_api_gpu_sum", "cudaapisum": "cuda_api_sum", "cudaapitrace": "cuda_api_trace",
    "gpukernsum": "cuda_gpu_kern_sum", "gpumemsizesum": "cuda_gpu_mem_size_sum",
    "gpumemtimesum": "cuda_gpu_mem_time_sum", "gpusum": "cuda_gpu_sum", "gputrace": "cuda_gpu_trace",
    "kernexecsum": "cuda_kern_exec_sum", "kernexectrace": "cuda_kern_exec_trace",
    "nvtxgpuproj": "nvtx_gpu_proj_trace", "nvtxkernsum": "nvtx_kern_sum", "nvtxppsum": "nvtx_pushpop_sum",
    "nvtxpptrace": "nvtx_pushpop_trace", "nvtxsesum": "nvtx_startend_sum", "nvtxsum": "nvtx_sum",
    "osrtsum": "osrt_sum"}


def test_old_names_of_statistics(nsys_report):
    for old, new in OLD_NAMES.items():
        assert stats(nsys_report, old) == csv_of(TRUTH, new).read_text(), old
    for old in ("openaccsum", "openmpevtsum", "umcpupagefaults", "unifiedmemory", "unifiedmemorytotals"):
        assert prof("stats", "-r", old, nsys_report).returncode == 0, old


def test_arguments_of_statistics(nsys_report, tmp_path):
    assert stats(nsys_report, "gpukernsum:base") == csv_of(TRUTH, "cuda_gpu_kern_sum:base").read_text()
    assert stats(nsys_report, "cuda_gpu_kern_sum:base:nvtx-name") == stats(nsys_report, "cuda_gpu_kern_sum:nvtx-name:base")
    for name in ("cuda_gpu_trace", "nvtx_kern_sum"):
        assert "_Z5saxpyfPKfPfi" in stats(nsys_report, name + ":mangled")
    assert ",saxpy\n" in stats(nsys_report, "nvtx_kern_sum:base")
    for name, word in (("cuda_gpu_kern_sum:foo", "allowed: base or mangled, nvtx-name"),
                       ("cuda_gpu_sum:base:mangled", "mangled"), ("cuda_api_sum:base", "takes no arguments"),
                       ("nvtx_kern_sum:nvtx-name", "allowed: base or mangled"), ("um_sum:rows=x", "rows=NUMBER")):
        done = prof("stats", "-r", name, nsys_report)
        assert done.returncode == 2 and name in done.stderr and word in done.stderr
    base = tmp_path / "out"
    assert prof("stats", "-r", "cuda_gpu_kern_sum:nvtx-name:base", "-f", "csv", "-o", base, nsys_report).returncode == 0
    assert (tmp_path / "out_cuda_gpu_kern_sum_nvtx-name_base.csv").exists()


def test_default_statistics_are_nsyss_and_what_is_missing_is_named(nsys_report, tmp_path):
    titles = [line.split("(")[-1].rstrip("):") for line in prof("stats", nsys_report).stdout.splitlines()
              if line.startswith(" ** ")]
    assert titles[:6] == ["nvtx_sum", "osrt_sum", "cuda_api_sum", "cuda_gpu_kern_sum",
                          "cuda_gpu_mem_time_sum", "cuda_gpu_mem_size_sum"]
    none = changed(nsys_report, tmp_path, "".join(
        f"DROP TABLE CUPTI_ACTIVITY_KIND_{kind};" for kind in ("RUNTIME", "KERNEL", "MEMCPY", "MEMSET")))
    assert (prof("stats", none).returncode, prof("stats", none).stderr) == (0, "")
    done = prof("stats", "-r", "cuda_api_sum,cuda_gpu_kern_sum,cuda_gpu_mem_time_sum", none)
    assert done.returncode == 0
    assert [line.split(". To record it: prof profile -t cuda")[0] for line in done.stderr.splitlines()] == [
        f"SKIPPED: {none} does not contain {what}" for what in
        ("CUDA trace data", "CUDA kernel data", "GPU memory data")]
    assert "does not contain GPU trace data." in prof("stats", "-r", "cuda_gpu_trace", none).stderr


def test_formats_agree_with_each_other(nsys_report):
    as_csv = list(csv.reader(io.StringIO(prof("stats", "-r", "osrt_sum", "-f", "csv", nsys_report).stdout.strip())))
    as_tsv = prof("stats", "-r", "osrt_sum", "-f", "tsv", nsys_report).stdout.strip().splitlines()
    assert [line.split("\t") for line in as_tsv] == as_csv
    column = prof("stats", "-r", "osrt_sum", nsys_report).stdout.splitlines()
    assert column[:2] == ["", " ** OS Runtime Summary (osrt_sum):"]
    assert column[5].split() == [f"{float(x):,.1f}" if "." in x else f"{int(x):,}"
                                 for x in as_csv[1][:-1]] + [as_csv[1][-1]]


def schema_of(path):
    database = sqlite3.connect(path)
    tables = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type='table'")]
    return {table: [(row[1], row[2], row[3], row[5])
                    for row in database.execute(f"PRAGMA table_info('{table}')")] for table in tables}


def test_schema_is_nsyss(tmp_path, nsys_report):
    report = profile(tmp_path, program("nvtx_zoo"), options=["-w", "false"])
    ours, theirs = schema_of(report.path), schema_of(nsys_report)
    for table, columns in ours.items():
        if table.startswith("PROF_"):  # prof's own tables
            continue
        appended = {"NVTX_EVENTS": "isOpen", "COMPOSITE_EVENTS": "callchainId"}.get(
            table, "line" if table.endswith("_CALLCHAINS") else None)
        assert columns == theirs[table] + ([(appended, "INTEGER", 0, 0)] if appended else []), table
    expected = {"StringIds", "ThreadNames", "PROCESSES", "NVTX_EVENTS", "OSRT_API",
                "ANALYSIS_DETAILS", "META_DATA_CAPTURE", "META_DATA_EXPORT", "ProcessStreams",
                "TARGET_INFO_SESSION_START_TIME", "TARGET_INFO_SYSTEM_ENV", "DIAGNOSTIC_EVENT",
                "PROFILER_OVERHEAD"}
    assert expected <= set(ours)
    assert {t for t in ours if t.startswith("ENUM_")} == {t for t in theirs if t.startswith("ENUM_")}
    strings = [row["value"] for row in report.query("SELECT value FROM StringIds ORDER BY id LIMIT 4")]
    assert strings == ["[Unknown]", "[kernel.kallsyms]", "[Max depth]", "[Broken backtraces]"]
    assert report.value("SELECT count(*) = max(id) + 1 AND min(id) = 0 "
                        "AND count(DISTINCT value) = count(*) FROM StringIds")


def test_enums_are_nsyss(tmp_path, nsys_report):
    report = profile(tmp_path, "true")
    theirs = sqlite3.connect(nsys_report)
    for table in report.tables():
        if table.startswith("ENUM_"):
            rows = [tuple(row) for row in report.query(f"SELECT * FROM {table} ORDER BY id")
                    if not row["name"].startswith("PROF_")]  # prof's own event classes are appended
            assert rows == theirs.execute(f"SELECT * FROM {table} ORDER BY id").fetchall(), table


def test_time_line(tmp_path):
    import time
    before = time.time_ns()
    report = profile(tmp_path, program("nvtx_zoo"))
    after = time.time_ns()
    start = report.value("SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME")
    duration = report.value("SELECT duration FROM ANALYSIS_DETAILS")
    assert before <= start and start + duration <= after
    assert report.value("SELECT min(start) FROM NVTX_EVENTS") >= 0
    assert report.value("SELECT max(end) FROM NVTX_EVENTS") <= duration
    assert report.value("SELECT startTime = 0 AND stopTime = duration FROM ANALYSIS_DETAILS")


def test_pandas(tmp_path):
    pandas = pytest.importorskip("pandas")
    report = profile(tmp_path, program("nvtx_zoo"))
    frame = pandas.read_sql_query("SELECT * FROM NVTX_EVENTS WHERE eventType = 59", report.database)
    assert len(frame) == report.value("SELECT count(*) FROM NVTX_EVENTS WHERE eventType = 59")
    assert (frame.end - frame.start).sum() > 0


def test_nsys_ai_reads_it(tmp_path):
    """Its analyses of GPU work reject a report without any. Those of NVTX must give the answer."""
    pytest.importorskip("nsys_ai")
    from nsys_ai.skills.registry import get_skill
    script = ("import nvtx\n"
              "for i in range(5):\n"
              "    with nvtx.annotate('gc collect', domain='python'): sum(range(100000))\n")
    report = profile(tmp_path, sys.executable, "-c", script)
    database = sqlite3.connect(report.path)
    rows = get_skill("gc_impact").execute(database)
    assert [(row["event_name"], row["occurrences"]) for row in rows] == [("gc collect", 5)]
    listed = get_skill("schema_inspect").run(database)
    assert all(table in listed for table in ("NVTX_EVENTS", "StringIds", "ThreadNames"))
