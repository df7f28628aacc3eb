#!/usr/bin/env python3
"""Prints how long the statistics of operators take on a made-up report of training steps:

    tests/bench/operator_statistics.py build/release [--operators 400000] [--runs 3] [--observed]

Each operator launches four kernels, in a module, forward or backward, as PyTorch's emit_nvtx and prof's functions-trace show
them; --observed: as --pytorch=operators shows them. Prints the shortest of the runs, and for comparison cuda_gpu_kern_sum and nvtx_gpu_proj_sum.
"""
import argparse
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))
from made_up_report import PROCESS, SCHEMA, THREAD  # noqa: E402

LAYERS = 50
KERNELS = 4
SHAPES = "[[4096], [8192, 1024], [1024, 4096], [], []]"


# Names and payloads of --pytorch=operators, as those of emit_nvtx. Numbers of texts are ids of StringIds.
FORWARD, NODE, BACKWARD = 3, 4, 5
OBSERVED = f"""
        INSERT INTO StringIds VALUES ({FORWARD}, 'aten::addmm, sizes = {SHAPES}, arguments = [float16, float16, float16, 1, 1]'),
            ({NODE}, 'AddmmBackward0, sizes = [[8192, 4096]], arguments = [float16]'),
            ({BACKWARD}, 'aten::addmm, sizes = {SHAPES}, arguments = [float16, float16, float16, 1.0, 1]');
        ALTER TABLE NVTX_EVENTS ADD COLUMN uint64Value;
        INSERT INTO NVTX_EVENTS (start, eventType, text, globalTid, domainId) VALUES (0, 75, 'PyTorch operators', {THREAD}, 3);
"""


def observe(report):
    """Makes the ranges of emit_nvtx those of --pytorch=operators."""
    report.executescript(OBSERVED + f"""
        UPDATE NVTX_EVENTS SET domainId = 3, textId = CASE WHEN text LIKE 'Addmm%' THEN {NODE}
            WHEN text LIKE '%seq = %' THEN {FORWARD} ELSE {BACKWARD} END,
            uint64Value = CASE WHEN text LIKE '%seq = %' THEN
                (1 << 40) + CAST(substr(text, instr(text, 'seq = ') + 6) AS INTEGER) + 1 END
            WHERE eventType = 59 AND domainId = 0;
        UPDATE NVTX_EVENTS SET text = NULL WHERE domainId = 3 AND eventType = 59;""")


def make(path, operators, observed):
    report = sqlite3.connect(path)
    report.executescript(SCHEMA + """
        CREATE TABLE TARGET_INFO_GPU (cuDevice, computeMajor, computeMinor, smCount, name, clockRate, memoryBandwidth);
        INSERT INTO TARGET_INFO_GPU VALUES (0, 9, 0, 132, 'NVIDIA H100 80GB HBM3', 1980000000, 3352320000000);
        INSERT INTO StringIds VALUES (1, 'ampere_fp16_s16816gemm_fp16_128x128_tn'), (2, 'cudaLaunchKernel');""")
    ranges, calls, kernels = [(0, None, 75, "PyTorch", None, THREAD, 1)], [], []
    for number in range(operators):
        at, layer = 1000 + number * 2000, number // 2 % LAYERS
        thread = THREAD + number % 2
        text = f"op_id = {number + 1}, sizes = {SHAPES}, input_op_ids = [(0,-1), ({number},0), (0,-1), (0,-1), (0,-1)]"
        if number % 2 == 0:
            ranges.append((at, at + 1900, 59, f"Block{layer}.forward", None, thread, 1))
            ranges.append((at + 10, at + 1800, 59, f"aten::addmm, seq = {number}, {text}", None, thread, 0))
        else:
            ranges.append((at, at + 1900, 59, f"AddmmBackward0, seq = {number - 1}, op_id = {number}", None, thread, 0))
            ranges.append((at + 10, at + 1800, 59, f"aten::addmm, {text}", None, thread, 0))
        for part in range(KERNELS):
            correlation, launch = KERNELS * number + part + 1, at + 100 + 400 * part
            calls.append((launch, launch + 300, 0, thread, correlation, 2, 0))
            kernels.append((launch + 300, launch + 690, 0, 1, 7, correlation, PROCESS, 1, 1, 1, 1, 1, 1, 1, 1, 16, 0, 0))
    for table, rows in (("NVTX_EVENTS", ranges), ("CUPTI_ACTIVITY_KIND_RUNTIME", calls), ("CUPTI_ACTIVITY_KIND_KERNEL", kernels)):
        report.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
    # Reports of prof and of nsys since 2025 have them. Without them prof reads tables more slowly.
    for table, columns in (("NVTX_EVENTS", ["endGlobalTid"]),
                           ("CUPTI_ACTIVITY_KIND_KERNEL", ["greenContextId", "mangledName", "sharedMemoryExecuted"]),
                           ("CUPTI_ACTIVITY_KIND_MEMCPY", ["greenContextId", "virtualAddress"]),
                           ("CUPTI_ACTIVITY_KIND_MEMSET", ["greenContextId"])):
        for column in columns:
            report.execute(f"ALTER TABLE {table} ADD COLUMN {column}")
    report.commit()
    if observed:
        observe(report)
        report.execute("VACUUM")
    return len(ranges), len(kernels)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--operators", type=int, default=400_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--observed", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.sqlite"
        ranges, kernels = make(path, arguments.operators, arguments.observed)
        print(f"{arguments.operators:,} operators, {ranges:,} ranges, {kernels:,} kernels, {path.stat().st_size / 1e6:.0f} MB")
        for name in ("cuda_gpu_kern_sum", "nvtx_gpu_proj_sum", "operator_sum", "operator_sum:name", "module_tree", "roofline",
                     "mfu"):
            times = []
            for _ in range(arguments.runs):
                start = time.perf_counter()
                subprocess.run([arguments.build / "bin/prof", "stats", "-q", "-f", "csv", "-r", name, path], check=True,
                               stdout=subprocess.DEVNULL)
                times.append(time.perf_counter() - start)
            print(f"{name:20} {min(times):6.2f} s")


if __name__ == "__main__":
    main()
