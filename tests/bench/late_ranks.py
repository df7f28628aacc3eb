#!/usr/bin/env python3
"""Counts how often prof analyze finds the late rank of made jobs, with its cause and what it costs, and how often it
names one where there is none. Each seed makes a job without and one with a slow rank, of random kind and size
(make_run.py). A seed counts if the simulation without the fault is 3 % faster; others are replaced by later seeds.

Usage: late_ranks.py [--ranks 16] [--events 4000] [--seeds 10] [--first-seed 1] [--jobs 1] [--seconds S] [--rows FILE]
"""
import argparse
import concurrent.futures
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
CAUSES = {"cpu": "its launches take longer", "gpu": "its GPU is slower", "data": "it waits for data"}
LEAST_GAIN = 0.03
COLUMNS = ("seed", "rank", "kind", "factor", "elapsed_ns", "gain_ns", "found_rank", "found", "found_gain_ns", "false_alarms",
           "analyses_s", "rank_right", "cause_right", "gain_right")


def fault(seed, ranks):
    draw = random.Random(f"fault {seed}")
    kind = draw.choice(sorted(FACTORS))
    return draw.randrange(ranks), kind, draw.uniform(*FACTORS[kind])


def limited(command, ends):
    """Runs the command, which must end at this time."""
    return subprocess.run(command, check=True, capture_output=True, timeout=max(1.0, ends - time.monotonic()))


def analyze(folder, ends):
    """The late ranks that prof finds, as (rank, sentence, ns that can be saved)."""
    findings = json.loads(limited([PROF, "analyze", "-q", "-f", "json", folder], ends).stdout)["findings"]
    return [(int(re.search(r"rank (\d+)", each["finding"])[1]), each["finding"], each["savings_ns"])
            for each in findings if each["rule"] == "late_rank"]


def run(options, seed, ends, *more):
    """The ledger of a made job, what prof finds, and how long that takes."""
    folder = Path(tempfile.mkdtemp(prefix="late_ranks_"))
    try:
        limited([sys.executable, MAKE_RUN, str(options.ranks), str(options.events), "-o", folder, "--seed", str(seed),
                 "--clock", "50ms:20ppm", "--jitter", str(options.jitter), *more], ends)
        ledger = json.loads((folder / "ledger.json").read_text())
        began = time.monotonic()
        return ledger, analyze(folder, ends), time.monotonic() - began
    finally:
        shutil.rmtree(folder)


def judge(options, seed, ends):
    """A row of COLUMNS. The columns from found_rank on are None if the fault costs less than LEAST_GAIN."""
    rank, kind, factor = fault(seed, options.ranks)
    ledger, found, used = run(options, seed, ends, "--straggler", f"{rank}:{kind}:{factor:.3f}")
    gain = ledger["gain_without_straggler"]
    row = [seed, rank, kind, round(factor, 3), ledger["elapsed"], gain]
    if gain < LEAST_GAIN * ledger["elapsed"]:
        return row + [None] * (len(COLUMNS) - len(row))
    _, alarms, more = run(options, seed, ends)
    first, sentence, saved = found[0] if found else (None, "nothing", 0)
    is_first = first == rank
    return row + [first, sentence, saved, len(alarms), round(used + more, 2), is_first,
                  is_first and CAUSES[kind] in sentence, is_first and abs(saved - gain) <= 0.1 * gain]


def judge_seeds(options, rows):
    """Judges seeds until options.seeds of them count or the time is over. Writes a row as soon as a seed is judged."""
    ends = time.monotonic() + options.seconds
    seed, judged, waiting = options.first_seed, [], set()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        while waiting or len(judged) < options.seeds:
            while len(waiting) < options.jobs and len(judged) + len(waiting) < options.seeds and time.monotonic() < ends:
                waiting.add(pool.submit(judge, options, seed, ends))
                seed += 1
            if not waiting:
                break
            done, waiting = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
            for each in done:
                if isinstance(each.exception(), subprocess.TimeoutExpired):
                    continue
                row = dict(zip(COLUMNS, each.result()))
                print(*row.values(), sep="\t", file=rows, flush=True)
                if row["found"] is not None:
                    judged.append(row)
    return judged


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--ranks", type=int, default=16)
    parser.add_argument("--events", type=int, default=4000, help="of each rank")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--jitter", type=float, default=0.02, help="standard deviation of durations")
    parser.add_argument("--jobs", type=int, default=1, help="seeds at a time")
    parser.add_argument("--seconds", type=float, default=3600, help="seeds that are not judged by then do not count")
    parser.add_argument("--rows", type=argparse.FileType("w", encoding="utf-8"), default="-",
                        help="file for a line of each seed (default: standard output)")
    options = parser.parse_args()
    began, before = time.monotonic(), os.times()
    print(*COLUMNS, sep="\t", file=options.rows)
    judged = judge_seeds(options, options.rows)
    after = os.times()
    counts = {name: sum(row[name] for row in judged) for name in ("rank_right", "cause_right", "gain_right")}
    alarms = sum(row["false_alarms"] > 0 for row in judged)
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    print(f"{len(judged)} seeds, {options.ranks} ranks with a late one: rank right {counts['rank_right']}, cause right "
          f"{counts['cause_right']}, gain within 10 % {counts['gain_right']}; without one: false alarms in {alarms}; "
          f"{cpu:.0f} CPU s, {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
