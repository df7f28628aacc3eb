#!/usr/bin/env python3
"""Prints how much slower whole programs are under `prof profile -t nvtx,osrt`.

Usage: whole_programs.py BUILD_DIRECTORY [ROUNDS [PROGRAM...]]

Each round runs every program untraced, traced with a threshold that nothing reaches and without samples,
traced with the default threshold and without samples, and by default, in turn. bin/bench/timed measures the program's own time inside prof, so the time
that prof needs to start and to write the report is separate.
"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BUILD = Path(sys.argv[1]).resolve()
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 7
PROF = BUILD / "bin" / "prof"
TIMED = BUILD / "bin" / "bench" / "timed"
NOTHING = "--osrt-threshold=10000000000"
OFF = ["--sample=none", "--cpuctxsw=none", "--python-sampling=false"]
VARIANTS = {"untraced": None, "nothing": [NOTHING, *OFF], "calls": OFF, "default": []}
PYTHON = "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else sys.executable


def quietly(command, **options):
    subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=True, **options)


def traced(directory, options):
    if options is None:
        return []
    return [PROF, "profile", "-t", "nvtx,osrt", "-f", "true", "-o", directory / "report.db", *options, "--"]


def result(directory, start, end):
    """Seconds of one run; `start` and `end` are prof's."""
    began, ended, user, system, _collector = map(float, (directory / "times").read_text().split())
    return {"wall": ended - began, "cpu": user + system, "start": began - start, "end": end - ended,
            "total": end - start}


class Command:
    """A command, run `count` times; `prepare` is not timed."""
    needs = ()

    def __init__(self, directory):
        self.directory = directory

    def prepare(self):
        pass

    def run(self, options):
        self.prepare()
        start = time.monotonic()
        quietly([*traced(self.directory, options), TIMED, self.directory / "times", self.count, *self.command],
                cwd=self.directory)
        return result(self.directory, start, time.monotonic())


class Compile(Command):
    """make -j2 of eight C++ files"""
    needs = ("make", "g++")
    count, command = 1, ["make", "-s", "-j2"]

    def __init__(self, directory):
        super().__init__(directory)
        names = [f"part{i}" for i in range(8)]
        for name in names:
            (directory / f"{name}.cpp").write_text(
                "#include <map>\n#include <string>\n#include <vector>\n"
                f"std::map<std::string, std::vector<int>> {name}(const std::string& text) {{\n"
                "  std::map<std::string, std::vector<int>> found;\n"
                "  for (std::size_t i = 0; i + 2 < text.size(); ++i) found[text.substr(i, 2)].push_back(int(i));\n"
                "  return found;\n}\n")
        (directory / "main.cpp").write_text("int main() {}\n")
        objects = " ".join(f"{name}.o" for name in names)
        (directory / "Makefile").write_text(
            f"all: program\nprogram: main.o {objects}\n\tg++ -o $@ $^\n"
            "%.o: %.cpp\n\tg++ -O1 -c -o $@ $<\n")

    def prepare(self):
        for path in [*self.directory.glob("*.o"), *self.directory.glob("program")]:
            path.unlink()


class PythonStart(Command):
    """python3 -c pass"""
    count, command = 20, [PYTHON, "-c", "pass"]


class PythonImports(Command):
    """python3, importing asyncio, json, http.server, sqlite3"""
    count, command = 8, [PYTHON, "-c", "import asyncio, json, http.server, sqlite3"]


class Sqlite(Command):
    """sqlite3: inserts, index, look-ups, updates, commits"""
    needs = ("sqlite3",)
    count, command = 1, ["sqlite3", "test.db", ".read work.sql"]

    def __init__(self, directory):
        super().__init__(directory)
        numbers = ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) "
                   "{} SELECT {} FROM n;\n")
        work = ["PRAGMA synchronous = off;\n",
                "CREATE TABLE t(a INTEGER PRIMARY KEY, b INTEGER, c TEXT);\n",
                numbers.format(200000, "INSERT INTO t", "i, i * 7919 % 200003, printf('%030d', i)"),
                "CREATE INDEX t_b ON t(b);\n"]
        for i in range(0, 600):
            work.append(f"INSERT INTO t VALUES({300000 + i}, {i}, 'committed alone');\n"
                        f"UPDATE t SET c = c || 'x' WHERE b BETWEEN {i * 300} AND {i * 300 + 20};\n"
                        f"SELECT count(*), max(c) FROM t WHERE b BETWEEN {i * 200} AND {i * 200 + 90};\n")
        work.append("DELETE FROM t WHERE a % 3 = 0;\nPRAGMA integrity_check;\n")
        (directory / "work.sql").write_text("".join(work))

    def prepare(self):
        (self.directory / "test.db").unlink(missing_ok=True)


class Pipeline(Command):
    """tar | gzip | gzip -d | tar, grep -r, find | xargs"""
    needs = ("tar", "gzip", "grep", "find")
    count = 1
    command = ["sh", "-c", "tar -cf - tree | gzip -1 | gzip -dc | tar -tf - | grep -c 7 >/dev/null; "
               "grep -r 'no such word' tree; grep -rc 'line 9' tree | sort | head -1 >/dev/null; "
               "find tree -name '*7*' | xargs -n 20 cat | wc -c >/dev/null"]

    def __init__(self, directory):
        super().__init__(directory)
        for i in range(1500):
            folder = directory / "tree" / str(i % 40)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"file{i}").write_text("".join(f"line {j * i % 997} of {i}\n" for j in range(800)))


class Redis(Command):
    """redis-server under redis-benchmark, which is untraced"""
    needs = ("redis-server", "redis-benchmark", "redis-cli")

    def run(self, options):
        socket = self.directory / "redis.sock"
        start = time.monotonic()
        words = [*traced(self.directory, options), TIMED, self.directory / "times", 1, "redis-server", "--port", 0,
                 "--unixsocket", socket, "--save", "", "--appendonly", "no"]
        server = subprocess.Popen(list(map(str, words)), cwd=self.directory, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        client = ["redis-cli", "-s", str(socket)]
        while subprocess.run([*client, "ping"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             check=False).stdout != b"PONG\n":
            if server.poll() is not None or time.monotonic() - start > 20:
                raise RuntimeError("redis-server does not start")
            time.sleep(0.01)
        began = time.monotonic()
        quietly(["redis-benchmark", "-s", socket, "-n", 40000, "-c", 16, "-t", "set,get,lpush", "-q"])
        ended = time.monotonic()
        subprocess.run([*client, "shutdown", "nosave"], stdout=subprocess.DEVNULL, check=False)
        server.wait(30)
        return {**result(self.directory, start, time.monotonic()), "wall": ended - began}


PROGRAMS = [Compile, PythonStart, PythonImports, Sqlite, Pipeline, Redis]


def measure(program, directory):
    """{variant: [figures of each round]}; the first variant changes from round to round."""
    runner = program(directory)
    results = {name: [] for name in VARIANTS}
    for name in VARIANTS:  # caches
        runner.run(VARIANTS[name])
    names = list(VARIANTS)
    for i in range(ROUNDS):
        for name in names[i % len(names):] + names[:i % len(names)]:
            results[name].append(runner.run(VARIANTS[name]))
    return results


def median_ratio(results, variant, figure):
    """Median of the rounds' own ratios: a drift of the machine's speed cancels out."""
    return statistics.median(r[figure] / plain[figure]
                             for r, plain in zip(results[variant], results["untraced"]))


def lowest_ratio(results, variant, figure):
    return min(r[figure] for r in results[variant]) / min(r[figure] for r in results["untraced"])


def print_program(name, results):
    untraced = statistics.median(r["wall"] for r in results["untraced"])
    for variant in list(VARIANTS)[1:]:
        start, end = (statistics.median(r[figure] for r in results[variant]) * 1000 for figure in ("start", "end"))
        print(f"  {name:<56} {variant:<8} {untraced * 1000:>8.1f} {median_ratio(results, variant, 'wall'):>7.3f} "
              f"{lowest_ratio(results, variant, 'wall'):>7.3f} {median_ratio(results, variant, 'cpu'):>7.3f} "
              f"{start:>7.1f} {end:>7.1f} {median_ratio(results, variant, 'total'):>7.3f}", flush=True)


def main():
    print(f"Whole programs: {ROUNDS} rounds; the program's own time as a ratio to untraced (median of the rounds, "
          "and of the fastest\n  runs), its processor time, prof's start and end in ms, and all of it together. "
          "'nothing' is recorded, 'calls', or the 'default': calls and samples")
    print(f"  {'':<56} {'recorded':<8} {'ms alone':>8} {'wall':>7} {'fastest':>7} {'cpu':>7} {'start':>7} {'end':>7} "
          f"{'total':>7}")
    for program in PROGRAMS:
        if sys.argv[3:] and program.__name__ not in sys.argv[3:]:
            continue
        missing = [tool for tool in program.needs if shutil.which(tool) is None]
        if missing:
            print(f"  {program.__doc__}: not here: {' '.join(missing)}")
            continue
        with tempfile.TemporaryDirectory() as directory:
            print_program(program.__doc__, measure(program, Path(directory)))


if __name__ == "__main__":
    main()
