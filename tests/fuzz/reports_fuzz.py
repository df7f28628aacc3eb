#!/usr/bin/env python3
"""Damages reports, by SQL and by bytes, and runs the verbs that read them. A verb has to end in bounded time and
memory with a status that prof knows, whatever the file contains.

    PROF_BUILD=build/release tests/fuzz/reports_fuzz.py --runs 5000 [--seed N] [--jobs N] [--keep FOLDER]

A damaged report that made a verb fail is kept, and the command is printed."""
import argparse
import concurrent.futures
import gzip
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import mutations

SOURCE = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("PROF_BUILD", SOURCE / "build" / "release")).resolve()
PROF = BUILD / "bin" / "prof"
TRUTH = SOURCE / "tests" / "integration" / "nsys_truth" / "report.sqlite.gz"

MEMORY = 1 << 30
SANITIZED = any(name in PROF.read_bytes() for name in (b"__asan_init", b"__tsan_init"))
# Found neither in messages of prof nor in names of the seeds.
BROKEN = re.compile(r"internal error|terminate called|what\(\)|Sanitizer|runtime error:|out_of_range|::at\b|bad_alloc")


def listed(*words):
    lines = subprocess.run([PROF, *words], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    return [re.split(r"[\s\[]", line.strip())[0] for line in lines if line.startswith("  ")]


def commands(report, other):
    """What is run on a damaged report. `other`: an undamaged one."""
    every = listed("stats", "--help-reports")
    lines = "cpu_sample_sum:line,cpu_sample_tree,cpu_sample_tree:callers,osrt_callers,cuda_api_callers,thread_state_sum:osrt"
    exports = [["export", "--type", kind, "--samples", samples, report]
               for kind in ("collapsed", "speedscope", "pprof", "firefox") for samples in ("cpu", "python", "osrt", "cuda")]
    return [["stats", "-q", "-f", "csv", "-r", ",".join(every), report],
            ["stats", "-q", "-f", "json", "-r", ",".join(reversed(every)), "--filter-time", "1ms/", report],
            ["stats", "-q", "--lines", "-r", lines, report],
            ["stats", "-q", "--filter-nvtx", "outer", report],
            ["stats", "-q", "-f", "csv", "-r", "cuda_gpu_kern_sum:nvtx-name:base,nvtx_gpu_proj_trace,um_sum:rows=-1," + lines, report],
            ["analyze", report], ["analyze", "-f", "json", "-r", "all", report],
            ["diff", "--min-change=0", other, report], ["diff", "-f", "json", "--rows=0", report, other],
            ["export", "--json", report], ["export", "--type=pprof", "--lines", report], *exports]


def limit(seconds):
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def failure(command, seconds):
    """Why the command did what no command may do; nothing if it behaved."""
    with tempfile.TemporaryFile() as err:
        process = subprocess.Popen([PROF, *command], stdout=subprocess.DEVNULL, stderr=err, preexec_fn=lambda: limit(seconds))
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        err.seek(0)
        said = err.read(1 << 20).decode(errors="replace")
    if process.returncode < 0:
        return f"signal {-process.returncode} after {used.ru_utime:.1f} s: {said[-400:]}"
    if process.returncode not in (0, 1):
        return f"status {process.returncode}: {said[-400:]}"
    if process.returncode == 1 and not said:
        return "status 1 without a message"
    found = BROKEN.search(said)
    return f"{found.group()!r} in: {said[-400:]}" if found else ""


def make_seeds(folder):
    """Reports to damage: one of nsys with CUDA, and one of prof with samples, call chains, files and Python."""
    nsys = folder / "nsys.sqlite"
    nsys.write_bytes(gzip.decompress(TRUTH.read_bytes()))
    seeds = [nsys]
    script = ("import time, os\ndef work(n):\n    return sum(i * i for i in range(n))\n"
              "for _ in range(30):\n    work(20000); time.sleep(0.002); open('/dev/null').close()\n"
              "os.system('true')")
    mine = folder / "prof.db"
    done = subprocess.run([PROF, "profile", "-o", mine, "-t", "nvtx,osrt", "--osrt-threshold=0", "--osrt-file-access=true",
                           "-s", "process-tree", "--sampling-frequency=1000", "--backtrace=dwarf", "--osrt-backtrace-threshold=1000",
                           "--python-sampling=true", "--python-backtrace=cuda,osrt", sys.executable, "-c", script],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode == 0:
        seeds.append(mine)
    else:
        print("no report of prof among the seeds:", done.stderr.strip(), file=sys.stderr)
    return seeds


class Fuzzer:
    def __init__(self, folder, given):
        self.folder, self.keep, self.seed, self.cpu_seconds = folder, given.keep, given.seed, given.cpu_seconds
        self.seeds = make_seeds(folder)

    def run(self, number):
        """Damages a report in one or several ways and runs some of the commands."""
        chance = random.Random(f"{self.seed} {number}")
        report = self.folder / f"damaged{number}.db"
        shutil.copy(chance.choice(self.seeds), report)
        done = mutations.damage(report, chance)
        every = commands(report, self.seeds[0])
        for command in chance.sample(every, 3):
            problem = failure(command, self.cpu_seconds)
            if problem:
                name = self.keep / f"{self.seed}-{number}.db"
                shutil.copy(report, name)
                text = " ".join(str(word) for word in command).replace(str(report), str(name))
                print(f"FAILED {name}: {'; '.join(done)[:600]}\n  prof {text}\n  {problem}\n", flush=True)
                report.unlink()
                return 1
        report.unlink()
        for rest in self.folder.glob(f"damaged{number}.db-*"):
            rest.unlink()
        return 0


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--runs", type=int, default=1 << 40, help="damaged reports; each is read by three commands")
    arguments.add_argument("--seconds", type=float, default=1e9, help="stops after this time")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--cpu-seconds", type=int, default=60, help="a command that takes more has failed")
    arguments.add_argument("--reports", type=Path, nargs="*", default=[], help="more reports to damage")
    arguments.add_argument("--first", type=int, default=0, help="number of the first run")
    arguments.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments.add_argument("--keep", type=Path, default=Path(tempfile.gettempdir()) / "prof-reports-fuzz")
    given = arguments.parse_args()
    given.keep.mkdir(exist_ok=True)
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        fuzzer = Fuzzer(Path(folder), given)
        fuzzer.seeds += given.reports
        failed = done = 0
        numbers = iter(range(given.first, given.first + given.runs))
        waiting = set()
        while True:
            while len(waiting) < 2 * given.jobs and time.monotonic() - start < given.seconds:
                number = next(numbers, None)
                if number is None:
                    break
                waiting.add(pool.submit(fuzzer.run, number))
            if not waiting:
                break
            ended, waiting = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
            done += len(ended)
            failed += sum(future.result() for future in ended)
    print(f"{done} damaged reports, {3 * done} commands, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
