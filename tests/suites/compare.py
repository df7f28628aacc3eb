#!/usr/bin/env python3
"""Runs foreign test suites, alone and under prof, and compares them case by case.

Usage: compare.py [options] SUITE...

SUITE: cpython, stress_ng, coreutils, zsh, tcl, uvloop, gevent, trio, mpich, libomp

A part with a difference that the suite's file does not explain is run again both ways. A case "wavers" if
it had several outcomes alone and no other outcome with prof. It is "different" if it had an outcome with
prof that it never had alone. Exits with 1 if there is a difference that is not explained.
"""
import argparse
import importlib
import os
import re
import shutil
import signal
import sqlite3
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import suite  # noqa: E402

SOURCE = Path(__file__).resolve().parents[2]
SUITES = ["cpython", "stress_ng", "coreutils", "zsh", "tcl", "uvloop", "gevent", "trio", "mpich", "libomp"]


def traced(prof, kinds, options):
    return [prof, "profile", "-t", kinds, "-w", "true", "-f", "true", "-o", "{scratch}/report.db",
            *options, "--"]


def recorded(scratch):
    """(processes, calls) in the report."""
    database = sqlite3.connect(f"file:{scratch / 'report.db'}?mode=ro", uri=True)
    tables = [name for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    calls = [name for name in tables if re.match(r"OSRT_API$|MPI_.*EVENTS|PROF_MPI_CALLS|OPENMP_EVENT|CUPTI_.*OPENACC", name)]
    return [sum(database.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in chosen)
            for chosen in (["PROCESSES"], calls)]


class Comparison:
    """Outcomes of one part's cases over all of its runs."""

    def __init__(self, part, work, prefix):
        self.part, self.work, self.prefix = part, work, prefix
        self.alone, self.ours = {}, {}  # case: [outcome of each run]
        self.rounds = 0
        self.seconds = [0.0, 0.0]
        self.processes = self.calls = 0
        self.remarks = []

    def round(self):
        self.rounds += 1
        for index, (prefix, results) in enumerate([([], self.alone), (self.prefix, self.ours)]):
            scratch = self.work / self.part.name / f"{('alone', 'traced')[index]}{self.rounds}"
            run = suite.run(self.part, prefix, scratch)
            self.seconds[index] += run.seconds
            for case, outcome in run.outcomes.items():
                results.setdefault(case, []).append(outcome)
            if prefix:
                self.remarks += [line for line in run.log.splitlines() if line.startswith("prof:")]
                if (scratch / "report.db").exists():
                    self.processes, self.calls = recorded(scratch)
                    (scratch / "report.db").unlink()

    def verdicts(self):
        """{case: 'same' | 'different' | 'wavers'}"""
        result = {}
        for case in {**self.alone, **self.ours}:
            a = set(self.alone.get(case, ["(missing)"]))
            b = set(self.ours.get(case, ["(missing)"]))
            result[case] = "same" if a == b and len(a) == 1 else "wavers" if b <= a else "different"
        return result


def explanations(comparison, verdicts, explained):
    """{case: why} for the cases that differ for a known reason. If such a case fails, the exit status is 1 instead
    of 0."""
    different = [case for case, verdict in verdicts.items() if verdict == "different"]
    known = {case: explained[case] for case in different if case in explained}
    status = "(exit status)"
    if known and {*comparison.alone.get(status, []), *comparison.ours.get(status, [])} == {"0", "1"}:
        known[status] = "follows from the other explained cases"
    return known


def has_unexplained(comparison, explained):
    verdicts = comparison.verdicts()
    known = explanations(comparison, verdicts, explained)
    return any(verdict != "same" and case not in known for case, verdict in verdicts.items())


def compare(part, work, prefix, repeat, explained):
    comparison = Comparison(part, work, prefix)
    comparison.round()
    while comparison.rounds <= repeat and has_unexplained(comparison, explained):
        comparison.round()
    return comparison


def print_part(comparison, explained):
    """Returns how many cases differ without a known cause."""
    verdicts = comparison.verdicts()
    known = explanations(comparison, verdicts, explained)
    count = {name: list(verdicts.values()).count(name) for name in ("same", "different", "wavers")}
    alone, ours = (seconds / comparison.rounds for seconds in comparison.seconds)
    print(f"{comparison.part.name:<36} {len(verdicts):>6} {count['same']:>6} {count['different']:>6} "
          f"{count['wavers']:>6} {alone:>8.1f} {ours:>8.1f} {comparison.processes:>6} {comparison.calls:>9}",
          flush=True)
    for case, verdict in verdicts.items():
        if verdict == "same":
            continue
        print(f"    {verdict}: {case}" + (f", explained: {known[case]}" if case in known else ""))
        for name, results in (("alone", comparison.alone), ("prof", comparison.ours)):
            print(f"      {name:<6} {' | '.join(results.get(case, ['(missing)']))}", flush=True)
    for remark in dict.fromkeys(comparison.remarks):
        if "report" not in remark:
            print(f"    {remark}", flush=True)
    return count, sum(verdict == "different" and case not in known for case, verdict in verdicts.items())


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", nargs="+", choices=SUITES)
    parser.add_argument("--prof", default=SOURCE / "build/release/bin/prof", type=Path)
    parser.add_argument("--option", action="append", default=[], help="a further option of prof profile")
    parser.add_argument("--only", help="parts to run, comma-separated")
    parser.add_argument("--repeat", type=int, default=2, help="further rounds of a part with a difference")
    parser.add_argument("--python", default=sys.executable, help="the Python of suite cpython")
    parser.add_argument("--work", type=Path, help="keep logs here")
    parser.add_argument("--sources", type=Path, default=SOURCE / "build/suites",
                        help="where suites are unpacked and built")
    arguments = parser.parse_args()
    suite.adopt_orphans()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background, but suites need it
    work = arguments.work or Path(tempfile.mkdtemp(prefix="prof-suites-"))
    different = 0
    for name in arguments.suite:
        module = importlib.import_module(name)
        kinds = getattr(module, "TRACE", "nvtx,osrt")
        prefix = traced(arguments.prof.resolve(), kinds, arguments.option)
        parts = module.parts(arguments)
        if arguments.only:
            parts = [part for part in parts if part.name in arguments.only.split(",")]
        print(f"{name:<36} {'cases':>6} {'same':>6} {'differ':>6} {'waver':>6} {'alone s':>8} {'prof s':>8} "
              f"{'procs':>6} {'calls':>9}")
        total = {"same": 0, "different": 0, "wavers": 0}
        for part in parts:
            folder = work / name
            shutil.rmtree(folder / part.name, ignore_errors=True)
            comparison = compare(part, folder, prefix, arguments.repeat, module.EXPLAINED)
            count, unexplained = print_part(comparison, module.EXPLAINED)
            different += unexplained
            for verdict in total:
                total[verdict] += count[verdict]
        print(f"{name}: {sum(total.values())} cases, {total['same']} the same, {total['different']} different, "
              f"{total['wavers']} waver", flush=True)
    print(f"logs in {work}")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    os.nice(5)
    main()
