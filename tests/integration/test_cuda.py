"""The rows of the CUDA trace, without a GPU: of the fake's own work, and of recorded sessions."""
import json
import os
import re
import subprocess
from collections import Counter

import pytest
from cuda_app import (APP, FAKES, KERNEL_JOIN, KERNEL_NAMES, NAME, TEXTS, UM,
                      check_gpus_contexts_and_streams, check_kernels, check_page_faults,
                      needs_cuda, pid_of, rows, run, same, same_times)
from profiling import SOURCE

pytestmark = needs_cuda


@pytest.fixture(scope="module", name="work")
def make_work(tmp_path_factory):
    """All of the work, with all optional features switched on."""
    return run(tmp_path_factory.mktemp("work"), "work",
               options=("--cuda-memory-usage=true", *UM))


def test_kernels(work):
    check_kernels(work)


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


def test_correlation_is_complete(work):
    """Every operation has its call, and every call that makes work has its operation."""
    calls = {row["correlationId"]: row["name"]
             for row in rows(work, "CUPTI_ACTIVITY_KIND_RUNTIME", TEXTS, NAME)
             if row["globalTid"] >> 24 == pid_of(work) >> 24}
    queried = {row["correlationId"] for row in work.expected()["QUERY"]}  # calls that are not traced
    captured = {row["correlationId"] for row in work.expected()["CAPTURED"]}  # calls without work
    worked = set()
    for kind in ("KERNEL", "MEMCPY", "MEMSET", "SYNCHRONIZATION", "GRAPH_TRACE", "CUDA_EVENT"):
        for row in rows(work, f"CUPTI_ACTIVITY_KIND_{kind}"):
            if row["correlationId"] is not None and row["correlationId"] not in queried:
                assert row["correlationId"] in calls
                worked.add(row["correlationId"])
    makers = ("Launch", "Memcpy", "Memset", "Synchronize", "EventRecord", "WaitEvent")
    # CUPTI 13.0 has no records of host functions.
    assert {c for c, name in calls.items()
            if any(maker in name for maker in makers) and "HostFunc" not in name} == worked | captured


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
    check_page_faults(work)


def test_overhead(work):
    found = rows(work, "PROFILER_OVERHEAD", TEXTS, NAME)
    assert {row["name"] for row in found} >= {
        "CUDA profiling initialization", "CUDA profiling data flush",
        "CUPTI Resource Management", "CUPTI Lazy function loading"}


def test_gpus_contexts_and_streams(work):
    check_gpus_contexts_and_streams(work)


def test_no_messages_without_problems(work):
    severe = work.query("SELECT text FROM DIAGNOSTIC_EVENT WHERE severity > 1")
    assert not [row["text"] for row in severe]
    assert any("CUDA tracing initialized" in text for text in work.diagnostics())


def test_only_requested_tables_are_there(tmp_path):
    report = run(tmp_path, "work", traces="cuda", options=("--cuda-event-trace=false",))
    assert not report.tables() & {
        "CUDA_GPU_MEMORY_USAGE_EVENTS", "CUDA_GPU_MEMORY_POOL_EVENTS", "OSRT_API",
        "CUDA_UM_CPU_PAGE_FAULT_EVENTS", "CUDA_UM_GPU_PAGE_FAULT_EVENTS",
        "CUPTI_ACTIVITY_KIND_CUDA_EVENT"}
    same_times(report, "CUPTI_ACTIVITY_KIND_KERNEL", report.expected()["KERNEL"], KERNEL_NAMES,
               KERNEL_JOIN)


def test_no_cuda_rows_without_cuda_tracing(tmp_path):
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
    """libcupti is linked to the program, and only the program's own library path has it."""
    report = run(tmp_path, "work", cupti=None)
    assert len(rows(report, "CUPTI_ACTIVITY_KIND_KERNEL")) == len(report.expected()["KERNEL"]), report.diagnostics()


# Recordings of real sessions: the recorder, and the replay of its recordings.

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
    """The report has everything that the replay delivered."""
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
    """Sessions on an H200, compared with the output of their program (NAME.json). NAME.node.trace has graphs
    node by node."""
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
