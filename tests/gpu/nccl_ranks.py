#!/usr/bin/env python3
"""Compares prof's NCCL bandwidths with all-reduces timed by hand, on two GPUs or more of one machine.

Usage: PROF=/tmp/p/bin/prof nccl_ranks.py [RANKS]

Needs PyTorch with NCCL. Runs this file under prof, one process for each rank, and exits with 1 if a range has no end,
a size is missing, or a bus bandwidth differs by more than 5 %. If nsys is there ($NSYS or Nsight Compute's), runs the
same under nsys and compares ranges, ends and payload schemas. Then the last rank comes late to each all-reduce and only
rank 0 is recorded: its long kernels must not make prof find slow links.
"""
import collections
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from suite import NSYS

SIZES = [1 << 16, 1 << 20, 1 << 24, 1 << 28]
ROUNDS = 20
MOST_DIFFERENCE = 0.05
LARGE = 1 << 26  # of smaller messages the time between two kernels, 7 us, is a good part of what a program sees


def late_rank_main():
    """One rank: the last one computes on its CPU for 30 ms before each all-reduce."""
    import torch
    import torch.distributed as distributed
    rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    torch.cuda.set_device(rank)
    distributed.init_process_group("nccl")
    data = torch.ones(LARGE // 4, device="cuda")
    for _ in range(40):
        end = time.monotonic() + 0.03
        while rank == ranks - 1 and time.monotonic() < end:
            pass
        distributed.all_reduce(data)
        torch.cuda.synchronize()
    distributed.destroy_process_group()


def rank_main():
    """One rank: prints the bus bandwidth of each size in GB/s as it measures it itself."""
    import torch
    import torch.distributed as distributed
    rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    torch.cuda.set_device(rank)
    distributed.init_process_group("nccl")
    measured = {}
    for size in SIZES:
        data = torch.ones(size // 4, device="cuda")
        for _ in range(3):
            distributed.all_reduce(data)
        # One after the other, as nccl-tests does: of a single one the launch is a good part.
        times = []
        for _ in range(3):
            distributed.barrier()
            torch.cuda.synchronize()
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            for _ in range(ROUNDS):
                distributed.all_reduce(data)
            end.record()
            torch.cuda.synchronize()
            times.append(begin.elapsed_time(end) / ROUNDS)
        measured[size] = size / (sorted(times)[1] * 1e6) * 2 * (ranks - 1) / ranks
    distributed.destroy_process_group()
    if rank == 0:
        print(json.dumps(measured))


def check(report, by_hand, ranks):
    """The differences, one line each."""
    database = sqlite3.connect(report)
    wrong = []
    rows = database.execute("SELECT COALESCE(e.text, s.value), isOpen, jsonText FROM NVTX_EVENTS e LEFT JOIN StringIds s "
                            "ON s.id = textId WHERE eventType = 59 AND COALESCE(e.text, s.value) LIKE 'nccl%'").fetchall()
    names = {name for name, _, _ in rows}
    wrong += [f"{name} never ended" for name, is_open, _ in rows if is_open]
    wrong += [f"no range {name}" for name in ("ncclCommInitRankConfig", "ncclAllReduce") if name not in names]
    stats = subprocess.run([os.environ["PROF"], "stats", "-q", "-r", "nccl_bandwidth", "-f", "json", "-o", "-", report],
                           check=True, capture_output=True, text=True).stdout
    found = {row["Size (B)"]: row for row in json.loads(stats) if row["Operation"] == "AllReduce"}
    for size, expected in by_hand.items():
        row = found.get(int(size))
        if row is None or row["BusBW (GB/s)"] is None:
            wrong.append(f"no bandwidth of {size} B")
            continue
        difference = row["BusBW (GB/s)"] / expected - 1
        print(f"{int(size):>12} B: by hand {expected:8.2f} GB/s, prof {row['BusBW (GB/s)']:8.2f} ({difference:+.1%}), "
              f"wait {row['Wait (ns)'] or 0:.0f} ns")
        if row["Ranks"] != ranks:
            wrong.append(f"{size} B: {row['Ranks']} ranks instead of {ranks}")
        if int(size) > LARGE and abs(difference) > MOST_DIFFERENCE:
            wrong.append(f"{size} B: bus bandwidth differs by {difference:+.1%}")
    return wrong


NCCL_RANGES = ("FROM NVTX_EVENTS e LEFT JOIN StringIds s ON s.id = e.textId "
               "WHERE eventType = 59 AND COALESCE(e.text, s.value) LIKE 'nccl%'")


def nccl_facts(path):
    """What both profilers must agree on: ranges by name and whether they ended, and schemas by their fields."""
    database = sqlite3.connect(path)
    ranges = collections.Counter(database.execute(
        f"SELECT COALESCE(e.text, s.value), e.end IS NOT NULL {NCCL_RANGES}"))
    schemas = collections.defaultdict(list)
    for domain, schema, _, name, kind in database.execute(
            # nsys repeats them for each process.
            "SELECT DISTINCT domainId, schemaId, idx, name, type FROM NVTX_PAYLOAD_SCHEMA_ENTRIES ORDER BY 1, 2, 3"):
        # The number of a registered schema depends on the order of registrations.
        schemas[domain, schema].append((name, kind if kind < 1 << 24 else "registered"))
    payloads = database.execute(f"SELECT count(*), count(e.binaryData), count(e.jsonText) {NCCL_RANGES}").fetchone()
    print(f"{path.name}: rows, with binaryData, with jsonText: {payloads}; "
          f"{database.execute(f'SELECT e.binaryData, e.jsonText {NCCL_RANGES} LIMIT 1').fetchone()}")
    return ranges, {tuple(fields) for fields in schemas.values()}


def compare_with_nsys(report, folder, command):
    """The differences, one line each."""
    done = subprocess.run([NSYS, "profile", "-t", "cuda,nvtx", "--sample=none", "--cpuctxsw=none", "-o", folder / "nsys",
                           *command], capture_output=True, text=True, check=False)
    exported = folder / "nsys.sqlite"
    subprocess.run([NSYS, "export", "--type", "sqlite", "-o", exported, folder / "nsys.nsys-rep"], capture_output=True,
                   check=False)
    if not exported.exists():
        return [f"nsys made no report: {done.stdout[-500:]}{done.stderr[-500:]}"]
    (ranges, schemas), (their_ranges, their_schemas) = nccl_facts(report), nccl_facts(exported)
    print("ranges (name, ended):", dict(ranges))
    wrong = [f"range {key}: prof {ranges[key]}, nsys {their_ranges[key]}"
             for key in sorted({*ranges, *their_ranges}) if ranges[key] != their_ranges[key]]
    print(f"schemas: {len(schemas)} in prof's report, {len(their_schemas)} in nsys's, {len(schemas & their_schemas)} in both")
    wrong += [f"schema only in nsys's report: {fields}" for fields in their_schemas - schemas]
    wrong += [f"schema only in prof's report: {fields}" for fields in schemas - their_schemas]
    return wrong


def blamed_links(folder, ranks):
    """The wrong findings when the report of rank 0 only shows that another rank is late."""
    report = folder / "late.db"
    rank = f"{sys.executable} {__file__}"
    recorded = f"{os.environ['PROF']} profile -t cuda,nvtx -o {report} {rank}"
    subprocess.run([sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}", "--no-python",
                    "bash", "-c", f"[ $RANK = 0 ] && exec {recorded}; exec {rank}"], check=True, capture_output=True,
                   env=dict(os.environ, LATE="1"))
    found = json.loads(subprocess.run([os.environ["PROF"], "analyze", "-q", "-r", "findings", "-f", "json", report],
                                      check=True, capture_output=True, text=True).stdout)["findings"]
    print("findings of rank 0 beside a late rank:", [each["rule"] for each in found])
    return [f"a late rank makes slow links: {each}" for each in found if each["rule"] == "slow_links"]


def main():
    ranks = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}", __file__]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        report = folder / "nccl.db"
        done = subprocess.run([os.environ["PROF"], "profile", "-t", "cuda,nvtx", "-o", report, *command],
                              capture_output=True, text=True, check=False)
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        if done.returncode != 0 or not lines:
            sys.exit(f"the ranks failed:\n{done.stdout}{done.stderr}")
        wrong = check(report, json.loads(lines[-1]), ranks)
        if NSYS:
            wrong += compare_with_nsys(report, folder, command)
        wrong += blamed_links(folder, ranks)
    for line in wrong:
        print("DIFFERENT:", line)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    if "LATE" in os.environ:
        late_rank_main()
    elif "LOCAL_RANK" in os.environ:
        rank_main()
    else:
        main()
