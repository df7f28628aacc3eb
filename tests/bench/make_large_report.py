#!/usr/bin/env python3
"""Makes a large report in nsys's schema for benchmarks of the timeline: API calls on 16 threads, kernels on 8 GPUs
with 4 streams each, and nested NVTX ranges. SQLite computes the rows, so ten million events take half a minute.

Usage: make_large_report.py REPORT [--millions N]     (10: 5 million calls, 2.5 million kernels, 2.5 million ranges)
"""
import argparse
from pathlib import Path

from make_report import API_NAMES, KERNEL_NAMES, PROCESS, RANGE_NAMES, new_report

THREADS, GPUS, STREAMS = 16, 8, 4
CALL_PERIOD = 20_000  # ns between the calls of a thread
COUNT = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {}) "


def chance(count, salt):
    """SQL for a number from 0 to count - 1 that looks random."""
    return f"(((i * {2654435761 + 2 * salt}) % 4294967296) / 65536 % {count})"


def pick(names, salt):
    return f"{names.start} + {chance(len(names), salt)}"


def calls(count):
    return COUNT.format(count) + f"""
        INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME
          (start, end, eventClass, globalTid, correlationId, nameId, returnValue)
        SELECT at, at + 500 + {chance(15000, 1)}, 0, {PROCESS} + 1000 + i % {THREADS}, i + 1, {pick(API_NAMES, 2)}, 0
        FROM (SELECT i, i / {THREADS} * {CALL_PERIOD} + i % {THREADS} * 100 AS at FROM n)"""


def kernels(count):
    streams = GPUS * STREAMS
    period = 2 * streams * CALL_PERIOD // THREADS
    return COUNT.format(count) + f"""
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
          (start, end, deviceId, contextId, greenContextId, streamId, correlationId, globalPid, demangledName,
           shortName, mangledName, launchType, cacheConfig, registersPerThread, gridX, gridY, gridZ, blockX, blockY,
           blockZ, staticSharedMemory, dynamicSharedMemory, localMemoryPerThread, localMemoryTotal, gridId)
        SELECT at, at + 20000 + {chance(50000, 3)}, i % {GPUS}, 1, 0, 7 + i / {GPUS} % {STREAMS}, 2 * i + 1, {PROCESS},
          name, name, name, 1, 1, 32, name, 1, 1, 128, 1, 1, 0, 4096, 0, 0, i
        FROM (SELECT i, {pick(KERNEL_NAMES, 4)} AS name, i / {streams} * {period} + 30000 AS at FROM n)"""


def ranges(count):
    """Of each four ranges the last encloses the others. A range is written when it ends."""
    return COUNT.format(count) + f"""
        INSERT INTO NVTX_EVENTS (start, end, eventType, globalTid, textId, domainId)
        SELECT CASE part WHEN 3 THEN at ELSE at + 1000 + part * 30000 END,
          CASE part WHEN 3 THEN at + 120000 ELSE at + 1000 + part * 30000 + 5000 + {chance(20000, 5)} END,
          59, {PROCESS} + 1000 + thread, {pick(RANGE_NAMES, 6)}, 0
        FROM (SELECT i, i % 4 AS part, i / 4 % {THREADS} AS thread, i / {4 * THREADS} * {8 * CALL_PERIOD} AS at FROM n)"""


def make(path, events):
    with new_report(path) as report:
        report.execute(calls(events // 2))
        report.execute(kernels(events // 4))
        report.execute(ranges(events // 4))


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("report", type=Path)
    parser.add_argument("--millions", type=float, default=10)
    arguments = parser.parse_args()
    make(arguments.report, int(arguments.millions * 1_000_000))


if __name__ == "__main__":
    main()
