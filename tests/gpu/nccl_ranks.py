#!/usr/bin/env python3
"""Compares prof's NCCL bandwidths with all-reduces timed by hand, on two GPUs or more of one machine.

Usage: PROF=/tmp/p/bin/prof nccl_ranks.py [RANKS]

Needs PyTorch with NCCL. Runs this file under prof, one process for each rank, and exits with 1 if a range has no end,
a size is missing, or a bus bandwidth differs by more than 5 %.
"""
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

SIZES = [1 << 16, 1 << 20, 1 << 24, 1 << 28]
ROUNDS = 20
MOST_DIFFERENCE = 0.05
LARGE = 1 << 20  # of smaller messages the launch takes longer than the kernel, which a program cannot see


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
        times = []
        for _ in range(ROUNDS):
            distributed.barrier()
            torch.cuda.synchronize()
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            distributed.all_reduce(data)
            end.record()
            torch.cuda.synchronize()
            times.append(begin.elapsed_time(end))
        measured[size] = size / (sorted(times)[ROUNDS // 2] * 1e6) * 2 * (ranks - 1) / ranks
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


def main():
    ranks = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "nccl.db"
        done = subprocess.run([os.environ["PROF"], "profile", "-t", "cuda,nvtx", "-o", report, sys.executable, "-m",
                               "torch.distributed.run", f"--nproc-per-node={ranks}", __file__],
                              capture_output=True, text=True, check=False)
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        if done.returncode != 0 or not lines:
            sys.exit(f"the ranks failed:\n{done.stdout}{done.stderr}")
        wrong = check(report, json.loads(lines[-1]), ranks)
    for line in wrong:
        print("DIFFERENT:", line)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    rank_main() if "LOCAL_RANK" in os.environ else main()
