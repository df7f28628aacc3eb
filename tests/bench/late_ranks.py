#!/usr/bin/env python3
"""Counts how often prof analyze finds the late rank of made jobs, with its cause, and how often it names one where
there is none. Each seed makes a job without and one with a slow rank, of random kind and size (make_run.py). A job
counts as one with a late rank if the simulation without the fault is 3 % faster.

Usage: late_ranks.py [--ranks 16] [--events 4000] [--seeds 10] [--first-seed 1]
"""
import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MAKE_RUN = Path(__file__).with_name("make_run.py")
PROF = os.environ.get("PROF", str(Path(__file__).resolve().parents[2] / "build" / "release" / "bin" / "prof"))
FACTORS = {"cpu": (4, 8), "gpu": (1.1, 1.6), "data": (1.5, 4)}
CAUSES = {"cpu": "its launches take longer", "gpu": "its kernels take longer", "data": "it waits for data"}
LEAST_GAIN = 0.03


def fault(seed, ranks):
    draw = random.Random(f"fault {seed}")
    kind = draw.choice(sorted(FACTORS))
    return draw.randrange(ranks), kind, draw.uniform(*FACTORS[kind])


def analyze(folder):
    """The late ranks that prof finds, as (rank, sentence, ns that can be saved), and its CPU time in s."""
    before = os.times()
    done = subprocess.run([PROF, "analyze", "-q", "-f", "json", folder], check=True, capture_output=True)
    after = os.times()
    findings = json.loads(done.stdout)["findings"]
    late = [(int(re.search(r"rank (\d+)", each["finding"])[1]), each["finding"], each["savings_ns"])
            for each in findings if each["rule"] == "late_rank"]
    return late, after.children_user + after.children_system - before.children_user - before.children_system


def run(folder, options, seed, *more):
    subprocess.run([sys.executable, MAKE_RUN, str(options.ranks), str(options.events), "-o", folder, "--seed", str(seed),
                    "--clock", "50ms:20ppm", *more], check=True)
    ledger = json.loads((folder / "ledger.json").read_text())
    found, cpu_time = analyze(folder)
    shutil.rmtree(folder)
    return ledger, found, cpu_time


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--ranks", type=int, default=16)
    parser.add_argument("--events", type=int, default=4000, help="of each rank")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=1)
    options = parser.parse_args()
    counts = dict.fromkeys(("faults", "rank", "cause", "gain", "alarms"), 0)
    used = 0
    began = time.monotonic()
    for seed in range(options.first_seed, options.first_seed + options.seeds):
        folder = Path(tempfile.mkdtemp(prefix="late_ranks_"))
        _, found, cpu_time = run(folder, options, seed)
        used = max(used, cpu_time)
        counts["alarms"] += bool(found)
        if found:
            print(f"seed {seed}: false alarm: {found[0]}")
        rank, kind, factor = fault(seed, options.ranks)
        ledger, found, cpu_time = run(folder, options, seed, "--straggler", f"{rank}:{kind}:{factor:.3f}")
        used = max(used, cpu_time)
        gain = ledger["gain_without_straggler"]
        if gain < LEAST_GAIN * ledger["elapsed"]:
            continue
        counts["faults"] += 1
        is_first = bool(found) and found[0][0] == rank
        counts["rank"] += is_first
        counts["cause"] += is_first and CAUSES[kind] in found[0][1]
        counts["gain"] += is_first and abs(found[0][2] - gain) <= 0.1 * gain
        if not is_first or CAUSES[kind] not in found[0][1]:
            print(f"seed {seed}: rank {rank} {kind} × {factor:.2f}, gain {gain / ledger['elapsed']:.1%}: found {found[:1]}")
    print(f"{options.seeds} seeds, {options.ranks} ranks, {counts['faults']} with a late rank: rank right "
          f"{counts['rank']}, cause right {counts['cause']}, gain within 10 % {counts['gain']}; false alarms "
          f"{counts['alarms']}; at most {used:.2f} CPU s an analysis; {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
