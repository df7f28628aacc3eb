"""Sessions on demand with CUDA: CUPTI is enabled late and disabled again."""
import json
import os
import re
import signal
import time

import pytest
from cuda_app import APP, CUPTI, FAKES, needs_cuda, rows
from profiling import Report
from sessions import consecutive, sessions  # noqa: F401

pytestmark = needs_cuda
NAMER = FAKES / "fake_cuda_names"
OPTIONS = "-t", "cuda,nvtx,osrt", "--cupti-path", CUPTI


def kernels(path):
    """The numbers of the program's kernels in a report: how many blocks each has."""
    report = Report(path)
    found = [row["gridX"] for row in report.query("SELECT gridX FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY start")]
    calls = report.value("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds s ON s.id = r.nameId "
                         "WHERE s.value LIKE 'cudaLaunchKernel%'")
    assert abs(calls - len(found)) <= 2  # at the edges of the collection
    return consecutive(found)


def test_kernels_of_each_collection(sessions, tmp_path):
    launched = sessions.running(*OPTIONS, APP, "migrate", 60)
    time.sleep(0.3)
    found = []
    for i in range(3):
        sessions.works("start", "-o", tmp_path / f"r{i}")
        time.sleep(0.4)
        sessions.works("stop")
        found.append(kernels(tmp_path / f"r{i}.db"))
        time.sleep(0.1)
    assert found[0][0] > 1 and all(before[-1] < after[0] - 1 for before, after in zip(found, found[1:]))
    report = Report(tmp_path / "r2.db")
    # Counted in between, too. One migration for each kernel, with as many bytes as its number.
    migrated = consecutive([row["bytes"] for row in report.query(
        "SELECT bytes FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE copyKind = 11 ORDER BY start")])
    assert abs(migrated[0] - found[2][0]) <= 1 and abs(migrated[-1] - found[2][-1]) <= 1
    assert {row["contextId"]: row["deviceId"] for row in rows(report, "TARGET_INFO_CUDA_CONTEXT_INFO")} == {1: 0}
    names = report.query("SELECT value FROM StringIds WHERE id IN (SELECT shortName FROM CUPTI_ACTIVITY_KIND_KERNEL)")
    assert [row["value"] for row in names] == ["serve"]
    assert not [text for text in report.diagnostics() if "CUPTI" in text and "fail" in text]
    sessions.works("shutdown")
    launched.wait(60)


@pytest.mark.parametrize("slow", ["slow_start", "slow_end"])
def test_start_waits_until_cupti_is_on(sessions, tmp_path, slow):
    launched = sessions.running(*OPTIONS, APP, "serve", 60, environment={"FAKE_CUPTI": f"{slow}=400"})
    for i in range(2):
        sessions.works("start", "-o", tmp_path / f"r{i}")
        sessions.works("stop")
        report = Report(tmp_path / f"r{i}.db")
        assert report.value("SELECT timestamp FROM DIAGNOSTIC_EVENT WHERE text LIKE 'CUDA tracing initialized%'") <= 0
        assert not [text for text in report.diagnostics() if "last GPU records" in text]
    sessions.works("shutdown")
    launched.wait(60)


def test_a_stopped_program_is_named(sessions, tmp_path):
    launched = sessions.running(*OPTIONS, APP, "serve", 60)
    program, = sessions.described()["programs"]
    os.kill(program, signal.SIGSTOP)
    done = sessions.works("start", "-o", tmp_path / "r")
    assert f"Process {program} has not begun to trace CUDA yet" in done.stderr
    os.kill(program, signal.SIGCONT)
    os.kill(launched.pid, signal.SIGCONT)  # it has stopped with its program
    time.sleep(0.3)
    sessions.works("stop")
    assert kernels(tmp_path / "r.db")
    sessions.works("shutdown")
    launched.wait(60)


def test_cupti_never_starts(sessions, tmp_path):
    """The program has no GPU records, so nobody waits for them."""
    launched = sessions.running(*OPTIONS, APP, "serve", 60, environment={"FAKE_CUPTI": "slow_start=3600000"})
    program, = sessions.described()["programs"]
    done = sessions.works("start", "-o", tmp_path / "r")
    assert f"Process {program} has not begun to trace CUDA yet" in done.stderr
    sessions.works("stop")
    assert Report(tmp_path / "r.db").value("SELECT count(*) FROM OSRT_API") > 0
    os.kill(program, signal.SIGKILL)
    launched.communicate(timeout=60)


def test_from_the_first_kernel_on(sessions, tmp_path):
    sessions.works("start", "-o", tmp_path / "r")
    done = sessions.works("launch", *OPTIONS, APP, "serve", 0.3)
    assert kernels(tmp_path / "r.db") == list(range(1, int(done.stdout) + 1))


def test_names_that_were_given_before(sessions, tmp_path):
    launched = sessions.running(*OPTIONS, NAMER, 60)
    time.sleep(0.5)
    for i in range(2):
        sessions.works("start", "-o", tmp_path / f"r{i}")
        time.sleep(0.2)
        sessions.works("stop")
        report = Report(tmp_path / f"r{i}.db")
        assert {row["name"] for row in rows(report, "TARGET_INFO_NVTX_CUDA_CONTEXT")} >= {"training"}
        assert {row["name"] for row in rows(report, "TARGET_INFO_NVTX_CUDA_STREAM")} >= {"default", "copies"}
        assert {row["name"] for row in rows(report, "TARGET_INFO_NVTX_CUDA_DEVICE")} == {"early", "evaluación"}
    os.kill(sessions.described()["programs"][0], 9)
    launched.wait(60)


def test_cupti_keeps_no_buffer_of_a_collection(sessions, tmp_path):
    """CUPTI would fill it with records of the program's own profiler, which does not know the buffer and drops them."""
    launched = sessions.running(*OPTIONS, APP, "serve", 60, environment={"FAKE_CUPTI": "busy"})
    for i in range(3):
        sessions.works("start", "-o", tmp_path / f"r{i}")
        time.sleep(0.1)
        sessions.works("stop")
    os.kill(sessions.described()["programs"][0], 9)
    _, said = launched.communicate(timeout=60)
    assert re.findall(r"fake CUPTI: (\d+) buffers kept", said) == ["0", "0", "0"]


def test_a_profiler_range_begins_and_ends_it(sessions, tmp_path):
    sessions.works("start", "-o", tmp_path / "r", "-c", "cudaProfilerApi")
    sessions.works("launch", *OPTIONS, NAMER)
    sessions.wait_for(lambda _: (tmp_path / "r.db").exists())  # prof launch does not wait for it
    report = Report(tmp_path / "r.db")
    assert report.value("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL") == 1


def test_cupti_that_hangs_does_not_stop_the_session(sessions, tmp_path):
    launched = sessions.running(*OPTIONS, "--cuda-flush-timeout=1", APP, "serve", 60,
                                environment={"FAKE_CUPTI": "hang_flush=0"})
    sessions.works("start", "-o", tmp_path / "r")
    time.sleep(0.3)
    done = sessions.works("stop")
    assert "did not deliver the last GPU records" in done.stderr and (tmp_path / "r.db").exists()
    os.kill(sessions.described()["programs"][0], 9)
    launched.wait(60)


def test_instructions_are_sampled_from_the_start_of_a_collection_on(sessions, tmp_path):
    launched = sessions.running("-t", "cuda", "--cupti-path", CUPTI, "--pc-sampling", APP, "samples", "12", "late")
    sessions.works("start", "-o", tmp_path / "r")
    answer, _ = launched.communicate(timeout=60)
    sessions.wait_for(lambda states: not states or "Collection" not in states.values())
    report = Report(tmp_path / "r.db")
    expected = json.loads(answer.strip().splitlines()[-1])
    assert report.value("SELECT sum(total) FROM PROF_PC_LOSSES") == expected["LOSSES"][0]["total"]
    assert report.value("SELECT sum(samples) FROM PROF_PC_SAMPLES") == sum(
        row["samples"] for row in expected["SAMPLES"])


def test_a_second_collection_has_samples_of_its_own(sessions, tmp_path):
    launched = sessions.running("-t", "cuda", "--cupti-path", CUPTI, "--pc-sampling", APP, "samples", "300", "late")
    reports = []
    for i in range(2):
        sessions.works("start", "-o", tmp_path / f"r{i}")
        time.sleep(0.5)
        sessions.works("stop")
        reports.append(Report(tmp_path / f"r{i}.db"))
    answer, _ = launched.communicate(timeout=60)
    for report in reports:
        assert report.value("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL") > 0
    total = json.loads(answer.strip().splitlines()[-1])["LOSSES"][0]["total"]
    assert 0 < sum(report.value("SELECT sum(total) FROM PROF_PC_LOSSES") for report in reports) < total


def test_the_counters_of_a_gpu_have_one_use(sessions, tmp_path):
    launched = sessions.running("-t", "cuda", "--cupti-path", CUPTI, "--pc-sampling", APP, "serve", "60")
    line = sessions.refuses("start", "-o", tmp_path / "r", "--gpu-metrics-devices=all")
    assert "use the same counters of a GPU" in line
    sessions.works("shutdown")
    launched.wait(60)
