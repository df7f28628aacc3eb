"""Runs the program of tests/fake_cupti, which stands in for a CUDA program, the driver and CUPTI, and compares
a report with the program's own account of its work."""
import os
from collections import Counter

import pytest
from profiling import BUILD, Report, prof

FAKES = BUILD / "bin" / "fake_cuda"
APP = FAKES / "fake_cuda_app"
CUPTI = FAKES / "libcupti.so.13"
needs_cuda = pytest.mark.skipif(not APP.exists(), reason="built without the headers of CUDA")

LAST_RECORDS = "The process did not deliver its last GPU records"
UM = ("--cuda-um-cpu-page-faults=true", "--cuda-um-gpu-page-faults=true")


def run(tmp_path, *arguments, options=(), status=0, fake="", traces="cuda,nvtx,osrt",
        cupti=CUPTI, environment=(), command=None):
    """Profiles the app. `fake` selects how its CUPTI misbehaves."""
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
    """Rows of a table as dictionaries. Empty if the table is missing."""
    if table not in report.tables():
        return []
    return [dict(row) for row in report.query(f"SELECT t.*{columns} FROM {table} t {join}")]


def same(report, table, expected, columns="", join="", where=lambda row: True):
    """Asserts that the table has exactly the expected rows, comparing the expected columns."""
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
    """Like same(), but allows rounding in durations."""
    bare = [{k: v for k, v in row.items() if k != "duration"} for row in expected]
    found = same(report, table, bare, columns, join, where)
    wanted = Counter(row["duration"] for row in expected)
    for duration in (row["duration"] for row in found):
        near = next((d for d in (duration, duration - 1, duration + 1) if wanted[d]), None)
        assert near is not None, f"{duration} is not among {wanted}"
        wanted[near] -= 1
    return found


def pid_of(report):
    """globalPid of the process that uses CUDA."""
    return report.value("SELECT globalPid FROM CUPTI_ACTIVITY_KIND_KERNEL")


def check_kernels(work, slack=0):
    answer = work.expected()
    found = same_times(work, "CUPTI_ACTIVITY_KIND_KERNEL", answer["KERNEL"], KERNEL_NAMES,
                       KERNEL_JOIN)
    names = {row["mangled"]: (row["short"], row["demangled"]) for row in found}
    assert names["_Z5saxpyfPfi"] == ("saxpy", "saxpy(float, float *, int)")
    assert names["_ZN4demo6reduceIfEEvPT_i"][0] == "reduce"
    assert names["plain_kernel"] == ("plain_kernel", "plain_kernel")
    launcher = {row["correlationId"]: row for row in rows(work, "CUPTI_ACTIVITY_KIND_RUNTIME")}
    for row in found:
        # The GPU worked during or after the call, on the session's timeline.
        assert launcher[row["correlationId"]]["start"] <= row["start"] + slack
        assert row["globalPid"] == launcher[row["correlationId"]]["globalTid"] >> 24 << 24


def check_page_faults(work):
    answer = work.expected()
    found = same(work, "CUDA_UM_CPU_PAGE_FAULT_EVENTS", answer["CPU_FAULT"])
    assert found[0]["originalFaultPc"] == 0x401234
    same_times(work, "CUDA_UM_GPU_PAGE_FAULT_EVENTS", answer["GPU_FAULT"])


def check_gpus_contexts_and_streams(work, null_stream_of_green=17):
    gpus = sorted(rows(work, "TARGET_INFO_GPU"), key=lambda row: row["cuDevice"])
    assert [row["name"] for row in gpus] == ["Fake GPU One", "Fake GPU Two"]
    assert [row["busLocation"] for row in gpus] == ["0000:a0:1f.0", "0000:a1:1f.0"]
    assert gpus[0]["uuid"] == "00010203-0405-0607-0809-0a0b0c0d0e0f"
    assert gpus[0]["memoryBandwidth"] == 3 * 10**12 and gpus[0]["clockRate"] == 1980 * 10**6
    assert gpus[0]["chipName"] == "GH100" and gpus[0]["isDiscrete"] == 1
    assert gpus[0]["maxShmemPerBlockOptin"] == 232448
    same(work, "TARGET_INFO_CUDA_DEVICE", [{"cudaId": 0}, {"cudaId": 1}])
    same(work, "TARGET_INFO_CUDA_CONTEXT_INFO", [
        {"contextId": 1, "deviceId": 0, "nullStreamId": 7, "parentContextId": 0, "isGreenContext": 0, "numMultiprocessors": None},
        {"contextId": 2, "deviceId": 1, "nullStreamId": 7, "parentContextId": 0, "isGreenContext": 0, "numMultiprocessors": None},
        {"contextId": 3, "deviceId": 0, "nullStreamId": null_stream_of_green, "parentContextId": 1, "isGreenContext": 1,
         "numMultiprocessors": 16}])
    same(work, "TARGET_INFO_CUDA_STREAM", [
        {"streamId": 7, "contextId": 1, "priority": 0}, {"streamId": 7, "contextId": 2, "priority": 0},
        {"streamId": 17, "contextId": 3, "priority": 0},
        {"streamId": 13, "contextId": 1, "priority": 2**32 - 2}])
