#!/usr/bin/env python3
"""Prints how fast sessions on demand are: how long prof start takes, and until when each process of a tree records; how
long prof stop takes to write a report, against prof profile for as many events; and what a program pays that nobody
records.

Usage: sessions.py BUILD_DIRECTORY [--rounds N] [--processes N] [--ranges N]

Medians and the fastest round. The rounds of stop and profile are interleaved. The machine should be idle.
"""
import argparse
import contextlib
import json
import os
import sqlite3
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

LEAN = ["--sample=none", "--cpuctxsw=none"]


def milliseconds(values):
    return f"median {statistics.median(values):.1f} ms, fastest {min(values):.1f} ms, slowest {max(values):.1f} ms"


class Bench:
    def __init__(self, build, folder):
        self.prof = str(build / "bin" / "prof")
        self.programs = build / "bin" / "programs"
        self.folder = folder
        self.environment = {**os.environ, "XDG_RUNTIME_DIR": str(folder)}

    def run(self, *words):
        """Seconds of the command, and when it began (UTC, ns)."""
        began = time.time_ns()
        subprocess.run([self.prof, *map(str, words)], check=True, env=self.environment, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        return (time.time_ns() - began) * 1e-9, began

    def launch(self, script):
        return subprocess.Popen([self.prof, "launch", "-t", "nvtx,osrt", "sh", "-c", script], env=self.environment,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    @contextlib.contextmanager
    def report(self):
        path = self.folder / "r.db"
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            yield database

    def reach(self, rounds, processes):
        """A tree of processes that make ranges all the time, one of which forks."""
        loop = self.programs / "numbered_ranges"
        launched = self.launch(f"for i in $(seq {processes - 1}); do {loop} 600 & done; {loop} 600 forks & echo; wait")
        launched.stdout.readline()
        time.sleep(2)
        commands, begins, first, born, counts = [], [], [], [], []
        for _ in range(rounds):
            took, began = self.run("start", "-f", "true", "-o", self.folder / "r", *LEAN)
            time.sleep(0.5)
            self.run("stop")
            with self.report() as report:
                (utc,), = report.execute("SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME")
                rows = report.execute("SELECT globalTid >> 24, min(start), text = 'in a child' FROM NVTX_EVENTS "
                                      "WHERE eventType = 59 GROUP BY 1").fetchall()
            commands.append(took * 1e3)
            begins.append((utc - began) * 1e-6)
            running = [start * 1e-6 for _, start, is_child in rows if not is_child]
            first.append(max(running))
            counts.append(len(running))
            born.append(len(rows) - len(running))
        self.run("shutdown", "--kill=sigkill")
        launched.wait()
        print(f"start of {processes} processes ({rounds} rounds)")
        print(f"  the command                        {milliseconds(commands)}")
        print(f"  until recording begins             {milliseconds(begins)}")
        print(f"  then until the last process's first range {milliseconds(first)}")
        print(f"  processes that recorded: {min(counts)} to {max(counts)}; children born meanwhile in a report: "
              f"{min(born)} to {max(born)}")

    def dormant(self, rounds):
        """The same loop alone and under prof launch, in turn."""
        print(f"dormant, beside the program alone ({rounds} rounds)")
        for what in ("locks", "ranges"):
            program = [self.programs / "dormant_price", what, "20000000", "timed"]
            alone, launched = [], []
            for _ in range(rounds):
                for found, command in ((alone, program),
                                       (launched, [self.prof, "launch", "-t", "nvtx,osrt", *program])):
                    done = subprocess.run(command, env=self.environment, check=True, stdout=subprocess.PIPE,
                                          stderr=subprocess.DEVNULL)
                    found.append(json.loads(done.stdout)["ns"])
            print(f"  {what}: ns alone median {statistics.median(alone):.2f}, fastest {min(alone):.2f}; launched "
                  f"median {statistics.median(launched):.2f}, fastest {min(launched):.2f}")

    def stop(self, rounds, ranges):
        """The same events, recorded by both."""
        program = f"{self.programs / 'dormant_price'} ranges {ranges}; date +%s.%N"
        stops, ends = [], []
        for _ in range(rounds):
            self.run("start", "-f", "true", "-o", self.folder / "r", *LEAN)
            launched = self.launch(program + "; exec sleep 600")
            launched.stdout.readline()
            stops.append(self.run("stop")[0] * 1e3)
            with self.report() as report:
                (count,), = report.execute("SELECT count(*) FROM NVTX_EVENTS")
            assert count >= ranges
            self.run("shutdown", "--kill=sigkill")
            launched.wait()
            done = subprocess.run([self.prof, "profile", "-t", "nvtx,osrt", *LEAN, "-f", "true", "-o",
                                   str(self.folder / "r"), "sh", "-c", program], env=self.environment, check=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            ends.append(time.time() * 1e3 - float(done.stdout) * 1e3)
        print(f"report of {ranges} ranges ({rounds} rounds)")
        print(f"  prof stop                          {milliseconds(stops)}")
        print(f"  prof profile after the program     {milliseconds(ends)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--processes", type=int, default=20)
    parser.add_argument("--ranges", type=int, default=1_000_000)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="prof-b-", dir="/tmp") as folder:
        bench = Bench(chosen.build.resolve(), Path(folder))
        bench.reach(chosen.rounds, chosen.processes)
        bench.stop(chosen.rounds, chosen.ranges)
        bench.dormant(chosen.rounds)


if __name__ == "__main__":
    main()
