#!/usr/bin/env python3
"""Prints how much slower event loops, loops of small forks, gunicorn and multiprocessing are under prof.

Usage: event_loops.py BUILD_DIRECTORY [--rounds N] [--python VENV/bin/python] [--instructions] [--apart] [PROGRAM...]

The packages of loops/requirements.txt are installed into build/loops-venv, unless another Python is named.
Each round runs every program in each variant, and each round begins with another variant. Ratios are to the
untraced program: its own wall time and processor time, as the median of the rounds' ratios and the ratio of
the fastest runs. "collector" is the processor time of prof while the program ran. --instructions counts with
callgrind what the injection library executes for each call that it wraps (wants valgrind). --apart runs
the program on the last CPU and prof on the others: where the scheduler puts a fork child changes a loop of small
forks by 25 %, and it puts them elsewhere while another program, such as prof, runs too.
"""
import argparse
import os
import shutil
import signal
import socket
import statistics
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
LOOPS = HERE / "loops"
OSRT = ["-t", "nvtx,osrt"]
NOTHING = "--osrt-threshold=10000000000"
OFF = ["--sample=none", "--cpuctxsw=none", "--python-sampling=false"]
VARIANTS = {
    "untraced": None,
    "nothing": [*OSRT, NOTHING, *OFF],
    "calls": [*OSRT, *OFF],
    "default": OSRT,
    "all": ["-s", "process-tree", "--cpuctxsw=process-tree", "--python-sampling=true", "-t", "python-gil,osrt,nvtx"],
}
QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def run_command(launch, words, _directory):
    subprocess.run(launch(words), check=True, **QUIET)


def run_gunicorn(launch, words, directory):
    """Returns the seconds of the requests. The client is not traced."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    pid_file = directory / "pid"
    server = subprocess.Popen(launch([*words, "--bind", f"127.0.0.1:{port}", "--pid", str(pid_file)]), **QUIET)
    address = f"http://127.0.0.1:{port}/"
    deadline = time.monotonic() + 60
    while True:
        try:
            urllib.request.urlopen(address, timeout=20).read()
            break
        except OSError:
            if server.poll() is not None or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
    began = time.monotonic()
    for _ in range(500):
        urllib.request.urlopen(address, timeout=20).read()
    ended = time.monotonic()
    os.kill(int(pid_file.read_text()), signal.SIGTERM)
    server.wait(60)
    return ended - began


def programs(python):
    """{name: (title, how to run it, command)}"""
    echo = {f"{kind}{'2' if apart else ''}": (
        f"{kind}: 10,000 echoes over loopback{', the client is a child process' if apart else ''}", run_command,
        [python, LOOPS / "echo.py", kind, 10000, *(["apart"] if apart else [])])
        for kind in ("uvloop", "gevent", "trio") for apart in (False, True)}
    loop = "for ((i = 0; i < {}; i++)); do {}; done"
    return {
        **echo,
        "bash": ("bash: 400 subshells", run_command, ["bash", "-c", loop.format(400, "(:)")]),
        "zsh": ("zsh: 400 subshells", run_command, ["zsh", "-fc", loop.format(400, "(:)")]),
        "bash_true": ("bash: 200 times /bin/true", run_command, ["bash", "-c", loop.format(200, "/bin/true")]),
        "pool": ("multiprocessing: three pools, 6,000 tasks", run_command, [python, LOOPS / "pool.py", 6000]),
        "gunicorn": ("gunicorn: 500 requests", run_gunicorn,
                     [python, "-m", "gunicorn", "--workers", 2, "--chdir", LOOPS, "web:application"]),
    }


class Bench:
    def __init__(self, build, apart=False):
        self.prof, self.timed = build / "bin/prof", build / "bin/bench/timed"
        last = os.cpu_count() - 1
        self.on_last = ["taskset", "-c", last] if apart and last > 0 else []
        self.on_others = ["taskset", "-c", f"0-{last - 1}"] if self.on_last else []

    def traced(self, options, report):
        if options is None:
            return []
        return [*self.on_others, self.prof, "profile", *options, "-f", "true", "-o", report, "--"]

    def run(self, program, options):
        _title, how, words = program
        with tempfile.TemporaryDirectory() as name:
            directory = Path(name)
            times = directory / "times"

            def launch(command):
                return list(map(str, [*self.traced(options, directory / "report.db"), *self.on_last, self.timed,
                                      times, 1, *command]))

            wall = how(launch, words, directory)
            began, ended, user, system, collector = map(float, times.read_text().split())
        return {"wall": wall or ended - began, "cpu": user + system, "collector": collector}

    def measure(self, program, rounds):
        """{variant: [figures of each round]}"""
        names = list(VARIANTS)
        self.run(program, None)  # caches
        results = {name: [] for name in names}
        for i in range(rounds):
            for name in names[i % len(names):] + names[:i % len(names)]:
                results[name].append(self.run(program, VARIANTS[name]))
        return results

    def instructions(self, program, options):
        """What Counts has, of one run."""
        _title, _how, words = program
        with tempfile.TemporaryDirectory() as name:
            directory = Path(name)
            out = directory / "callgrind"
            command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *words]
            subprocess.run(list(map(str, [*self.traced(options, directory / "report.db"), *command])), check=True, **QUIET)
            return Counts(out)


class Counts:
    """Calls into libprof_inject.so, its instructions without those of the functions that it calls, and all."""

    def __init__(self, file):
        self.calls = self.own = self.all = 0
        ours = to_ours = inclusive = False
        names = {}
        for line in file.read_text().splitlines():
            key, _, rest = line.partition("=")
            if key in ("ob", "cob"):
                number, _, name = rest.partition(" ")
                is_ours = names.setdefault(number, name.endswith("libprof_inject.so"))
                ours, to_ours = (is_ours, is_ours) if key == "ob" else (ours, is_ours)
            elif key == "calls":
                self.calls += int(rest.split()[0]) if to_ours and not ours else 0
                to_ours, inclusive = ours, True
            elif line[:1].isdigit() or line[:1] in ("+", "-", "*"):
                words = line.split()
                if not inclusive and len(words) > 1:
                    self.own += int(words[1]) if ours else 0
                    self.all += int(words[1])
                inclusive = False


def print_ratios(title, results):
    alone = statistics.median(r["wall"] for r in results["untraced"])
    for variant in list(VARIANTS)[1:]:
        columns = []
        for figure in ("wall", "cpu"):
            pairs = zip(results[variant], results["untraced"])
            columns.append(statistics.median(r[figure] / plain[figure] for r, plain in pairs))
            columns.append(min(r[figure] for r in results[variant]) / min(r[figure] for r in results["untraced"]))
        collector = statistics.median(r["collector"] for r in results[variant])
        print(f"  {title:<66} {variant:<8} {alone * 1000:>8.0f} " + " ".join(f"{each:>7.3f}" for each in columns) +
              f" {collector * 1000:>9.1f}", flush=True)


def virtual_environment(folder):
    python, wanted = folder / "bin/python", LOOPS / "requirements.txt"
    installed = folder / "requirements.txt"
    if not installed.exists() or installed.read_text() != wanted.read_text():
        subprocess.run(["/usr/bin/python3", "-m", "venv", "--clear", folder], check=True)
        subprocess.run([folder / "bin/pip", "install", "-q", "--disable-pip-version-check", "-r", wanted], check=True)
        shutil.copy(wanted, installed)
    return python


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=lambda path: Path(path).resolve())
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--python", type=lambda path: Path(path).absolute())
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("--apart", action="store_true")
    parser.add_argument("programs", nargs="*")
    options = parser.parse_intermixed_args()
    python = options.python or virtual_environment(HERE.parents[1] / "build/loops-venv")
    bench, known = Bench(options.build, options.apart), programs(python)
    chosen = options.programs or list(known)
    print(f"Event loops: {options.rounds} rounds; ratios to untraced (median of the rounds, and of the fastest runs), "
          "and the collector's time in ms")
    print(f"  {'':<66} {'variant':<8} {'ms alone':>8} {'wall':>7} {'fastest':>7} {'cpu':>7} {'lowest':>7} "
          f"{'collector':>9}")
    for name in chosen:
        title, _how, words = known[name]
        if shutil.which(str(words[0])) is None:
            print(f"  {title}: not here: {words[0]}")
            continue
        print_ratios(title, bench.measure(known[name], options.rounds))
    if options.instructions:
        print("Instructions of the injection library: for each call into it, and as a part of all")
        for name in [each for each in chosen if known[each][1] is run_command and python in known[each][2]]:
            for what in ("nothing", "calls", "default"):
                counts = bench.instructions(known[name], VARIANTS[what])
                print(f"  {known[name][0]:<66} {what:<8} {counts.own / counts.calls:>8.1f} "
                      f"{100 * counts.own / counts.all:>7.2f} %", flush=True)


if __name__ == "__main__":
    main()
