"""A CUPTI that refuses, drops records, hangs, is too old or is missing, without a GPU."""
import json
import os
import signal
import subprocess
import time

import pytest
from cuda_app import (APP, CUPTI, LAST_RECORDS, UM, check_gpus_contexts_and_streams,
                      check_kernels, check_page_faults, needs_cuda, pid_of, rows, run, same, same_times)
from profiling import PROF, Report, prof

pytestmark = needs_cuda

# The program does not notice the failure, and the report describes it.

def untraced(report):
    return not [table for table in report.tables() if "CUPTI_ACTIVITY" in table]


@pytest.mark.parametrize("fake, reported", [
    ("taken", 'is held by "CUPTI for another one"'),
    ("taken,unnamed", "is held by another tool (a profiler, DCGM)"), ("old", "older than CUDA 12.0 (API version 18)"),
    ("fail=cuptiGetVersion", "older than CUDA 12.0"),
    ("fail=cuptiSubscribe", "cuptiSubscribe failed with CUptiResult 999"),
    ("fail=cuptiSubscribe,result=14", "libcupti does not match the driver"),
    ("fail=cuptiSubscribe,result=35", "allows it to administrators only"),
    ("fail=cuptiActivityRegisterCallbacks", "cuptiActivityRegisterCallbacks failed"),
    ("fail=cuptiActivityEnable", "cuptiActivityEnable failed")])
def test_cuda_is_not_traced(tmp_path, fake, reported):
    report = run(tmp_path, "work", fake=fake)
    assert report.expected()["KERNEL"]
    assert [text for text in report.diagnostics() if reported in text]
    assert untraced(report)
    assert report.calls()["waitpid"] == 1  # the other traces work


@pytest.mark.parametrize("fake, reported", [
    ("drop", "7 events of process"), ("unknown_kind", "unknown kind (9999)"),
    ("no_clock", "does not use the profiler's clock"),
    ("fail=cuptiActivityRegisterTimestampCallback", "does not use the profiler's clock"),
    ("fail=cuptiSetThreadIdType", "cuptiSetThreadIdType failed")])
def test_kernels_are_recorded_anyway(tmp_path, fake, reported):
    report = run(tmp_path, "work", fake=fake)
    assert [text for text in report.diagnostics() if reported in text]
    check_kernels(report, slack=20_000 if "clock" in reported else 0)


@pytest.mark.parametrize("fake, calls, kernels", [
    ("fail=cuptiActivityFlushAll", True, False), ("fail=cuptiActivityGetNextRecord", True, False),
    ("fail=cuptiEnableCallback", False, True), ("fail=cuptiGetCallbackName", False, True)])
def test_part_of_cupti_fails(tmp_path, fake, calls, kernels):
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
    """CUDA 12.6: fields that its shorter records lack are not read."""
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
    check_kernels(report)
    check_gpus_contexts_and_streams(report)
    check_page_faults(report)


@pytest.mark.parametrize("version", ["v133", "v134", "v135"])
@pytest.mark.parametrize("graphs", ["graph", "node"])
def test_records_of_a_newer_cuda(tmp_path, version, graphs):
    """CUDA 13.3 to 13.5: longer records, green contexts and host functions as separate kinds."""
    report = run(tmp_path, "work", fake=version,
                 options=("--cuda-memory-usage=true", f"--cuda-graph-trace={graphs}", *UM))
    answer = report.expected()
    assert len(answer["HOST_FUNCTION"]) == 5  # three of a graph
    same_times(report, "CUPTI_ACTIVITY_KIND_GRAPH_HOST_NODE_AND_HOST_LAUNCH", answer["HOST_FUNCTION"])
    same_times(report, "CUPTI_ACTIVITY_KIND_MEMCPY", answer["MEMCPY"], where=lambda row: row["copyKind"] < 11)
    same_times(report, "CUPTI_ACTIVITY_KIND_MEMSET", answer["MEMSET"])
    same(report, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", answer["SYNCHRONIZATION"])
    same(report, "CUDA_GPU_MEMORY_USAGE_EVENTS", answer["MEMORY"])
    if graphs == "graph":
        check_kernels(report)
        same_times(report, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", answer["GRAPH_TRACE"])
    check_gpus_contexts_and_streams(report, null_stream_of_green=0)
    check_page_faults(report)
    assert not report.query("SELECT text FROM DIAGNOSTIC_EVENT WHERE severity > 1")


def test_a_library_newer_than_the_driver(tmp_path):
    """It names functions that the driver lacks, and refuses to report their calls."""
    report = run(tmp_path, "work", fake="v135,older_driver")
    check_kernels(report)
    assert rows(report, "CUPTI_ACTIVITY_KIND_RUNTIME")
    assert not report.query("SELECT text FROM DIAGNOSTIC_EVENT WHERE severity > 1")


def test_context_switches_of_gpus(tmp_path):
    report = run(tmp_path, "work", fake="v135", options=("--gpuctxsw=true",))
    expected = report.expected()["CONTEXT_SWITCH"]
    found = same(report, "GPU_CONTEXT_SWITCH_EVENTS", expected)
    assert len(found) == 8
    assert [(row["globalPid"], row["vmId"]) for row in found] == [(pid_of(report), 1 << 48)] * 8
    for gpu in 0, 1:
        rows_of_gpu = [row for row in found if row["gpuId"] == gpu]
        assert [row["seqNo"] for row in rows_of_gpu] == list(range(len(rows_of_gpu)))
        for begin, end in zip(rows_of_gpu[::2], rows_of_gpu[1::2]):
            assert (begin["tag"], end["tag"], end["end"]) == (9, 7, None)
            assert begin["timestamp"] <= begin["end"] == end["timestamp"]
            assert begin["contextId"] == end["contextId"]
    assert report.value("SELECT name FROM ENUM_GPU_CTX_SWITCH WHERE id = 9") == "CONTEXT_START"


def test_context_switches_need_an_option_and_a_newer_cupti(tmp_path):
    assert "GPU_CONTEXT_SWITCH_EVENTS" not in run(tmp_path, "work", fake="v135").tables()
    report = run(tmp_path, "work", options=("--gpuctxsw=true",))
    assert "GPU_CONTEXT_SWITCH_EVENTS" not in report.tables()
    assert [text for text in report.diagnostics() if "They need libcupti of CUDA 13.1 or later" in text]


TIMED = "GPU work is timed by"


@pytest.mark.parametrize("fake, traces, said", [
    ("v134,hes", "cuda", "the hardware trace: GPU, driver and libcupti support it."),
    ("v135,hes", "cuda-hw", "the hardware trace: GPU, driver and libcupti support it."),
    ("v135,hes", "cuda-sw", "software: -t cuda-sw asks for it."),
    ("v135", "cuda", "software: the hardware trace needs Blackwell or a later GPU, and one here has compute capability 9.0"),
    ("v135", "cuda-hw", "the hardware trace, because -t cuda-hw asks for it, although the hardware trace needs Blackwell"),
    ("v133,hes", "cuda", "software: the hardware trace needs libcupti of CUDA 13.4 Update 1 or later"),
    ("v135,hes,mps", "cuda", "software: the hardware trace does not work with MPS"),
    ("v135,hes,mig", "cuda", "software: the hardware trace does not work with MIG"),
    ("v135,hes,fail=cuptiActivityEnableHWTrace,result=47", "cuda", "software: cuptiActivityEnableHWTrace failed with "
     "CUPTI_ERROR_HES_TRACE_NOT_SUPPORTED_ON_MPS")])
def test_the_report_says_how_gpu_work_is_timed(tmp_path, fake, traces, said):
    report = run(tmp_path, "work", fake=fake, traces=traces)
    check_kernels(report)
    texts = [text for text in report.diagnostics() if TIMED in text]
    assert len(texts) == 1 and texts[0].startswith(f"{TIMED} {said}")
    assert not report.query("SELECT text FROM DIAGNOSTIC_EVENT WHERE severity > 1")


@pytest.mark.parametrize("traces", ["cuda", "cuda-hw"])
def test_one_of_several_subscribers_does_not_use_the_hardware_trace(tmp_path, traces):
    """CUPTI would refuse the calls that switch it on and empty it."""
    report = run(tmp_path, "work", fake="v135,hes,strict", traces=traces, options=("--cupti-subscribers=several",))
    check_kernels(report)
    texts = [text for text in report.diagnostics() if TIMED in text]
    assert texts == [f"{TIMED} software: prof is one of several subscribers of CUPTI."]
    assert not report.query("SELECT text FROM DIAGNOSTIC_EVENT WHERE severity > 1")


def test_default_traces_use_the_hardware_trace(tmp_path):
    """Without -t."""
    path = tmp_path / "report.db"
    done = prof("profile", "-o", path, "--cupti-path", CUPTI, "--", APP, "work", env={**os.environ, "FAKE_CUPTI": "v135,hes"})
    report = Report(path, done)
    check_kernels(report)
    assert [text for text in report.diagnostics() if TIMED + " the hardware trace: " in text]


def test_recording_on_demand_does_not_switch_the_hardware_trace_on(tmp_path):
    """The end of the recording could not switch it off."""
    report = run(tmp_path, "serve", "0.5", fake="v135,hes", options=("--delay=0.1",))
    assert "cannot be switched off" in [text for text in report.diagnostics() if TIMED + " software" in text][0]


@pytest.mark.parametrize("interval, dropped", [(10, 0), (0, 60_000)])
def test_more_kernels_than_the_hardware_trace_holds(tmp_path, interval, dropped):
    """100,000 kernels, of which it holds 40,000. The flush timer empties it."""
    report = run(tmp_path, "kernels", "100000", "10000", "0", fake="v135,hes_full=40000", traces="cuda",
                 options=(f"--cuda-flush-interval={interval}",))
    assert report.value("SELECT COUNT(*) FROM CUPTI_ACTIVITY_KIND_KERNEL") == 100_000 - dropped
    said = [text for text in report.diagnostics() if "the buffer of the GPU's hardware trace was full" in text]
    assert bool(said) == bool(dropped)
    if dropped:
        assert said[0].startswith(f"{dropped} events") and "--cuda-flush-interval" in said[0]
        assert f"{dropped} events were dropped" in report.done.stderr
        assert [text for text in report.diagnostics() if "CUPTI: HES events were dropped" in text]


def test_messages_about_the_hardware_trace(tmp_path):
    """What CUPTI says about it, and that the library has faults that a newer one has not."""
    texts = {}
    for fake, traces in (("v135", "cuda-hw"), ("v135,hes_unsupported", "cuda-hw"),
                         ("v135,hes_unsupported", "cuda-sw"), ("v133", "cuda-hw")):
        report = run(tmp_path, "work", fake=fake, traces=traces)
        check_kernels(report)
        texts[fake, traces] = " ".join(report.diagnostics())
    message, faults = "CUPTI: HES is not supported on the system", "13.4 Update 1 corrects"
    assert [key for key, text in texts.items() if message in text] == [("v135,hes_unsupported", "cuda-hw")]
    assert [key for key, text in texts.items() if faults in text] == [("v133", "cuda-hw")]


def test_buffers_that_come_on_a_thread_of_the_program(tmp_path):
    report = run(tmp_path, "work", fake="on_app_thread")
    check_kernels(report)
    assert report.calls()["waitpid"] == 1  # this call comes later


def test_a_slow_flush(tmp_path):
    before = time.monotonic()
    report = run(tmp_path, "exit", "return", fake="hang_flush=2", options=("--osrt-threshold=0",))
    assert time.monotonic() - before >= 2
    assert len(rows(report, "CUPTI_ACTIVITY_KIND_KERNEL")) == 20, report.diagnostics()
    # The waiting thread is prof's: the program made one thread, its CUPTI's, and slept nowhere.
    assert report.calls()["pthread_create"] == 1 and report.calls()["sleep"] == 0


@pytest.mark.parametrize("ending, status", [
    ("return", 0), ("_exit", 3), ("quick_exit", 4), ("exec", 0), ("thread_exit", 5), ("fork", 0)])
def test_a_flush_that_never_ends(tmp_path, ending, status):
    """The program ends anyway, and the report says what is missing."""
    report = run(tmp_path, "exit", ending, status=status, fake="hang_flush=0",
                 options=("--cuda-flush-timeout=1",))
    assert len(rows(report, "CUPTI_ACTIVITY_KIND_RUNTIME")) == 20
    assert len([text for text in report.diagnostics() if "given up after 1 s" in text]) == 1
    assert not [text for text in report.diagnostics() if LAST_RECORDS in text]


@pytest.mark.parametrize("timeout", [0, 60])
def test_a_flush_that_is_interrupted(tmp_path, timeout):
    """^C ends the wait, and the report says what is missing."""
    path = tmp_path / "report.db"
    with subprocess.Popen(
            [PROF, "profile", "-t", "cuda", "-o", path, "--cupti-path", CUPTI,
             f"--cuda-flush-timeout={timeout}", "--", APP, "exit", "return"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # with & a shell ignores it
            env={**os.environ, "FAKE_CUPTI": "hang_flush=0"}) as done:
        done.stdout.readline()  # the program has printed its answer and is about to end
        time.sleep(0.5)
        os.killpg(done.pid, signal.SIGINT)
        done.communicate(timeout=30)
    report = Report(path)
    assert len(rows(report, "CUPTI_ACTIVITY_KIND_RUNTIME")) == 20
    assert [text for text in report.diagnostics() if LAST_RECORDS in text]


# Loading CUPTI.

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


def test_a_libcupti_that_is_invalid(tmp_path):
    (tmp_path / "libcupti.so.13").write_text("not a library")
    report = run(tmp_path, "work", cupti=tmp_path / "libcupti.so.13")
    assert untraced(report)
    assert [text for text in report.diagnostics() if "no libcupti" in text]


def test_traced_and_untraced_runs_print_the_same(tmp_path):
    plain = subprocess.run([APP, "exit", "return"], capture_output=True, text=True, check=True)
    report = run(tmp_path, "exit", "return")
    shape = lambda text: [(row["mangled"], row["correlationId"]) for row in json.loads(text)["KERNEL"]]
    assert shape(plain.stdout) == shape(report.done.stdout)
