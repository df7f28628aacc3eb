#!/usr/bin/env python3
"""Records small jobs of MPI ranks, of which one is late for a known reason (tests/programs/mpi/late_rank.py), and prints
what prof analyze says: is the rank right, the cause, the place? The job without the fault says what it really costs.

Usage: known_delays.py [--kinds openmpi,mpich] [--ranks 2,4] [--faults sleep,data,lock,python,native,gc,cpu,faults]
"""
import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
os.environ.setdefault("PROF_BUILD", str(ROOT / "build" / "release"))
os.environ.setdefault("PROF_SOURCE", str(ROOT))
sys.path.insert(0, str(ROOT / "tests" / "integration"))
from late_jobs import FAULTS, findings, has_mpi, is_line_of, program, record, run  # noqa: E402


def verdict(found, rank, fault):
    """What of a fault is named: "rank, cause, place", and the ns that prof says can be saved."""
    sentence, _, place, line = FAULTS[fault]
    late = [each for each in found if each["rule"] == "late_rank"]
    if not late or f"wait for rank {rank} (" not in late[0]["finding"]:
        return "nothing", 0
    named = "rank"
    if sentence in late[0]["finding"]:
        named += ", cause"
        if place in late[0]["evidence"] and (not line or is_line_of(late[0]["evidence"], line)):
            named += ", place"
    return named, late[0]["savings_ns"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--kinds", default="openmpi,mpich")
    parser.add_argument("--ranks", default="2,4")
    parser.add_argument("--faults", default=",".join(FAULTS))
    options = parser.parse_args()
    right = jobs = 0
    for kind in filter(has_mpi, options.kinds.split(",")):
        for ranks in map(int, options.ranks.split(",")):
            for fault in options.faults.split(","):
                folder = Path(tempfile.mkdtemp(prefix="known_delays_"))
                slow = int(record(folder / "run", kind, ranks, fault))
                # Ranks that share a CPU do more than those of other jobs.
                fast = slow if fault == "cpu" else int(run(kind, ranks, *program(kind, "none")))
                named, saved = verdict(findings(folder / "run"), ranks - 1, fault)
                shutil.rmtree(folder)
                jobs += 1
                right += named == "rank, cause, place"
                print(f"{kind}, {ranks} ranks, {fault}: {named}; {saved / 1e6:.0f} ms can be saved, "
                      f"{(slow - fast) / 1e6:.0f} ms without the fault", flush=True)
    print(f"{right} of {jobs} jobs right")


if __name__ == "__main__":
    main()
