#!/usr/bin/env python3
"""Makes a report in nsys's schema for benchmarks. For each kernel it has the launch, one more API call, and
an NVTX range around both. Every fourth range encloses the next three.

Usage: make_report.py REPORT [--kernels N]     (4 N events; 400,000 kernels are 1.6 M events)
"""
import argparse
import contextlib
import random
import sqlite3
from pathlib import Path

SCHEMA = Path(__file__).resolve().parents[2] / "common" / "report" / "schema"
PROCESS = 1000 << 24
THREAD = PROCESS | 1000
KERNEL_NAMES, API_NAMES, RANGE_NAMES = (range(1, 201), range(201, 231), range(231, 731))


def strings():
    yield 0, "[Unknown]"
    for i in KERNEL_NAMES:
        yield i, f"void ns::kernel_{i}<float, (int){i}>(T1 *, const T1 *, int)"
    for i in API_NAMES:
        yield i, f"cudaApi{i}_v7000"
    for i in RANGE_NAMES:
        yield i, f"range {i}"


def events(kernels):
    """(table, row) in the order of time."""
    pick = random.Random(1)
    now = on_gpu = 1000
    outer = None
    for i in range(kernels):
        start = now
        for call in (2 * i, 2 * i + 1):
            end = now + pick.randrange(500, 20000)
            yield "CUPTI_ACTIVITY_KIND_RUNTIME", {
                "start": now, "end": end, "eventClass": 0, "globalTid": THREAD,
                "correlationId": call, "nameId": pick.choice(API_NAMES), "returnValue": 0}
            now = end + 50
        name = pick.choice(KERNEL_NAMES)
        on_gpu = max(on_gpu, now)
        end = on_gpu + pick.randrange(2000, 30000)
        yield "CUPTI_ACTIVITY_KIND_KERNEL", {
            "start": on_gpu, "end": end, "deviceId": 0, "contextId": 1, "greenContextId": 0,
            "streamId": 7, "correlationId": 2 * i, "globalPid": PROCESS, "demangledName": name,
            "shortName": name, "mangledName": name, "launchType": 1, "cacheConfig": 1,
            "registersPerThread": 32, "gridX": name, "gridY": 1, "gridZ": 1, "blockX": 128,
            "blockY": 1, "blockZ": 1, "staticSharedMemory": 0, "dynamicSharedMemory": 4096,
            "localMemoryPerThread": 0, "localMemoryTotal": 0, "gridId": i}
        on_gpu = end
        row = {"start": start, "end": now, "eventType": 59, "globalTid": THREAD,
               "textId": pick.choice(RANGE_NAMES), "domainId": 0}
        now += 50
        if i % 4 == 0:
            outer = row
        else:
            yield "NVTX_EVENTS", row
        if i % 4 == 3 or i + 1 == kernels:
            yield "NVTX_EVENTS", {**outer, "end": now}


def insert(report, table, rows):
    columns = list(rows[0])
    report.executemany(
        f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})",
        [tuple(row.values()) for row in rows])


@contextlib.contextmanager
def new_report(path):
    """A database with the tables and the strings."""
    Path(path).unlink(missing_ok=True)
    report = sqlite3.connect(path)
    report.execute("PRAGMA synchronous = OFF")
    for script in sorted(SCHEMA.glob("*.sql")):
        report.executescript(script.read_text())
    report.executemany("INSERT INTO StringIds VALUES (?, ?)", strings())
    yield report
    report.commit()
    report.close()


def make(path, kernels):
    waiting = {}
    with new_report(path) as report:
        for table, row in events(kernels):
            rows = waiting.setdefault(table, [])
            rows.append(row)
            if len(rows) == 10000:
                insert(report, table, rows)
                rows.clear()
        for table, rows in waiting.items():
            if rows:
                insert(report, table, rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("report", type=Path)
    parser.add_argument("--kernels", type=int, default=400_000)
    arguments = parser.parse_args()
    make(arguments.report, arguments.kernels)


if __name__ == "__main__":
    main()
