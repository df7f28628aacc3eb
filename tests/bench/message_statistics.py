#!/usr/bin/env python3
"""Prints how long message_sum takes on a made-up report of an MPI program:

    tests/bench/message_statistics.py build/release [--messages 1250000] [--runs 3] [--ranks 8]

In each step, each rank receives from the rank before it and sends to the next one without blocking, and waits for both.
"""
import argparse
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path

SCHEMA = """
    CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL UNIQUE);
    CREATE TABLE MPI_P2P_EVENTS (start, end, globalTid, textId, commHandle, tag, remoteRank, size, requestHandle);
    CREATE TABLE MPI_START_WAIT_EVENTS (start, end, globalTid, textId, requestHandle);
    CREATE TABLE MPI_RANKS (globalTid, rank);
    CREATE TABLE MPI_COMMUNICATORS (rank, timestamp, commHandle, parentHandle, localRank, size, groupRoot, groupRootUid,
      members);
    INSERT INTO StringIds VALUES (1, 'MPI_Isend'), (2, 'MPI_Irecv'), (3, 'MPI_Wait');
"""
ISEND, IRECV, WAIT = 1, 2, 3
WORLD = 77
STEP = 20_000  # ns
REQUESTS = 64  # handles that come again
BYTES = 4096


def thread_of(rank):
    return 1 << 48 | (100 + rank) << 24 | (100 + rank)


def make(path, messages, ranks):
    report = sqlite3.connect(path)
    report.executescript(SCHEMA)
    calls, waits = [], []
    for step in range(messages // ranks):
        for rank in range(ranks):
            at, thread, request = 1000 + step * STEP + rank, thread_of(rank), 1 + 2 * (step % REQUESTS)
            calls.append((at, at + 100, thread, IRECV, WORLD, 5, (rank - 1) % ranks, BYTES, request))
            calls.append((at + 200, at + 300, thread, ISEND, WORLD, 5, (rank + 1) % ranks, BYTES, request + 1))
            waits.append((at + 400, at + 5000, thread, WAIT, request))
            waits.append((at + 5100, at + 5200, thread, WAIT, request + 1))
    members = [(thread_of(rank), rank) for rank in range(ranks)]
    worlds = [(rank, 1, WORLD, 0, rank, ranks, None, None, None) for rank in range(ranks)]
    for table, rows in (("MPI_P2P_EVENTS", calls), ("MPI_START_WAIT_EVENTS", waits), ("MPI_RANKS", members),
                        ("MPI_COMMUNICATORS", worlds)):
        report.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
    report.commit()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--messages", type=int, default=1_250_000)
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.sqlite"
        make(path, arguments.messages, arguments.ranks)
        print(f"{arguments.messages:,} messages of {arguments.ranks} ranks, {path.stat().st_size / 1e6:.0f} MB")
        times = []
        for _ in range(arguments.runs):
            start = time.perf_counter()
            subprocess.run([arguments.build / "bin/prof", "stats", "-q", "-f", "csv", "-r", "message_sum", path],
                           check=True, stdout=subprocess.DEVNULL)
            times.append(time.perf_counter() - start)
        print(f"message_sum {min(times):6.2f} s")


if __name__ == "__main__":
    main()
