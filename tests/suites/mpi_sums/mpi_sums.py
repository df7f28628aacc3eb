#!/usr/bin/env python3
"""Programs of Debian that use MPI: what they compute with and without prof, and prof's rows beside the sums of a
counter that is preloaded below prof.

Usage: mpi_sums.py [--prof PROF] [--root ROOT] [PROGRAM...]

ROOT is where the packages hpcc, ptscotch, scalapack-mpi-test and lammps with their libraries are unpacked (dpkg -x), or
installed (/). Prints a line for each program, and exits with 1 on a difference.
"""
import argparse
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[2]
sys.path.insert(0, str(SOURCE / "tests/integration"))
from mpi_programs import environment  # noqa: E402

LIBRARIES = f"usr/lib/{os.uname().machine}-linux-gnu"
GRID = 60  # vertices on a side of the graph


def melt(folder, _):
    """LAMMPS's first example: atoms that attract each other."""
    (folder / "in.melt").write_text(
        "units lj\natom_style atomic\nlattice fcc 0.8442\nregion box block 0 8 0 8 0 8\ncreate_box 1 box\n"
        "create_atoms 1 box\nmass 1 1.0\nvelocity all create 3.0 87287 loop geom\npair_style lj/cut 2.5\n"
        "pair_coeff 1 1 1.0 1.0 2.5\nneighbor 0.3 bin\nneigh_modify every 20 delay 0 check no\nfix 1 all nve\n"
        "thermo 25\nrun 100\n")
    return ["usr/bin/lmp", "-in", "in.melt"], ["log.lammps"]


def graph(folder, _):
    """PT-Scotch divides a grid into 4 parts."""
    lines = []
    for x in range(GRID):
        for y in range(GRID):
            near = [a * GRID + b for a, b in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1))
                    if 0 <= a < GRID and 0 <= b < GRID]
            lines.append(" ".join(map(str, [len(near), *near])))
    edges = sum(int(line.split()[0]) for line in lines)
    (folder / "grid.grf").write_text(f"0\n{len(lines)} {edges}\n0 000\n" + "\n".join(lines) + "\n")
    return ["usr/bin/dgpart", "4", "grid.grf", "parts.map"], ["parts.map"]


def hpcc(folder, root):
    text = (root / "usr/share/doc/hpcc/examples/_hpccinf.txt").read_text()
    text = re.sub(r"(?m)^1000 ( *)Ns", r"200 \1Ns", text)
    (folder / "hpccinf.txt").write_text(text)
    return ["usr/bin/hpcc"], ["hpccoutf.txt"]


def scalapack(name, data):
    def prepare(folder, root):
        tests = root / LIBRARIES / "scalapack/openmpi-tests"
        (folder / data).write_bytes((tests / data).read_bytes())
        return [f"{LIBRARIES}/scalapack/openmpi-tests/{name}"], []
    prepare.__doc__ = "ScaLAPACK's test, in Fortran."
    return prepare


PROGRAMS = {"lammps": melt, "ptscotch": graph, "hpcc": hpcc, "xdlu": scalapack("xdlu", "LU.dat"),
            "xdqr": scalapack("xdqr", "QR.dat"), "xzllt": scalapack("xzllt", "LLT.dat"),
            "xdinv": scalapack("xdinv", "INV.dat")}


def without_times(text):
    """Times and speeds differ in each run."""
    lines = [line for line in text.splitlines() if not re.search(
        r"(?i)time|second|flop|GB|GUP|usec|latency|bandwidth|%|date|begin|end of|tau|memory|_ns=|tps|MBytes|per|\|", line)]
    return [re.sub(r"(WALL|CPU)\b.*|\s+\d+\.\d+\s+\d+\.\d+\s+\d+\.\d+\s+(PASSED)", r"\1 \2", line) for line in lines]


def run(name, folder, arguments, prof):
    folder.mkdir()
    words, outputs = PROGRAMS[name](folder, arguments.root)
    variables = environment() | {"COUNTER_FOLDER": str(folder), "LD_PRELOAD": str(arguments.counter),
                                 "LD_LIBRARY_PATH": str(arguments.root / LIBRARIES), "OMP_NUM_THREADS": "1"}
    command = [*prof, "mpirun.openmpi", "-n", "4", arguments.root / words[0], *words[1:]]
    start = time.monotonic()
    done = subprocess.run(command, cwd=folder, env=variables, check=False, timeout=900, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    seconds = time.monotonic() - start
    if done.returncode != 0:
        sys.exit(f"{name}: status {done.returncode}\n{done.stdout[-2000:]}")
    printed = done.stdout.partition("Generated:")[0]
    found = [printed, *((folder / output).read_text(errors="replace") for output in outputs)]
    counts = {}
    for path in folder.glob("rank.*"):
        for function, calls, size in map(str.split, path.read_text().splitlines()):
            counts[int(path.suffix[1:]), function] = (int(calls), int(size))
    return without_times("\n".join(found)), counts, seconds


def rows(path):
    """{(rank, function): (calls, bytes)} of the report. Bytes only of messages that are sent, and of buffers."""
    database = sqlite3.connect(path)
    tables = {name for name, in database.execute("SELECT name FROM sqlite_master")}
    found = {}
    for table, size in (("MPI_P2P_EVENTS", "coalesce(sum(size), 0)"), ("MPI_COLLECTIVES_EVENTS", "0"),
                        ("MPI_START_WAIT_EVENTS", "0"), ("PROF_MPI_CALLS", "0")):
        if table in tables:
            for rank, function, calls, total in database.execute(
                    f"SELECT rank, value, count(*), {size} FROM {table} AS calls JOIN StringIds ON id = textId"
                    " JOIN MPI_RANKS AS ranks ON ranks.globalTid >> 24 = calls.globalTid >> 24 GROUP BY 1, 2"):
                found[rank, function] = (calls, 0 if function == "MPI_Recv" else total)
    return found


def check(name, arguments, folder):
    alone, _, before = run(name, folder / "alone", arguments, [])
    again = run(name, folder / "again", arguments, [])[0]
    report = folder / "r.db"
    ours, below, seconds = run(name, folder / "traced", arguments, [
        arguments.prof, "profile", "-t", "mpi", "-s", "none", "--cpuctxsw=none", "-o", report])
    recorded = rows(report)
    wrong = [(key, below[key], recorded.get(key)) for key in sorted(below) if recorded.get(key) != below[key]]
    calls, size = (sum(value[i] for value in below.values()) for i in (0, 1))
    same = ours in (alone, again)
    kind = "the same" if same else "also differ alone" if alone != again else "DIFFERENT"
    print(f"{name:<10} results {kind} ({len(alone)} lines), {calls:,} calls and {size:,} bytes"
          f" of {len(below)} sums: {len(wrong)} differ; {before:.1f} s alone, {seconds:.1f} s with prof", flush=True)
    for key, counted, found in wrong[:10]:
        print(f"    rank {key[0]} {key[1]}: counted {counted}, rows {found}")
    if kind == "DIFFERENT":
        for a, b in [(a, b) for a, b in zip(alone, ours) if a != b][:5]:
            print(f"    {a}\n    {b}")
    return kind != "DIFFERENT" and not wrong and bool(below)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="*", default=[*PROGRAMS], choices=[[], *PROGRAMS])
    parser.add_argument("--prof", default=SOURCE / "build/release/bin/prof", type=Path)
    parser.add_argument("--root", default=Path("/"), type=Path)
    arguments = parser.parse_args()
    arguments.root = arguments.root.resolve()
    with tempfile.TemporaryDirectory(prefix="prof-mpi-sums-") as folder:
        arguments.counter = Path(folder) / "counter.so"
        subprocess.run(["mpicc.openmpi", "-O1", "-shared", "-fPIC", HERE / "counter.c", "-o", arguments.counter],
                       check=True)
        good = True
        for name in arguments.program:
            work = Path(folder) / name
            work.mkdir()
            good &= check(name, arguments, work)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
