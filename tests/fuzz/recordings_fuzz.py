#!/usr/bin/env python3
"""Damages recordings of killed profs and recovers them. `prof recover` has to end in bounded time and memory, with a sound
report or with a message. One flipped bit costs little: a tenth of the events at most.

    PROF_BUILD=build/release tests/fuzz/recordings_fuzz.py --runs 3000 [--seed N] [--jobs N] [--keep FOLDER]

A damaged recording on which prof failed is kept, and its name is printed."""
import argparse
import concurrent.futures
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from reports_fuzz import PROF, failure

# Long enough that what prof takes at once, in 10 ms, is a small part.
SCRIPT = ("import sys, time, os, threading\ndef work(n):\n    return sum(i * i for i in range(n))\n"
          "threading.Thread(target=work, args=(1000,)).start()\n"
          "for _ in range(100):\n    work(2000); time.sleep(0.002)\n    for _ in range(10): open('/dev/null').close()\n"
          "os.system('true; /bin/echo x > /dev/null'); time.sleep(1.2)\nprint('ready', flush=True); time.sleep(60)")
OPTIONS = [["-t", "osrt", "--osrt-threshold=0", "-s", "none"],
           ["-t", "nvtx,osrt", "--osrt-threshold=0", "--osrt-file-access=true", "-s", "process-tree",
            "--osrt-backtrace-threshold=1000", "--python-sampling=true", "--python-backtrace=osrt"],
           ["-t", "osrt", "--osrt-threshold=0", "-s", "process-tree", "--osrt-file-access=true", "--python-sampling=true"]]


def make_seeds(folder):
    seeds = []
    for number, options in enumerate(OPTIONS):
        path = folder / f"seed{number}.db"
        with subprocess.Popen([PROF, "profile", *options, "-o", path, "--", sys.executable, "-c", SCRIPT],
                              stdout=subprocess.PIPE, text=True, start_new_session=True) as running:
            running.stdout.readline()
            time.sleep(0.3)
            os.killpg(running.pid, signal.SIGKILL)
        seeds.append(Path(f"{path}.spool").read_bytes())
    return seeds


def flip(data, chance):
    at = chance.randrange(len(data))
    data[at] ^= 1 << chance.randrange(8)


def flip_in_a_note(data, chance):
    starts = []
    at = data.find(b'{"type":')
    while at >= 0:
        starts.append(at)
        at = data.find(b'{"type":', at + 1)
    begin = chance.choice(starts)
    data[begin + chance.randrange(max(data.find(b"}", begin) - begin, 1))] ^= 1 << chance.randrange(8)


def overwrite(data, chance):
    at, count = chance.randrange(len(data)), chance.choice([1, 4, 8, 24, 100, 4096])
    data[at:at + count] = chance.choice([bytes(count), b"\xff" * count, chance.randbytes(count)])[:len(data) - at]


def number(data, chance):
    at = chance.randrange(len(data)) // 8 * 8
    value = chance.choice([0, 1, 7, 1 << 16, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 63) - 1, (1 << 64) - 1])
    data[at:at + 8] = value.to_bytes(8, "little")


def cut(data, chance):
    del data[chance.randrange(len(data)):]


def leave_out(data, chance):
    at = chance.randrange(len(data))
    del data[at:at + chance.choice([1, 8, 100, 5000])]


def repeat(data, chance):
    at = chance.randrange(len(data)) // 8 * 8
    data[at:at] = data[at:at + chance.choice([8, 64, 4096])]


KINDS = [flip, flip_in_a_note, overwrite, number, cut, leave_out, repeat]


def events(report):
    with sqlite3.connect(f"file:{report}?mode=ro", uri=True) as database:
        if database.execute("PRAGMA integrity_check").fetchone()[0] != "ok":
            return -1
        tables = {row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        return sum(database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
                   for table in ("OSRT_API", "COMPOSITE_EVENTS", "NVTX_EVENTS") if table in tables)


class Fuzzer:
    def __init__(self, folder, given):
        self.folder, self.keep, self.seed, self.cpu_seconds = folder, given.keep, given.seed, given.cpu_seconds
        self.seeds = make_seeds(folder)
        self.whole = []
        for seed in self.seeds:
            problem, found = self.recover("whole", seed)
            assert not problem, problem
            self.whole.append(found)
        print("events of the undamaged recordings:", *self.whole, flush=True)

    def recover(self, name, data):
        """The problem, and the events of the report; None: there is no report."""
        spool, report = self.folder / f"{name}.db.spool", self.folder / f"{name}.db"
        spool.write_bytes(data)
        problem = failure(["recover", "-f", "true", spool], self.cpu_seconds)
        found = events(report) if report.exists() else None
        if not problem and found == -1:
            problem = "the report is not sound"
        for path in (spool, report):
            path.unlink(missing_ok=True)
        return problem, found

    def run(self, run):
        chance = random.Random(f"{self.seed} {run}")
        which = chance.randrange(len(self.seeds))
        data = bytearray(self.seeds[which])
        kinds = [chance.choice(KINDS)] if chance.random() < 0.6 else chance.choices(KINDS, k=chance.randint(2, 5))
        for kind in kinds:
            if data:
                kind(data, chance)
        problem, found = self.recover(f"damaged{run}", data)
        if not problem and kinds in ([flip], [flip_in_a_note]) and (found is None or found < self.whole[which] * 0.9):
            problem = f"one flipped bit leaves {found} of {self.whole[which]} events"
        if not problem:
            return 0
        name = self.keep / f"{self.seed}-{run}.db.spool"
        name.write_bytes(data)
        print(f"FAILED {name} ({' '.join(kind.__name__ for kind in kinds)}): {problem}", flush=True)
        return 1


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--runs", type=int, default=3000)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--cpu-seconds", type=int, default=60)
    arguments.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments.add_argument("--keep", type=Path, default=Path(tempfile.gettempdir()) / "prof-recordings-fuzz")
    given = arguments.parse_args()
    given.keep.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        fuzzer = Fuzzer(Path(folder), given)
        failed = sum(pool.map(fuzzer.run, range(given.runs)))
    print(f"{given.runs} damaged recordings, {failed} failures (seed {given.seed})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
