"""prof analyze's verdict and findings: programs with one known problem each, and one without problems."""
import contextlib
import csv
import io
import json
import os
import sqlite3
from xml.etree import ElementTree

import pytest
from finding_reports import check_gains
from made_up_program import D2H, MS, MULTIPROCESSORS, US, Program
from made_up_report import THREAD
from named import with_names
from profiling import prof

STEPS = 20
TENSOR_CORE_GEMM = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64"


def compute(program, kernels=20, duration=500 * US, name=TENSOR_CORE_GEMM, **more):
    for _ in range(kernels):
        program.kernel(name, duration, **more)


def clean(program):
    """Kernels that fill the GPU and are launched ahead. The next batch is copied meanwhile."""
    for _ in range(STEPS):
        program.copy(8_000_000, 200 * US, stream=13)
        compute(program)
    program.synchronize()


def pageable_copies(program):
    for _ in range(STEPS):
        program.pageable_copy(50_000_000, 12 * MS)
        compute(program)


def pageable_copies_and_short_kernels(program):
    """A training of small batches: launches take more time than the copies, but not what is easily saved."""
    for _ in range(STEPS):
        program.pageable_copy(8_000_000, 220 * US)
        for name in ("add", "mul", "relu"):
            compute(program, kernels=50, duration=2 * US, name=name)


def small_copies(program):
    for _ in range(STEPS):
        for _ in range(500):
            program.copy(4096, 6 * US)
        compute(program, kernels=2)


def serial_copies(program):
    for _ in range(STEPS):
        program.copy(100_000_000, 5 * MS)
        compute(program)


def sync_after_every_kernel(program):
    for _ in range(STEPS):
        for _ in range(100):
            program.kernel(TENSOR_CORE_GEMM, 10 * US)
            program.synchronize("cudaStreamSynchronize_v3020")


def sync_after_every_step(program):
    """loss.item(): the queue is empty when the CPU starts the next step."""
    for _ in range(STEPS):
        compute(program, kernels=5, duration=20 * US)
        program.copy(4, 1 * US, kind=D2H)
        program.synchronize("cudaStreamSynchronize_v3020")


def short_kernels(program):
    for _ in range(STEPS):
        for name in ("add", "mul", "relu"):
            compute(program, kernels=50, duration=2 * US, name=name)


def gaps_in_graphs(program):
    for _ in range(STEPS):
        program.graph([(f"layer_{number}", 2 * US) for number in range(200)], gap=3 * US)


def long_calls(program):
    for _ in range(STEPS):
        compute(program, kernels=2)
        program.call("cuModuleLoadData", 5 * MS)


def data_loading(program):
    for _ in range(STEPS):
        compute(program)
        program.synchronize()
        program.os_call("poll", 20 * MS)


def data_loading_in_a_range(program):
    for _ in range(STEPS):
        compute(program)
        program.synchronize()
        with program.range("DataLoader.__next__"):
            program.compute(20 * MS)


def computing_on_the_cpu(program):
    for _ in range(STEPS):
        compute(program)
        program.synchronize()
        program.compute(20 * MS)


def a_backward_thread(program):
    """PyTorch: the main thread launches the forward pass and computes for 11 of 20 ms; the thread of the backward pass waits
    for it. Then that thread computes for 9 ms, and the main thread waits."""
    main, backward = program.thread, program.thread + 1
    for _ in range(STEPS):
        compute(program)
        program.synchronize()
        begin = program.now
        program.compute(11 * MS)
        program.os_call("pthread_cond_wait", 9 * MS)
        program.thread, program.now = backward, begin
        program.os_call("pthread_cond_wait", 11 * MS)
        program.compute(9 * MS)
        compute(program)
        begin = program.now
        program.synchronize()
        program.thread, program.now = main, begin
        program.os_call("pthread_cond_wait", 100 * US)
        program.synchronize()


def a_pinning_thread(program):
    """The main thread waits for the thread that pins memory, which waits for worker processes and makes CUDA calls."""
    main, pinning = program.thread, program.thread + 1
    for _ in range(STEPS):
        compute(program)
        program.synchronize()
        begin = program.now
        program.os_call("sem_clockwait", 20 * MS)
        program.thread, end = pinning, program.now
        program.now = begin
        program.os_call("poll", 19 * MS)
        program.call("cudaHostAlloc_v3020", 500 * US)
        program.thread, program.now = main, end


def communication(program):
    for _ in range(STEPS):
        compute(program)
        program.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)",
                       8 * MS, blocks=24)


def large_messages(program, bus_bandwidth):
    """All-reduces of eight ranks, of which the report has one, at a bus bandwidth in GB/s."""
    size = 64 << 20
    program.communicator(ranks=8)
    for _ in range(STEPS):
        compute(program)
        program.all_reduce(size, round(size * 2 * 7 / 8 / bus_bandwidth))
        program.synchronize()


def slow_links(program):
    large_messages(program, 5)


def small_messages(program, size=64 << 10):
    program.communicator(ranks=8)
    for _ in range(STEPS):
        compute(program)
        for _ in range(10):
            program.all_reduce(size, 30 * US)
        program.synchronize()


def one_long_step(program):
    for step in range(STEPS):
        compute(program)
        if step == 7:
            program.kernel(TENSOR_CORE_GEMM, 100 * MS)
        program.kernel("loss", 10 * US)


def ordinary_gemms(program):
    for _ in range(STEPS):
        compute(program, name="ampere_sgemm_128x64_tn")
        program.kernel("loss", 10 * US)


def small_grids(program):
    for _ in range(STEPS):
        compute(program, blocks=MULTIPROCESSORS // 4)
        program.kernel("loss", 10 * US)


def layouts(program):
    for _ in range(STEPS):
        for _ in range(10):
            program.kernel("void cudnn::ops::nchwToNhwcKernel<__half, __half, float, (bool)0>(int)", 300 * US)
            program.kernel(TENSOR_CORE_GEMM, 500 * US)


def allocations(program):
    for _ in range(STEPS):
        for _ in range(10):
            program.call("cudaMalloc_v3020", 300 * US)
            program.kernel(TENSOR_CORE_GEMM, 100 * US)
            program.call("cudaFree_v3020", 300 * US)


def one_stream_of_many(program):
    for _ in range(4):
        program.call("cudaStreamCreateWithFlags_v5000")
    serial_copies(program)


def profiler(program):
    """The profiler takes half of the time."""
    clean(program)
    for start in range(0, 200 * MS, 2 * MS):
        program.overhead(start, start + 1 * MS)


PROBLEMS = [
    (pageable_copies, "pageable_copies", "copy bound"),
    (small_copies, "small_copies", "copy bound"),
    (serial_copies, "serial_copies", "GPU compute bound"),
    (sync_after_every_kernel, "synchronization", "synchronization bound"),
    (sync_after_every_step, "synchronization", "GPU compute bound"),
    (pageable_copies_and_short_kernels, "pageable_copies", "CUDA API (launch) bound"),
    (short_kernels, "launch_bound", "CUDA API (launch) bound"),
    (gaps_in_graphs, "graph_gaps", "CUDA graph bound"),
    (long_calls, "slow_calls", "CUDA API (launch) bound"),
    (data_loading, "data_loading", "data loading bound"),
    (data_loading_in_a_range, "data_loading", "data loading bound"),
    (a_pinning_thread, "data_loading", "data loading bound"),
    (computing_on_the_cpu, "cpu_bound", "CPU compute bound"),
    (a_backward_thread, "cpu_bound", "CPU compute bound"),
    (communication, "exposed_communication", "GPU compute bound"),
    (one_long_step, "uneven_iterations", "GPU compute bound"),
    (ordinary_gemms, "fp32_gemm", "GPU compute bound"),
    (small_grids, "small_grids", "GPU compute bound"),
    (layouts, "layout_conversion", "GPU compute bound"),
    (allocations, "allocator_churn", "CUDA API (launch) bound"),
    (one_stream_of_many, "single_stream", "GPU compute bound"),
    (profiler, "profiler_overhead", "GPU compute bound"),
]


def report_of(run, path):
    program = Program(path / "report.sqlite")
    run(program)
    return program.done()


def diagnosis(report, *options):
    done = prof("analyze", "-r", "findings", "-f", "json", *options, report)
    assert (done.returncode, done.stderr) == (0, "")
    return with_names(done.stdout)


@pytest.mark.parametrize("run,first,verdict", PROBLEMS, ids=[run.__name__ for run, _, _ in PROBLEMS])
def test_the_first_finding_is_the_known_problem(tmp_path, run, first, verdict):
    found = diagnosis(report_of(run, tmp_path))
    assert found["verdict"] == verdict, found
    assert found["findings"][0]["rule"] == first, found
    savings = [each.get("gain_ns", each["savings_ns"]) for each in found["findings"]]
    assert savings == sorted(savings, reverse=True)
    check_gains(tmp_path / "report.sqlite", found)


def test_json_says_where_a_finding_is_worst(tmp_path):
    report = report_of(pageable_copies, tmp_path)
    found = diagnosis(report)["findings"][0]
    where = found["where"]
    assert (where["device"], where["stream"], where["pid"]) == (0, 7, THREAD & 0xffffff)
    worst = sqlite3.connect(report).execute("SELECT start, end FROM CUPTI_ACTIVITY_KIND_MEMCPY").fetchall()
    assert (where["start_ns"], where["end_ns"]) in worst


def test_a_budget_leaves_out_the_smallest_findings(tmp_path):
    report = report_of(pageable_copies, tmp_path)
    every = diagnosis(report)
    done = prof("analyze", "-f", "json", "--budget", 10_000, report)
    assert with_names(done.stdout) == every and done.stdout.count("\n") == 1
    short = diagnosis(report, "--budget", 30)
    assert short["findings"] == [] and short["dropped"]["findings"] == len(every["findings"])
    one_less = diagnosis(report, "--budget", len(done.stdout.encode()) // 4 - 10)
    assert one_less["findings"] == every["findings"][:-1] and one_less["dropped"] == {"findings": 1}
    done = prof("analyze", "--budget", 100, report)
    assert done.returncode == 2 and "-f json" in done.stderr


def rules(run, path):
    return {each["rule"]: each for each in diagnosis(report_of(run, path))["findings"]}


def test_the_multiprocessors_of_a_green_context_count(tmp_path):
    """Blocks for a quarter of the GPU fill a green context of that size."""
    path = report_of(small_grids, tmp_path)
    with contextlib.closing(sqlite3.connect(path)) as report:
        report.execute("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN greenContextId")
        report.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET greenContextId = 3")
        report.execute("CREATE TABLE TARGET_INFO_CUDA_CONTEXT_INFO (processId, contextId, isGreenContext, numMultiprocessors)")
        report.execute("INSERT INTO TARGET_INFO_CUDA_CONTEXT_INFO SELECT DISTINCT globalPid >> 24 & 0xffffff, 3, 1, ? "
                       "FROM CUPTI_ACTIVITY_KIND_KERNEL", [MULTIPROCESSORS // 4])
        report.commit()
    assert "small_grids" not in [finding["rule"] for finding in diagnosis(path)["findings"]]


def test_slow_links(tmp_path):
    """Each all-reduce moves 117 MB at 5 GB/s. At 25 GB/s it would take a fifth of its 23.5 ms."""
    found = rules(slow_links, tmp_path)["slow_links"]
    step = 20 * 0.5 + 23.5
    assert found["share_percent"] == pytest.approx(100 * 23.5 * (1 - 5 / 25) / step, rel=0.05)
    assert "AllReduce of 67.1 MB in communicator 0x7: bus bandwidth 5.0 GB/s, 8 ranks, " in found["evidence"]


def test_links_are_not_slow(tmp_path):
    for run in (lambda program: large_messages(program, 26),     # fast enough
                lambda program: small_messages(program, 4 << 20)):  # too small to fill a link
        (tmp_path / "report.sqlite").unlink(missing_ok=True)
        assert "slow_links" not in rules(run, tmp_path)


def late_peers(program):
    """One of two ranks. The other one arrives 60 ms late, but in the first step; each all-reduce itself takes 1 ms."""
    program.communicator(ranks=2)
    for step in range(STEPS):
        compute(program)
        program.all_reduce(256 << 20, (1 if step == 0 else 61) * MS)
        program.synchronize()


def a_late_sender(program):
    """Two ranks of a pipeline. The receiver waits; the first message came at once."""
    program.communicator(ranks=2)
    for step in range(STEPS):
        compute(program)
        program.all_reduce(64 << 20, (30 if step else 1) * MS, name="Recv")
        program.synchronize()


def late_for_the_first_bucket(program):
    """Gradients in buckets of two sizes: the first one of a step waits for the other rank, the second does not."""
    program.communicator(ranks=2)
    for _ in range(STEPS):
        compute(program)
        program.all_reduce(128 << 20, 40 * MS)
        program.all_reduce(96 << 20, MS)
        program.synchronize()


@pytest.mark.parametrize("run", [late_peers, a_late_sender, late_for_the_first_bucket])
def test_late_ranks_are_not_slow_links(run, tmp_path):
    assert "slow_links" not in rules(run, tmp_path)


def test_small_messages(tmp_path):
    found = rules(small_messages, tmp_path)["small_messages"]
    assert found["share_percent"] == pytest.approx(100 * 0.3 / (10 + 0.3), rel=0.1)
    assert found["evidence"].startswith("180 calls with less than 262 kB; ") and "30 us per call" in found["evidence"]


def test_messages_are_not_small(tmp_path):
    def few(program):
        program.communicator(ranks=8)
        for step in range(9):
            compute(program, kernels=1, name=f"step {step}")
            program.all_reduce(1024, 900 * US)

    for run in (lambda program: small_messages(program, 256 << 10), few):
        (tmp_path / "report.sqlite").unlink(missing_ok=True)
        assert "small_messages" not in rules(run, tmp_path)


def test_ranges_that_never_ended_are_named(tmp_path):
    def leaves_ranges_open(program):
        for _ in range(STEPS):
            program.open_range("step")
            compute(program)
        program.open_range("the end")

    report = report_of(leaves_ranges_open, tmp_path)
    assert diagnosis(report)["open_ranges"] == [{"range": "step", "count": 20}, {"range": "the end", "count": 1}]
    line = "Open: 21 NVTX ranges never ended: step (20 times), the end."
    assert line in prof("analyze", report).stdout and line in prof("analyze", "-f", "markdown", report).stdout
    (tmp_path / "report.sqlite").unlink()
    report = report_of(clean, tmp_path)
    assert diagnosis(report)["open_ranges"] == [] and "Open" not in prof("analyze", report).stdout


def test_a_clean_program_has_no_finding(tmp_path):
    found = diagnosis(report_of(clean, tmp_path))
    assert (found["verdict"], found["findings"]) == ("GPU compute bound", [])


# --- what is printed

@pytest.fixture
def report(tmp_path):
    return report_of(sync_after_every_kernel, tmp_path)


def test_the_findings_are_what_analyze_prints(report):
    done = prof("analyze", report)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert " Verdict: synchronization bound" in lines
    assert any(line.startswith("  1. 54.5 % (24 ms), gain ") for line in lines), done.stdout
    assert any(line.startswith("   Gain: Fewer synchronizations would save up to ") for line in lines), done.stdout
    assert any("2000 idle times" in line or "1999 idle times" in line for line in lines)


def test_findings_as_tables_and_markdown(report):
    rows = list(csv.DictReader(io.StringIO(prof("analyze", "-f", "csv", report).stdout.strip())))
    assert [(row["Rank"], row["Rule"]) for row in rows] == [("0", "verdict"), ("1", "synchronization")]
    assert prof("analyze", "-f", "markdown", report).stdout.startswith("## Findings\n\n**synchronization bound**")
    assert "<td>synchronization</td>" in prof("analyze", "-f", "htable", report).stdout


def test_all_is_findings_and_the_rules(report):
    done = prof("analyze", "-q", "-r", "all", report)
    assert "(findings)" in done.stdout and "(cuda_api_sync)" in done.stdout


def test_fail_on(report):
    for words, status in (("any", 3), ("any=60", 0), ("synchronization=54", 3), ("synchronization=55,any=90", 0),
                          ("launch_bound", 0), ("nothing", 2), ("any=101", 2), ("any=x", 2)):
        done = prof("analyze", "--fail-on", words, report)
        assert done.returncode == status, (words, done.stderr)
        assert bool(done.stderr) == (status != 0)
    assert prof("analyze", "-r", "gpu_gaps", "--fail-on", "any", report).returncode == 2


def test_checks_for_continuous_integration(tmp_path):
    """--junit and --annotate have the findings of the report, and which of them exceed their limits."""
    report = report_of(pageable_copies_and_short_kernels, tmp_path)
    listed = [each["rule"] for each in diagnosis(report)["findings"]]
    assert listed[0] == "pageable_copies" and len(listed) > 1
    document, summary = tmp_path / "findings.xml", tmp_path / "summary.md"
    done = prof("analyze", "--fail-on", "pageable_copies=5,small_copies=5", "--junit", document, "--annotate", "github",
                report, report, env={**os.environ, "GITHUB_STEP_SUMMARY": str(summary)})
    assert done.returncode == 3
    suites = ElementTree.parse(document).getroot()
    assert (suites.get("tests"), suites.get("failures")) == (str(2 * len(listed) + 2), "2")
    for suite in suites:
        assert suite.get("name") == str(report)
        cases = {case.get("name"): [each.tag for each in case] for case in suite}
        assert cases == {**{name: ["system-out"] for name in listed[1:]}, "small_copies": [], "pageable_copies": ["failure"]}
    commands = [line for line in done.stderr.splitlines() if line.startswith("::")]
    assert [line.split(" ")[0] for line in commands] == 2 * (["::error"] + ["::notice"] * (len(listed) - 1))
    assert commands[0].startswith(f"::error title=prof analyze%3A pageable_copies::{report}: ")
    assert summary.read_text().count("\n| failed |") == 2 and summary.read_text().count("\n| ok |") == 2 * len(listed)
    for wrong in (["-r", "gpu_gaps", "--junit", document], ["--annotate", "gitlab"]):
        assert prof("analyze", *wrong, report).returncode == 2
    assert "cannot write" in prof("analyze", "--junit", tmp_path / "none" / "f.xml", report).stderr


def test_filters_narrow_what_is_judged(tmp_path):
    program = Program(tmp_path / "report.sqlite")
    compute(program)
    program.synchronize()
    middle = program.now
    for _ in range(100):
        program.kernel(TENSOR_CORE_GEMM, 10 * US)
        program.synchronize()
    report = program.done()
    assert diagnosis(report, "--filter-time", f"/{middle}")["findings"] == []
    assert diagnosis(report, "--filter-time", f"{middle}/")["findings"][0]["rule"] == "synchronization"


def test_a_report_without_gpu_work_is_judged_by_its_threads(tmp_path):
    program = Program(tmp_path / "report.sqlite")
    program.os_call("recv", 1 * MS)
    found = diagnosis(program.done())
    assert (found["verdict"], found["findings"]) == ("waiting for the network", [])


def test_a_report_of_nothing(tmp_path):
    found = diagnosis(Program(tmp_path / "report.sqlite").done())
    assert (found["verdict"], found["findings"]) == ("no GPU work", [])


def test_several_gpus(tmp_path):
    """Shares are of the time of all GPUs."""
    program = Program(tmp_path / "report.sqlite")
    for device in (0, 1):
        program.device = device
        program.ready.clear()
        compute(program, kernels=10)
        if device == 1:
            program.kernel("ncclDevKernel_AllReduce", 5 * MS)
    found = diagnosis(program.done())
    assert found["time_ns"] == 15 * MS
    assert found["findings"][0]["share_percent"] == pytest.approx(100 / 3)
