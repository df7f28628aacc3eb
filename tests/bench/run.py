#!/usr/bin/env python3
"""Prints what prof costs, as ratios to the same program untraced, interleaved in one run.

Usage: run.py BUILD_DIRECTORY [ROUNDS]
"""
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BUILD = Path(sys.argv[1]).resolve()
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 7
PROF = BUILD / "bin" / "prof"
BENCH = BUILD / "bin" / "bench"
FLOOR = BENCH / "libfloor_injection.so"


def figures(command, **variables):
    environment = {**os.environ, **variables}
    out = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         text=True, env=environment, check=True).stdout
    return {name: float(value) for name, value in re.findall(r"^(\w+) ([\d.]+)$", out, re.M)}


def traced(output, program, *options):
    """Without samples: the figures are of single calls."""
    return [PROF, "profile", "-f", "true", "-s", "none", "--cpuctxsw=none", "-o", output, *options, "--", program]


def interleave(variants):
    """Runs each variant once a round; returns {variant: {figure: median}}."""
    results = {name: [] for name in variants}
    for _ in range(ROUNDS):
        for name, run in variants.items():
            results[name].append(run())
    return {name: {figure: statistics.median(r[figure] for r in runs) for figure in runs[0]}
            for name, runs in results.items()}


def line(what, plain, ours, unit, extra=""):
    print(f"  {what:<44} {plain:>9.1f} -> {ours:>9.1f} {unit:<3} x{ours / plain:<6.2f} "
          f"{ours - plain:+8.1f} {extra}")


def nvtx(directory):
    program = BENCH / "bench_nvtx"
    if not program.exists():
        return
    out = directory / "n.db"
    r = interleave({
        "plain": lambda: figures([program]),
        "empty": lambda: figures([program], NVTX_INJECTION64_PATH=str(FLOOR), PROF_FLOOR_EMPTY="1"),
        "floor": lambda: figures([program], NVTX_INJECTION64_PATH=str(FLOOR)),
        "prof": lambda: figures(traced(out, program, "-t", "nvtx")),
    })
    key = "nvtx_push_pop"
    print("NVTX push+pop, ns")
    line("untraced -> prof", r["plain"][key], r["prof"][key], "ns")
    line("floor (two clock reads, one record) -> prof", r["floor"][key], r["prof"][key], "ns")
    line("empty callbacks -> prof", r["empty"][key], r["prof"][key], "ns")
    key = "nvtx_push_pop_registered"
    line("untraced -> prof, domain, registered, all attributes", r["plain"][key], r["prof"][key], "ns")


def calls(directory):
    program = BENCH / "bench_calls"
    out = directory / "c.db"
    r = interleave({
        "plain": lambda: figures([program]),
        "forward": lambda: figures(traced(out, program, "-t", "none")),
        "below": lambda: figures(traced(out, program, "-t", "osrt", "--osrt-threshold=100000000")),
        "recorded": lambda: figures(traced(out, program, "-t", "osrt", "--osrt-threshold=0")),
        "file": lambda: figures(traced(out, program, "-t", "osrt", "--osrt-threshold=100000000",
                                       "--osrt-file-access=true")),
    })
    plain = r["plain"]
    print("OS-runtime calls, ns")
    line("16-byte read, forwarded only", plain["read16"], r["forward"]["read16"], "ns")
    line("16-byte read, below the threshold", plain["read16"], r["below"]["read16"], "ns")
    line("16-byte read, recorded", plain["read16"], r["recorded"]["read16"], "ns")
    line("16-byte read, recorded with its file", plain["read16"], r["file"]["read16"], "ns")
    line("open+close, recorded", plain["open_close"], r["recorded"]["open_close"], "ns")
    line("open+close, recorded with their file", plain["open_close"], r["file"]["open_close"], "ns")
    line("uncontended lock+unlock, one thread", plain["mutex_pair"], r["below"]["mutex_pair"], "ns")
    line("uncontended lock+unlock, two threads", plain["mutex_pair_threaded"],
         r["below"]["mutex_pair_threaded"], "ns")
    line("free semaphore wait+post", plain["semaphore_pair"], r["below"]["semaphore_pair"], "ns")
    print("OS-runtime calls by class: ns untraced, and what is added")
    print(f"  {'':<20} {'untraced':>9} {'forwarded':>10} {'below':>10} {'recorded':>10} {'+ file':>10}")
    for name, base in plain.items():
        added = [r[variant][name] - base for variant in ("forward", "below", "recorded", "file")]
        print(f"  {name:<20} {base:>9.1f} " + " ".join(f"{ns:>+10.1f}" for ns in added))


def system_calls(directory):
    here = subprocess.run([PROF, "status", "--json"], stdout=subprocess.PIPE, text=True, check=True).stdout
    if not json.loads(here)["syscall"]["available"]:
        print("System calls: not traced here (prof status says why)")
        return
    program = BENCH / "bench_calls"
    out = directory / "s.db"
    r = interleave({
        "plain": lambda: figures([program, "kernel"]),
        "traced": lambda: figures([*traced(out, program, "-t", "syscall"), "kernel"]),
    })
    print("System calls by the kernel, ns")
    line("getppid", r["plain"]["syscall"], r["traced"]["syscall"], "ns")
    line("16-byte read", r["plain"]["read16"], r["traced"]["read16"], "ns")
    line("mmap+munmap", r["plain"]["mmap_munmap"], r["traced"]["mmap_munmap"], "ns")


def ingest(directory):
    program = BENCH / "bench_ingest"
    if not program.exists():
        return
    out = directory / "i.db"
    print("Ingest: events a second offered, recorded in the report, lost")
    for rate in (1_000_000, 2_000_000, 3_000_000, 4_000_000):
        for threads in (1, 4):
            command = [PROF, "profile", "-t", "nvtx", "-f", "true", "-o", out, "--", program,
                       rate, threads, 3]
            done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, check=True)
            offered = int(re.search(r"events (\d+)", done.stdout).group(1))
            speed = int(re.search(r"rate (\d+)", done.stdout).group(1))
            lost = sum(map(int, re.findall(r"(\d+) events were dropped", done.stderr)))
            print(f"  {speed / 1e6:>6.2f} M/s on {threads} thread(s)  {offered:>9} events  {lost} lost")


def report(directory):
    print("Report: rows a second, memory to file")
    r = interleave({"r": lambda: figures([BENCH / "bench_report", directory / "r.db"])})["r"]
    print(f"  OSRT_API {r['osrt_rows'] / 1e6:.2f} M/s   NVTX_EVENTS {r['nvtx_rows'] / 1e6:.2f} M/s")
    flood = BUILD / "bin" / "programs" / "thousand_then"
    program = BENCH / "bench_ingest"
    if not flood.exists() or not program.exists():
        return
    out = directory / "t.db"
    # 1.6 M NVTX records make 0.8 M rows. The time is that of prof after the program has ended.
    script = f"{program} 1000000 2 1.6 >/dev/null; date +%s.%N"
    done = subprocess.run([str(PROF), "profile", "-t", "nvtx", "-f", "true", "-o", str(out), "--", "sh",
                           "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=True)
    after = time.time() - float(done.stdout.split()[-1])
    print(f"  from the program's end to the report, 1.6 M events: {after:.2f} s, "
          f"{out.stat().st_size / 1.6e6:.1f} bytes an event")


def main():
    print(f"{ROUNDS} interleaved rounds, medians; {os.cpu_count()} CPUs")
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        for section in (nvtx, calls, system_calls, ingest, report):
            section(directory)


if __name__ == "__main__":
    main()
