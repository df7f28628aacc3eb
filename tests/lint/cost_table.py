#!/usr/bin/env python3
"""Writes figures that `./dev bench` has printed into the table of docs/cost.md.

    cost_table.py [--machine TEXT] [FILE...]   FILE has the output of ./dev bench, or of one of its scripts. Rows that
                                               it does not measure keep their figures and their machine
    cost_table.py --check                      fails if the rows of the table are not those of ROWS
"""
import argparse
import os
import re
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs/cost.md"
TABLE = re.compile(r"(?<=<!-- cost_table.py -->\n)(\|.*\n)*(?=<!-- end -->\n)")
VARIANTS = ("calls", "default", "all")
HEAD = ("| what | alone | calls and ranges | default | 1000 Hz | machine |\n"
        "|---|---|---|---|---|---|\n")


class Added:
    """Nanoseconds that prof adds to what run.py measures: one figure, or the least and the most of several."""

    def __init__(self, *titles):
        self.titles = titles

    def cells(self, figures):
        added = sorted({round(ours - plain) for plain, ours in (figures[title] for title in self.titles if title in figures)})
        return {"calls": " to ".join(f"+{each}" for each in sorted({added[0], added[-1]})) + " ns"} if added else {}


class Whole:
    """Nanoseconds that run.py measures: of the program without prof (alone), or with it (calls)."""

    def __init__(self, title, column):
        self.title, self.column = title, column

    def cells(self, figures):
        if self.title not in figures:
            return {}
        return {self.column: f"{figures[self.title][self.column == 'calls']:.0f} ns"}


class Program:
    """Ratios of event_loops.py and whole_programs.py: of wall time, or of CPU time; `count`: runs in one measurement."""

    def __init__(self, title, count=0, cpu=False):
        self.title, self.count, self.cpu = title, count, cpu

    def cells(self, figures):
        found = {variant: figures[self.title, variant] for variant in VARIANTS if (self.title, variant) in figures}
        cells = {variant: f"{ratios[2 if self.cpu else 1]:.2f}" for variant, ratios in found.items()}
        if found and self.count:
            cells["alone"] = f"{next(iter(found.values()))[0] / self.count:.2f} ms"
        return cells


class Samples:
    """Ratios of sampling.py: wall time and CPU time."""

    def cells(self, figures):
        names = {"default": "prof by default", "all": "prof -s process-tree"}
        return {variant: "{:.2f} to {:.2f}".format(*sorted(figures[name]))
                for variant, name in names.items() if name in figures}


LOOPS = ("uvloop", "gevent", "trio")
ECHO = "10,000 echoes over loopback"
FLOOR = "floor (two clock reads, one record) -> prof"
ROWS = {
    "NVTX push and pop": Whole(FLOOR, "calls"),
    "the same in a library that reads the clock twice and stores 32 bytes": Whole(FLOOR, "alone"),
    "OS-runtime call below the threshold": Added("16-byte read, below the threshold"),
    "OS-runtime call that is recorded": Added("16-byte read, recorded"),
    "uncontended lock and unlock": Added("uncontended lock+unlock, one thread", "uncontended lock+unlock, two threads"),
    "busy program, CPU samples with call chains": Samples(),
    **{f"echo server and client in one process: {kind}": Program(f"{kind}: {ECHO}") for kind in LOOPS},
    **{f"echo server and client in two processes: {kind}": Program(f"{kind}: {ECHO}, the client is a child process")
       for kind in LOOPS},
    "gunicorn with two workers, 500 requests": Program("gunicorn: 500 requests"),
    "three pools of multiprocessing, 6,000 tasks": Program("multiprocessing: three pools, 6,000 tasks"),
    "bash, 400 subshells": Program("bash: 400 subshells", 400),
    "zsh, 400 subshells": Program("zsh: 400 subshells", 400),
    "bash, 200 times `/bin/true`": Program("bash: 200 times /bin/true", 200),
    "make -j2 of eight C++ files": Program("make -j2 of eight C++ files"),
    "Python that imports much": Program("python3, importing asyncio, json, http.server, sqlite3"),
    "sqlite": Program("sqlite3: inserts, index, look-ups, updates, commits"),
    "tar, gzip, grep and find, 0.3 s": Program("tar | gzip | gzip -d | tar, grep -r, find | xargs"),
    "redis under redis-benchmark (CPU time)": Program("redis-server under redis-benchmark, which is untraced", cpu=True),
}
COLUMNS = ("alone", *VARIANTS, "machine")


def read(text):
    """{title: (ns untraced, ns with prof)}, {(title, variant): (ms alone, wall, CPU)}, {way of sampling: (wall, CPU)}"""
    number = r" +([\d.]+)"
    figures = {}
    for title, *two in re.findall(rf"^  (\S.*?){number} ->{number} ns", text, re.M):
        figures[title] = tuple(map(float, two))
    for title, variant, *three in re.findall(rf"^  (\S.*?) +({'|'.join(VARIANTS)}){number * 2} +[\d.]+{number}", text, re.M):
        figures[title, variant] = tuple(map(float, three))
    for name, *two in re.findall(rf"^(prof by default|prof -s process-tree){number * 2}", text, re.M):
        figures[name] = tuple(map(float, two))
    return figures


def cells_of(table):
    """{what: {column: text}}"""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()[2:]]
    return {what: dict(zip(COLUMNS, cells)) for what, *cells in rows}


def updated(table, figures, machine):
    old = cells_of(table)
    lines = []
    for what, source in ROWS.items():
        new = source.cells(figures)
        cells = {**dict.fromkeys(COLUMNS, ""), **old.get(what, {}), **new, **({"machine": machine} if new else {})}
        lines.append(" | ".join(["", what, *(cells[column] for column in COLUMNS), ""]).strip())
    return HEAD + "".join(re.sub("  +", " ", line) + "\n" for line in lines)


def this_machine():
    model = re.search(r"^model name\s*: (.*)", Path("/proc/cpuinfo").read_text(), re.M)
    return f"{os.cpu_count()} CPUs, {model[1] if model else os.uname().machine}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machine", default=this_machine())
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("files", nargs="*", type=Path)
    options = parser.parse_args()
    page = options.page.read_text()
    figures = read("".join(file.read_text() for file in options.files))
    changed = TABLE.sub(lambda table: updated(table[0], figures, options.machine), page)
    if options.check and changed != page:
        sys.exit(f"{options.page} has not the rows of cost_table.py: run tests/lint/cost_table.py")
    options.page.write_text(changed)


if __name__ == "__main__":
    main()
