#!/usr/bin/env python3
"""Prints what a flight recorder costs a server with load, and how much memory and disk it takes in a compressed hour.

Usage: flight_recorder.py BUILD_DIRECTORY [--rounds N] [--milliseconds N] [--hour SECONDS]

The cost: windows of a second, in turn of a server without prof, of one under prof profile --flight-recorder, and of
the first one while prof attach --flight-recorder records it. Each window is compared with the one without prof of the
same round. CPU time for each request is the figure to look at on a busy machine.

The hour: a server that makes as many requests as it can for --hour seconds, with a trigger that fires at every
request. Memory of the collector, and of /dev/shm and the reports.
"""
import argparse
import os
import re
import signal
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

TRACE = ["-t", "nvtx,osrt"]
LEAN = ["--sample=none", "--cpuctxsw=none"]


class Server:
    """Of 4 threads, each with a pause after a request."""

    def __init__(self, command, **options):
        self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, **options)
        assert self.process.stdout.readline() == "ready\n"

    def window(self, milliseconds):
        """(requests, ns of CPU time for each, median, 99th percentile, longest)"""
        self.begin(milliseconds)
        return self.result()

    def begin(self, milliseconds):
        self.process.stdin.write(f"{milliseconds}\n")
        self.process.stdin.flush()

    def result(self):
        return [float(word) for word in self.process.stdout.readline().split()]

    def end(self):
        return self.process.communicate(timeout=300)[1]


class Bench:
    def __init__(self, build, folder):
        self.prof, self.server = build / "bin" / "prof", build / "bin" / "bench" / "bench_server"
        self.folder = folder
        self.environment = {**os.environ, "XDG_RUNTIME_DIR": str(folder)}

    def recorded(self, name, words, *options):
        return Server([self.prof, "profile", *TRACE, *options, "-f", "true", "-o", self.folder / name, self.server,
                       *words], env=self.environment)

    def attach(self, server):
        prof = subprocess.Popen([self.prof, "attach", str(server.process.pid), *TRACE, "--flight-recorder=10s", "-f",
                                 "true", "-o", str(self.folder / "a")], env=self.environment, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True)
        for line in prof.stderr:
            if line.startswith("prof: attached"):
                return prof
        raise SystemExit("prof attach failed")

    def cost(self, rounds, milliseconds, words, what):
        alone = Server([self.server, *words])
        kinds = {"prof profile": self.recorded("p", words, "--flight-recorder=10s"),
                 "prof profile, no samples": self.recorded("l", words, "--flight-recorder=10s", *LEAN)}
        ratios = {name: [] for name in [*kinds, "prof attach", "without prof, again"]}
        plain = []
        for _ in range(rounds):
            first = alone.window(milliseconds)
            plain.append(first)
            windows = {name: server.window(milliseconds) for name, server in kinds.items()}
            windows["without prof, again"] = alone.window(milliseconds)
            prof = self.attach(alone)
            windows["prof attach"] = alone.window(milliseconds)
            prof.send_signal(signal.SIGINT)
            prof.wait(120)
            for name, window in windows.items():
                ratios[name].append([window[1] / first[1], window[2] / first[2], window[0] / first[0]])
        for server in [alone, *kinds.values()]:
            server.end()
        middle = [statistics.median(each[i] for each in plain) for i in range(5)]
        print(f"{what}: {middle[0] * 1000 / milliseconds:.0f} requests/s, {middle[1] / 1000:.1f} us of CPU time each, median "
              f"{middle[2] / 1000:.1f} us ({rounds} rounds of {milliseconds} ms)")
        for name, values in ratios.items():
            cpu, latency, rate = ([each[i] for each in values] for i in range(3))
            print(f"  {name:<26} CPU time x{statistics.median(cpu):.4f} ({quartiles(cpu)}), median time "
                  f"x{statistics.median(latency):.4f}, rate x{statistics.median(rate):.4f}")

    def hour(self, seconds):
        """With the smallest requests, all the time."""
        words = ["2", "100", "0"]
        server = self.recorded("h", words, "--flight-recorder=5s,64MB", "--trigger", "range:request:>1us",
                               "--trigger-limit=10", "--osrt-threshold=0", *LEAN)
        prof, sizes, requests = server.process.pid, [], 0
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            server.begin(1000)
            while not sizes or time.monotonic() - sizes[-1][0] > 0.25:
                sizes.append((time.monotonic(), *self.sizes(prof)))
            requests += server.result()[0]
        said = server.end()
        reports = sorted(self.folder.glob("h*.db"))
        print(f"{requests / 1e6:.1f} M requests, {3 * requests / 1e6:.0f} M events, in {seconds} s, as many as of an hour "
              f"with {requests / 3600:.0f} requests a second; 5 s and 64 MB are kept")
        half = len(sizes) // 2
        for i, name in enumerate(["memory of prof and report writers (anonymous)", "files in /dev/shm",
                                  "shared memory in prof (event buffer, files)", "reports on the disk"], 1):
            first = max(size[i] for size in sizes[:half])
            second = max(size[i] for size in sizes[half:])
            print(f"  {name:<46} most in the first half {first >> 20} MiB, in the second {second >> 20} MiB")
        dropped = re.findall(r"(\d+) events were dropped", said)
        print(f"  {len(reports)} reports; events dropped: {dropped[0] if dropped else 0}")

    def sizes(self, prof):
        own = shared = 0
        for pid in [prof, *Path(f"/proc/{prof}/task/{prof}/children").read_text().split()]:
            try:
                is_prof = os.path.samefile(f"/proc/{pid}/exe", self.prof)
                status = Path(f"/proc/{pid}/status").read_text()
            except OSError:
                continue
            if is_prof and "RssAnon" in status:
                own += int(re.search(r"RssAnon:\s+(\d+)", status)[1]) << 10
                shared = max(shared, int(re.search(r"RssShmem:\s+(\d+)", status)[1]) << 10)
        folders = Path("/dev/shm").glob(f"prof-flight-{os.geteuid()}-{prof}-*")
        kept = sum(size_of(path) for folder in folders for path in folder.iterdir())
        return own, kept, shared, sum(size_of(path) for path in self.folder.glob("h*.db"))


def size_of(path):
    try:
        return path.lstat().st_size
    except FileNotFoundError:
        return 0


def quartiles(values):
    if len(values) < 2:
        return f"{values[0]:.4f}"
    low, _, high = statistics.quantiles(values, n=4)
    return f"quartiles {low:.4f} to {high:.4f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--milliseconds", type=int, default=1000, help="of a window")
    parser.add_argument("--hour", type=int, default=60, help="seconds of the compressed hour")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="prof-b-", dir="/tmp") as folder:
        bench = Bench(chosen.build.resolve(), Path(folder))
        bench.cost(chosen.rounds, chosen.milliseconds, ["4", "100000", "1000"], "a server with requests of 0.2 ms")
        bench.cost(chosen.rounds, chosen.milliseconds, ["4", "2000000", "10000"], "a server with requests of 4 ms")
        bench.hour(chosen.hour)


if __name__ == "__main__":
    main()
