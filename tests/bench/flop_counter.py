#!/usr/bin/env python3
"""Compares the matrix FLOPs of operator_sum with those that torch.utils.flop_counter counts:

    tests/bench/flop_counter.py build/release --python VENV/bin/python [NETWORK...]

VENV has a PyTorch with CUDA; no GPU is needed. Each network runs forward and backward on the CPU under
`prof profile --pytorch=autograd-shapes-nvtx`. The script then adds a kernel to each operator that would launch one, so
shapes, sequence numbers and ids are PyTorch's, and only the kernels are made up. Exits with 1 if a network differs by more
than 1 % for another reason than the known one: flop_counter counts the gradient of the weights of grouped convolutions
as many times as there are groups.
"""
import argparse
import json
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

NETWORKS = Path(__file__).with_name("flop_counter_networks.py")
# The innermost operators that would launch kernels for matrix products.
LAUNCHING = ("mm", "addmm", "bmm", "baddbmm", "mkldnn_convolution", "_slow_conv2d_forward", "thnn_conv2d", "_conv_depthwise2d",
             "slow_conv_transpose2d", "convolution", "convolution_backward", "_scaled_dot_product_flash_attention_for_cpu",
             "_scaled_dot_product_flash_attention_for_cpu_backward")
ALL = ("resnet50", "gpt", "bert", "vit", "unet", "mobile", "experts")
# 16 groups: flop_counter counts the gradient of the weights, 2 * 2 * 16^2 * 16 * 9 operations, 15 times too often.
KNOWN = {"mobile": 15 * 147_456}
RESNET50 = 8_178_368_512, 24_299_077_632  # by hand: forward; forward and backward


def add_kernels(path):
    """Adds a call and a kernel to each innermost range of an operator that LAUNCHING has. Returns their number."""
    report = sqlite3.connect(path)
    report.executescript("""
        DROP TABLE IF EXISTS CUPTI_ACTIVITY_KIND_RUNTIME;
        DROP TABLE IF EXISTS CUPTI_ACTIVITY_KIND_KERNEL;
        CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid, correlationId, nameId, returnValue);
        CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid,
          demangledName, shortName, gridX, gridY, gridZ, blockX, blockY, blockZ, registersPerThread,
          staticSharedMemory, dynamicSharedMemory);
        INSERT OR IGNORE INTO StringIds VALUES (900000001, 'kernel<float>'), (900000002, 'cudaLaunchKernel');""")
    ranges = report.execute("""SELECT e.start, e.end, e.globalTid, coalesce(e.text, s.value) FROM NVTX_EVENTS e
        LEFT JOIN StringIds s ON s.id = e.textId WHERE e.eventType = 59 AND e.end IS NOT NULL
        ORDER BY e.globalTid, e.start, e.end DESC""").fetchall()
    number, waiting = 0, []

    # The call lies at the beginning of the range, before the ranges inside of it.
    def launch(start, _end, thread):
        nonlocal number
        number += 1
        report.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 0, ?, ?, 900000002, 0)",
                       (start, start, thread, number))
        report.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 1, 7, ?, ?, 900000001, 900000001,"
                       "1, 1, 1, 32, 1, 1, 16, 0, 0)", (start, start + 100, number, thread >> 24 << 24))

    for start, end, thread, text in ranges:
        name = text.split(",")[0].removeprefix("aten::")
        while waiting and (waiting[-1][2] != thread or waiting[-1][1] <= start):
            launch(*waiting.pop())
        if name in LAUNCHING:
            if waiting:  # the inner operator launches
                waiting.pop()
            waiting.append((start, end, thread))
    for each in waiting:
        launch(*each)
    report.commit()
    return number


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--python", required=True)
    parser.add_argument("networks", nargs="*", default=ALL)
    arguments = parser.parse_args()
    prof, failed = arguments.build / "bin/prof", False
    print(f"{'network':10} {'flop_counter':>16} {'prof':>16} {'difference':>11} {'operators':>9}")
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.networks:
            counted = subprocess.run([arguments.python, "-W", "ignore", NETWORKS, name, "count"], check=True,
                                     capture_output=True, text=True).stdout.split()
            report = Path(folder) / f"{name}.db"
            subprocess.run([prof, "profile", "-t", "nvtx", "-s", "none", "--pytorch=autograd-shapes-nvtx", "-o", report,
                            arguments.python, "-W", "ignore", NETWORKS, name], check=True, capture_output=True)
            calls = add_kernels(report)
            rows = json.loads(subprocess.run([prof, "stats", "-q", "-r", "operator_sum", "-f", "json", report], check=True,
                                             capture_output=True, text=True).stdout)
            ours = sum(row["Matrix FLOPs"] or 0 for row in rows)
            unknown = [row["Operator"] for row in rows if row["Matrix FLOPs"] is None]
            theirs = sum(map(int, counted))
            known = KNOWN.get(name, 0)
            difference = 100 * (ours / theirs - 1)
            bad = bool(unknown) or abs(100 * (ours / (theirs - known) - 1)) > 1
            bad |= name == "resnet50" and (int(counted[0]), ours) != RESNET50
            failed |= bad
            print(f"{name:10} {theirs:16,} {ours:16,} {difference:9.3f} % {calls:9}", *unknown, "DIFFERS" if bad else "")
    sys.exit(failed)


if __name__ == "__main__":
    main()
