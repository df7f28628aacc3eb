"""More made-up reports with known causes, which were written after the rules and the texts of prof facts. Rules are not changed for
them: a case that scores badly stays as it is, and counts."""
from agent_cases import CAUSES, Case, on_cpu, on_gpu, with_metrics, without
from made_up_program import D2H, METRICS, MS, MULTIPROCESSORS, US
from made_up_report import THREAD

STEPS = 25
COUNTED = STEPS - 1  # the first iteration warms up
GEMM = "sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize256x128_stage3"
ATTENTION = "void flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128, 64, 128, 4>>(Flash_fwd_params)"


def steps(*parts):
    """Each step runs the parts in their order."""
    def run(program):
        for _ in range(STEPS):
            for part in parts:
                part(program)
        program.synchronize()
    return run


def kernels(count, duration, name=GEMM, **more):
    def part(program):
        for _ in range(count):
            program.kernel(name, duration, **more)
    return part


def synchronized(program):
    program.synchronize()


def results(program):
    program.pageable_copy(80_000_000, 20 * MS, kind=D2H)


def tokens(program):
    for _ in range(300):
        program.copy(1024, 5 * US, kind=D2H)


def postprocessing(program):
    program.synchronize()
    program.compute(8 * MS)


def decoding(program):
    with program.range("DataLoader.next"):
        program.synchronize()
        program.os_call("read", 30 * MS)


def pipeline(program):
    program.kernel("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", 6 * MS, blocks=16)


def allocation(program):
    for _ in range(12):
        program.call("cudaMalloc_v3020", 400 * US)
        program.kernel(GEMM, 50 * US)
        program.call("cudaFree_v3020", 300 * US)


def checkpoints(program):
    for step in range(40):
        kernels(10, 500 * US)(program)
        program.synchronize()
        if step % 8 == 7:
            program.compute(60 * MS)
    program.synchronize()


def flushed_records(threads):
    for _ in range(30):
        threads.runs(1 * MS)
        threads.call("fdatasync", 8 * MS)
    threads.ends()


def bytes_written(threads):
    for _ in range(8_000):
        threads.runs(1 * US)
        threads.call("write", 10 * US, result=1, waits=False)
    threads.ends()


def naps(threads):
    for _ in range(50):
        threads.runs(1 * MS)
        threads.call("usleep", 9 * MS)
    threads.ends()


def scores(threads):
    threads.python_runs(120 * MS, [("score", "/srv/rank.py", 44), ("handle", "/srv/server.py", 7)])
    for number in range(8):
        threads.python_runs(10 * MS, [(f"step_{number}", "/srv/server.py", 20 + number), ("handle", "/srv/server.py", 8)])
    threads.ends()


HELD_OUT = {
    "results in pageable memory": Case(on_gpu(steps(kernels(20, 300 * US), results)), "pageable_copies", "cudaMemcpy", COUNTED * 20 * MS,
                                       ("serial_copies",), "Pin"),
    "one copy a token": Case(on_gpu(steps(kernels(10, 200 * US), tokens)), "small_copies", "cudaMemcpyAsync", COUNTED * 300 * 5 * US,
                             ("serial_copies", "launch_bound"), "one buffer"),
    "work of the CPU between batches": Case(on_gpu(steps(kernels(8, 250 * US), postprocessing)), "cpu_bound", "", COUNTED * 8 * MS,
                                            ("synchronization", "launch_bound"), ""),
    "kernels of a recurrent network": Case(on_gpu(steps(kernels(400, 4 * US, "lstm_cell", took=8 * US))), "launch_bound", "cudaLaunchKernel",
                                           COUNTED * 400 * 4 * US, (), "CUDA graphs"),
    "a data set on disk": Case(on_gpu(steps(kernels(20, 400 * US), decoding)), "data_loading", "read", COUNTED * 30 * MS, (), ""),
    "stages of a pipeline": Case(on_gpu(steps(kernels(10, 800 * US), pipeline)), "exposed_communication", "ncclDevKernel_SendRecv", COUNTED * 6 * MS,
                                 (), "Overlap"),
    "memory for each layer": Case(on_gpu(steps(allocation)), "allocator_churn", "cudaMalloc", COUNTED * 12 * 700 * US,
                                  ("slow_calls", "launch_bound"), "reuse"),
    "checkpoints": Case(on_gpu(checkpoints), "uneven_iterations", "", 5 * 60 * MS, ("cpu_bound", "synchronization"), ""),
    "convolutions in FP32": Case(on_gpu(steps(kernels(15, 600 * US, "void implicit_convolve_sgemm<float, float, 1024, 5, 5, 3, 3, 3, 1>(int)"))),
                                 "fp32_gemm", "implicit_convolve_sgemm", COUNTED * 15 * 600 * US, (), ""),
    "decoding with a small batch": Case(on_gpu(steps(kernels(30, 400 * US, ATTENTION, blocks=16))), "small_grids", "flash_fwd_splitkv_kernel",
                                        COUNTED * 30 * 400 * US * (MULTIPROCESSORS - 16) // MULTIPROCESSORS, (), ""),
    "each record is flushed": Case(on_cpu(flushed_records), "disk_flush", "fdatasync", 30 * 8 * MS, (), ""),
    "bytes are written one by one": Case(on_cpu(bytes_written), "small_transfers", "write", 8_000 * 10 * US, ("many_system_calls",), ""),
    "a loop that naps": Case(on_cpu(naps), "sleeping", "usleep", 50 * 9 * MS, (), ""),
    "a slow Python function": Case(on_cpu(scores, "/usr/bin/python3"), "hot_python_function", "score", 120 * MS, (), ""),
}


# --- programs without a problem

def overlapped(program):
    kernels(20, 500 * US)(program)
    program.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(int)", 6 * MS, blocks=16, stream=21)


def results_beside(program):
    kernels(20, 500 * US)(program)
    program.copy(20_000_000, 900 * US, kind=D2H, stream=15)


def two_streams(program):
    for _ in range(10):
        program.kernel(GEMM, 700 * US, stream=7)
        program.kernel(ATTENTION, 700 * US, stream=8)


def pool(threads):
    """Two threads that compute, in many functions."""
    for number in range(25):
        threads.native_runs(4 * MS, [f"filter_{number}", "work", "main"])
    threads.ends()
    threads.now = 0
    threads.begin(THREAD + 1, "worker")
    for number in range(25):
        threads.native_runs(4 * MS, [f"sort_{number}", "work", "main"])
    threads.ends()


def large_reads(threads):
    for _ in range(4):
        threads.call("read", 1 * MS, result=1 << 20)
        threads.runs(60 * MS)
    threads.ends()


def many_functions(threads):
    for number in range(25):
        threads.python_runs(8 * MS, [(f"part_{number}", f"/srv/part_{number}.py", 3), ("main", "/srv/main.py", 9)])
    threads.ends()


CLEAN_HELD_OUT = {
    "communication beside kernels": on_gpu(steps(overlapped)),
    "results beside kernels": on_gpu(steps(results_beside)),
    "kernels on two streams": on_gpu(steps(two_streams)),
    "one kernel of a second": on_gpu(lambda program: (program.kernel(ATTENTION, 1_000 * MS), program.synchronize())),
    "launched far ahead": on_gpu(lambda program: (kernels(1_000, 100 * US)(program), program.synchronize())),
    "graphs": on_gpu(steps(lambda program: program.graph([(GEMM, 300 * US)] * 50, gap=500))),
    "two busy threads": on_cpu(pool),
    "large reads": on_cpu(large_reads),
    "many Python functions": on_cpu(many_functions, "/usr/bin/python3"),
    "a computation without calls": on_cpu(lambda threads: (threads.runs(300 * MS), threads.ends())),
}


# --- two causes

def flushed_and_read(threads):
    for _ in range(20):
        threads.call("fsync", 6 * MS)
        for _ in range(100):
            threads.call("read", 50 * US, result=8, waits=False)
    threads.ends()


def flushed_naps(threads):
    for _ in range(20):
        threads.runs(1 * MS)
        threads.call("fsync", 5 * MS)
        threads.call("usleep", 6 * MS)
    threads.ends()


FP32 = kernels(8, 700 * US, "maxwell_sgemm_128x128_nn")
SMALL = kernels(10, 900 * US, ATTENTION, blocks=20)
LAYOUT = kernels(8, 600 * US, "void cudnn::ops::nhwcToNchwKernel<__half, __half, float, true>(int)")

DOUBLE_HELD_OUT = {
    ("pageable_copies", "fp32_gemm"): on_gpu(steps(FP32, results)),
    ("pageable_copies", "cpu_bound"): on_gpu(steps(kernels(5, 300 * US), results, postprocessing)),
    ("exposed_communication", "small_grids"): on_gpu(steps(SMALL, pipeline)),
    ("exposed_communication", "data_loading"): on_gpu(steps(decoding, kernels(10, 300 * US), pipeline)),
    ("fp32_gemm", "small_grids"): on_gpu(steps(FP32, SMALL)),
    ("layout_conversion", "fp32_gemm"): on_gpu(steps(FP32, LAYOUT)),
    ("allocator_churn", "pageable_copies"): on_gpu(steps(allocation, results)),
    ("layout_conversion", "cpu_bound"): on_gpu(steps(LAYOUT, kernels(4, 300 * US), postprocessing)),
    ("disk_flush", "small_transfers"): on_cpu(flushed_and_read),
    ("disk_flush", "sleeping"): on_cpu(flushed_naps),
}


# --- what was not recorded

def measured(program):
    steps(kernels(10, 500 * US))(program)
    program.sample_metrics({GEMM: dict.fromkeys(METRICS[1:4], 80)})


NOT_RECORDED_HELD_OUT = [
    ("gpu_work", CAUSES["one lock holder"].make, "-t cuda"),
    ("cuda_calls", without(on_gpu(steps(allocation)), "CUPTI_ACTIVITY_KIND_RUNTIME"), "-t cuda"),
    ("ranges", without(on_gpu(steps(kernels(20, 400 * US), decoding)), "NVTX_EVENTS"), "-t nvtx"),
    ("os_calls", without(on_gpu(steps(kernels(20, 400 * US), decoding)), "OSRT_API"), "-t osrt"),
    ("cpu_samples", on_gpu(steps(kernels(8, 250 * US), postprocessing)), "-s process-tree"),
    ("thread_states", without(on_cpu(scores, "/usr/bin/python3"), "SCHED_EVENTS"), "--cpuctxsw=process-tree"),
    ("python_functions", without(on_cpu(scores, "/usr/bin/python3"), "PROF_PYTHON_SAMPLES"), "--python-sampling=true"),
    ("gpu_metrics", without(with_metrics(measured), "GPU_METRICS"), "--gpu-metrics-devices=all"),
    ("gpu_memory", on_gpu(steps(allocation)), "--cuda-memory-usage=true"),
    ("kernel_stalls", on_gpu(steps(kernels(10, 500 * US))), "prof kernel"),
]
