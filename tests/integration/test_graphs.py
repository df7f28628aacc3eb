"""Kernels, copies and fills of CUDA graphs, without a GPU: their ranges and call chains are those of the capture."""
import gzip
import json
import shutil
import sqlite3
import sys

import pytest
from cuda_app import FAKES, needs_cuda, rows, run
from profiling import prof, source_of

pytestmark = needs_cuda

CALLS = FAKES / "libfake_cuda_calls.so"
WAYS = ("captured", "children", "conditional", "updated", "updated_partly", "updated_same", "updated_children")
LAYERS = 4
OF_LAUNCHES = {"Python": "--python-backtrace=cuda", "native": "--cudabacktrace=kernel:0"}


def profiled(folder, way, *options, layers=LAYERS, arguments=()):
    return run(folder, command=[sys.executable, source_of("graph_layers.py"), CALLS, way, layers, *arguments],
               traces="cuda,nvtx", options=("--cuda-graph-trace=node", *options),
               environment={"LD_LIBRARY_PATH": str(FAKES)}.items())


@pytest.fixture(scope="module", name="reports")
def make_reports(tmp_path_factory):
    return {way: profiled(tmp_path_factory.mktemp(way), way, OF_LAUNCHES["Python"]) for way in ("none", *WAYS)}


def projected(report):
    """Instances and operations of each range, except the one around the capture."""
    return {row["Range"]: (row["Range Instances"], row["Total GPU Ops"]) for row in report.statistics("nvtx_gpu_proj_sum")
            if row["Range"] != ":capture"}


@pytest.mark.parametrize("way", WAYS)
def test_ranges_are_those_without_graphs(reports, way):
    ranges = projected(reports["none"])
    assert ranges["parts:attention"] == (3 * LAYERS, 6 * LAYERS) and ranges[":token 1"] == (1, 5 * LAYERS)
    assert projected(reports[way]) == ranges
    kernels = [{(row["NVTX Range"], row["Kern Inst"]) for row in reports[each].statistics("nvtx_kern_sum")
                if row["NVTX Range"] != ":capture"} for each in ("none", way)]
    assert kernels[0] == kernels[1]
    assert {row["Name"] for row in reports[way].statistics("cuda_gpu_kern_sum:nvtx-name:base")} == \
        {row["Name"] for row in reports["none"].statistics("cuda_gpu_kern_sum:nvtx-name:base")}


def test_ranges_of_launches_are_those_of_nsys(reports):
    done = prof("stats", "-q", "-r", "nvtx_gpu_proj_trace", "-f", "csv", "--range-of=launch", reports["captured"].path)
    header, *lines = done.stdout.strip().splitlines()
    assert header.endswith(",RangeStack")
    assert {line.split(",")[0] for line in lines} == {f":token {number}" for number in range(3)}
    assert prof("stats", "--range-of=other", reports["captured"].path).returncode == 2


def lines_of_kernels(report):
    """The innermost Python line of each kernel: of its launch, or of the source of its node."""
    chains = {row["id"]: row["value"] for row in report.query(
        "SELECT c.id, m.value FROM CUDA_CALLCHAINS c JOIN StringIds m ON m.id = c.module WHERE c.stackDepth = 0")}
    sources = {}
    for row in rows(report, "CUDA_GRAPH_NODE_EVENTS"):
        original = row["originalGraphNodeId"]
        sources[row["graphNodeId"]] = row["callchainId"] if original is None else sources[original]
    launches = {row["correlationId"]: row["callchainId"] for row in rows(report, "CUPTI_ACTIVITY_KIND_RUNTIME")}
    return sorted(chains[launches[kernel["correlationId"]] if kernel["graphNodeId"] is None else
                         sources[kernel["graphNodeId"]]] for kernel in rows(report, "CUPTI_ACTIVITY_KIND_KERNEL"))


@pytest.mark.parametrize("way", WAYS)
def test_lines_are_those_without_graphs(reports, way):
    lines = lines_of_kernels(reports["none"])
    assert len(lines) == 3 * 3 * LAYERS and len(set(lines)) == 3
    assert lines_of_kernels(reports[way]) == lines


def test_traces_say_where_work_was_captured(reports, tmp_path):
    path = tmp_path / "trace.json.gz"
    assert prof("export", "-t", "chrome", "-o", path, reports["captured"].path).returncode == 0
    with gzip.open(path) as file:
        events = json.load(file)["traceEvents"]
    captured = [event["args"]["captured in"] for event in events
                if event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]
    assert len(captured) == 3 * 5 * LAYERS
    file = source_of("graph_layers.py")
    assert captured.count(f":capture > :layer 1 > parts:attention, {file}:20 (attention)") == 3
    assert captured.count(f":capture > :layer 3, {file}:26 (mlp)") == 3
    assert "captured in" not in json.dumps(
        json.loads(prof("export", "-t", "chrome", "-o", "-", reports["none"].path).stdout))


def test_findings_say_where_work_was_captured(reports, tmp_path):
    path = tmp_path / "large_gpu.db"
    shutil.copy(reports["captured"].path, path)
    limits = ("computeMajor", "computeMinor", "smCount", "threadsPerWarp", "maxWarpsPerSm", "maxBlocksPerSm",
              "maxRegistersPerSm", "maxShmemPerSm")
    with sqlite3.connect(path) as report:
        report.execute(f"CREATE TABLE TARGET_INFO_GPU (cuDevice, {', '.join(limits)})")
        report.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = start + 1000000000")
        report.execute("INSERT INTO TARGET_INFO_GPU VALUES (0, 9, 0, 132, 32, 64, 32, 65536, 233472)")
    findings = prof("analyze", path).stdout
    assert "the longest was captured in :capture > :layer " in findings and "graph_layers.py:" in findings


def test_native_chains_of_nodes(tmp_path):
    report = profiled(tmp_path, "captured", OF_LAUNCHES["native"])
    captured, cloned = report.query("SELECT count(*), count(callchainId) FROM CUDA_GRAPH_NODE_EVENTS "
                                    "WHERE originalGraphNodeId IS NULL GROUP BY graphNodeId >> 32 ORDER BY graphNodeId >> 32")
    assert tuple(captured) == (5 * LAYERS, 5 * LAYERS)
    assert tuple(cloned) == (5 * LAYERS, 1)  # after its first node, a graph is known to be a clone
    assert not report.value("SELECT count(callchainId) FROM CUDA_GRAPH_NODE_EVENTS "
                            "WHERE originalGraphNodeId IS NOT NULL")
    functions = {row["value"] for row in report.query("""
        SELECT s.value FROM CUDA_GRAPH_NODE_EVENTS n JOIN CUDA_CALLCHAINS c ON c.id = n.callchainId
        JOIN StringIds s ON s.id = c.symbol""")}
    assert {"fake_kernel", "fake_copy", "fake_fill"} <= functions


def test_a_large_graph(tmp_path):
    layers = 2000  # 10,000 nodes
    report = profiled(tmp_path, "captured", layers=layers)
    ranges = projected(report)
    assert ranges["parts:attention"] == (3 * layers, 6 * layers)
    assert all(ranges[f":layer {number}"] == (3, 15) for number in range(layers))


@pytest.mark.parametrize("way", WAYS)
def test_a_graph_that_is_older_than_the_recording(reports, tmp_path, way):
    report = profiled(tmp_path, way, OF_LAUNCHES["Python"], "-c", "cudaProfilerApi", arguments=["early"])
    assert lines_of_kernels(report) == lines_of_kernels(reports["none"])
    assert projected(report) == projected(reports["none"])
    recorded = {row["Range"] for row in report.statistics("nvtx_sum")}
    assert recorded == {f":token {number}" for number in range(3)}
    assert {row["value"] for row in report.query("SELECT value FROM PROF_GRAPH_RANGES JOIN StringIds ON id = textId")} >= \
        {"capture", "attention", *(f"layer {number}" for number in range(LAYERS))}
    of_launches = prof("stats", "-q", "-r", "nvtx_gpu_proj_sum", "-f", "csv", "--range-of=launch", report.path).stdout
    assert "token 1" in of_launches and "attention" not in of_launches


def test_ranges_around_the_begin_of_the_recording(tmp_path):
    report = profiled(tmp_path, "captured", "-c", "cudaProfilerApi", arguments=["early", "around"])
    ranges = {row["value"]: (row["start"], row["end"]) for row in report.query(
        "SELECT value, start, end FROM PROF_GRAPH_RANGES JOIN StringIds ON id = textId")}
    assert ranges["around"][0] < ranges["capture"][0] < ranges["capture"][1] < 0 < ranges["around"][1]
    assert projected(report)[":around"] == (1, 3 * 5 * LAYERS)
