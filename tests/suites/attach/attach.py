#!/usr/bin/env python3
"""Attaches to servers under load many times in a row, and compares them with what they were before.

Usage: attach.py [--build build/release] [--times 50] [--only NAME...] [--pythons PYTHON...] [--tools] [--work FOLDER]

The servers: C++ with 64 threads, CPython with numpy and pandas, Go with a C library, Java, nginx, PostgreSQL. Each is
attached to N times, with changing options, while clients ask and check every answer. After each detach:

- mappings of files, descriptors, threads, blocked and handled signals, environment and folder are as before,
- no variable of a file leads to prof's library, and nothing of prof's but that library is there,
- the report is sound and has events.

At the end code and protected tables have the same bytes as before, memory has not grown with each attach, no child
process waits for a lock that it has inherited, all answers were right, and the server ends as it does without prof. A server that cannot be had here is named.

Prints how long a thread was stopped, and the longest answer that a client saw in the time of an attach, beside those in
times of the same length without prof. --tools compares with other tools (tools.py) instead.
Exits with 1 if something was wrong.
"""
import argparse
import collections
import contextlib
import os
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import servers
import state
import tools

SOURCE = Path(__file__).resolve().parents[3]
LIMIT = 120  # seconds, for one prof attach
# In turn. The times are long enough for some requests.
OPTIONS = [["-d", "0.3"], ["-d", "0.1", "-t", "nvtx,osrt", "--osrt-threshold=0", "--sample=none", "--cpuctxsw=none"],
           ["-d", "0.3", "--python-sampling=true"], ["-d", "0.02", "--sample=none"]]
STOPPED = re.compile(r"was stopped for more than ([\d.]+) ms")
PATIENCE = 5  # seconds, until what the program does itself looks as before
FEWEST_LOOKS = 10
FUTEX = 202


def table(rows):
    widths = [max(len(str(row[i])) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(str(word).ljust(width) if i == 0 else str(word).rjust(width)
                        for i, (word, width) in enumerate(zip(row, widths))), flush=True)


def spread(values):
    return f"{statistics.median(values):.2f} / {max(values):.2f}" if values else "-"


def is_sound(report):
    with contextlib.closing(sqlite3.connect(f"file:{report}?mode=ro", uri=True)) as database:
        return database.execute("PRAGMA integrity_check").fetchone()[0] == "ok"


def events_in(report):
    with contextlib.closing(sqlite3.connect(f"file:{report}?mode=ro", uri=True)) as database:
        found = 0
        for name in ("OSRT_API", "NVTX_EVENTS", "COMPOSITE_EVENTS"):
            with contextlib.suppress(sqlite3.OperationalError):
                found += database.execute(f"SELECT count(*) FROM {name}").fetchone()[0]
        return found


class Trial:
    def __init__(self, server, prof, folder, times):
        self.server, self.prof, self.folder, self.times = server, prof, folder, times
        self.reports = folder / f"reports-{os.getpid()}"
        self.problems, self.stops_in, self.stops_out = [], [], []
        self.with_prof, self.without, self.seconds, self.growth = [], [], [], []
        self.said_others = set()

    def complain(self, text):
        self.problems.append(text)
        print(f"WRONG: {self.server.name}: {text[:2000]}", flush=True)

    def command(self, number):
        return [str(self.prof), "attach", str(self.server.pid), "-f", "true", "-o", str(self.reports / "r.db"),
                *OPTIONS[number % len(OPTIONS)]]

    def attach(self, number):
        environment = {**os.environ, "XDG_RUNTIME_DIR": str(self.reports), "TMPDIR": str(self.reports)}
        begin = time.monotonic()
        try:
            done = subprocess.run(self.command(number), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  timeout=LIMIT, check=False, env=environment, cwd=self.reports, user=self.server.user,
                                  group=self.server.user, extra_groups=[] if self.server.user else None)
        except subprocess.TimeoutExpired as over:
            return self.complain(f"attach {number} hangs: {(over.output or b'').decode()}")
        self.seconds.append(time.monotonic() - begin)
        stops = [float(each) for each in STOPPED.findall(done.stdout)]
        if done.returncode != 0 or len(stops) != 2:
            return self.complain(f"attach {number}: status {done.returncode}: {done.stdout}")
        self.stops_in.append(stops[0])
        self.stops_out.append(stops[1])
        for line in done.stdout.splitlines():
            if "attached to" not in line and "etached" not in line and "Generated" not in line:
                self.said_others.add(re.sub(r"\b\d+\b", "N", line))
        report = self.reports / "r.db"
        if not is_sound(report):
            self.complain(f"attach {number}: the report is damaged")
        if number % len(OPTIONS) == 1 and events_in(report) == 0:
            self.complain(f"attach {number}: no event")
        return None

    def states(self):
        found = {}
        for pid in state.tree(self.server.pid):
            with contextlib.suppress(OSError):
                found[pid] = state.state_of(pid)
        return found

    def steady_states(self):
        """Without what comes and goes. A server may block signals whenever it does not wait."""
        found = self.states()
        self.seen_threads = collections.defaultdict(set)
        for _ in range(40):
            time.sleep(0.05)
            now = self.states()
            for pid, each in now.items():
                for number, thread in each.threads.items():
                    self.seen_threads[pid, number].add(thread)
            for pid, each in found.items():
                if pid in now:
                    each.descriptors = dict(each.descriptors.items() & now[pid].descriptors.items())
                    each.files = sorted(set(each.files) & set(now[pid].files))
        return found

    def differences(self, before):
        """Of processes that were there before; those that came later only must not lead to prof."""
        found = []
        for pid, now in self.states().items():
            old = before.get(pid)
            if now.pointers:
                found.append(f"process {pid}: {now.pointers} pointers lead to prof")
            strange = [name for name, _ in now.threads.values() if name.startswith("prof-")]
            if strange:
                found.append(f"process {pid} has threads {strange}")
            if old is None:
                continue
            for number, thread in now.threads.items():
                if thread in self.seen_threads[pid, number]:
                    old.threads[number] = thread
            if self.server.threads_vary:
                both = old.threads.keys() & now.threads.keys()
                old.threads = {number: old.threads[number] for number in both}
                now.threads = {number: now.threads[number] for number in both}
            if self.server.files_vary:
                # The work folder, in which the server's files are, has prof in its name too.
                paths = [path.removeprefix(str(self.folder)) for path in now.descriptors.values()]
                strange = [path for path in paths if "prof" in path or "perf_event" in path]
                found += [f"process {pid} has {strange}"] if strange else []
                now.descriptors = old.descriptors
            if not old.ours:
                old.ours = now.ours  # the first attach loads it
            found += [f"process {pid}: {each}" for each in state.differences(old, now)]
        return found

    def settle(self, before, what):
        """What the program itself opens and closes is not different for long."""
        deadline = time.monotonic() + PATIENCE
        found, looks = self.differences(before), 1
        while found and (time.monotonic() < deadline or looks < FEWEST_LOOKS):
            time.sleep(0.1)
            found = sorted(set(found) & set(self.differences(before)))
            looks += 1
        for each in found:
            self.complain(f"{what}: {each}")
        return not found

    def anonymous(self, before):
        found = [each for pid, each in self.states().items() if pid in before]
        return sum(each.anonymous for each in found), sum(each.anonymous_bytes for each in found)

    def stuck(self, before):
        """Processes that came later and wait for a lock which they have inherited."""
        waits = {}
        for _ in range(20):
            time.sleep(0.2)
            now = {}
            for pid in set(state.tree(self.server.pid)) - before.keys():
                with contextlib.suppress(OSError):
                    call = Path(f"/proc/{pid}/syscall").read_text()
                    if call.startswith(f"{FUTEX} "):
                        now[pid] = call
            waits = now if not waits else dict(waits.items() & now.items())
            if not waits:
                break
        return waits

    def run(self):
        self.reports.mkdir()
        if self.server.user:
            shutil.chown(self.reports, self.server.user)
        self.server.start(self.folder)
        time.sleep(3)
        before = self.steady_states()
        code = {}
        for pid in before:
            with contextlib.suppress(OSError):
                code[pid] = state.code_of(pid)
        for _ in range(10):
            self.server.client.since()
            time.sleep(1)
            self.without.append(self.server.client.since())
        for number in range(self.times):
            self.server.client.since()
            self.attach(number)
            self.with_prof.append(self.server.client.since())
            if not self.settle(before, f"after attach {number}"):
                break
            self.growth.append(self.anonymous(before))
            if len(self.problems) > 5:
                break
        for pid, old in code.items():
            with contextlib.suppress(OSError):
                now = state.code_of(pid)
                changed = [place for place in old if now.get(place) not in (None, old[place])]
                if changed:
                    self.complain(f"process {pid}: other bytes in {changed}")
        for pid, call in self.stuck(before).items():
            self.complain(f"process {pid} never ends its wait: {call}")
        mappings = [count for count, _ in self.growth]
        if len(mappings) > 10 and mappings[-1] - mappings[1] > self.times // 2:
            self.complain(f"mappings grow with each attach: {mappings}")
        for problem in self.server.problems_at_end():
            self.complain(f"at the end: {problem}")
        return self.problems

    def row(self):
        rate = statistics.median(count for count, *_ in self.without) if self.without else 0
        kilobytes = [size >> 10 for _, size in self.growth]
        counts = [count for count, _ in self.growth]
        return [self.server.name, len(self.stops_in), spread(self.stops_in), spread(self.stops_out),
                spread([longest for *_, longest in self.without]), spread([longest for *_, longest in self.with_prof]),
                f"{rate:.0f}", f"{statistics.median(self.seconds) if self.seconds else 0:.1f}",
                f"{counts[1]} -> {counts[-1]}" if len(counts) > 1 else "-",
                f"{kilobytes[1]} -> {kilobytes[-1]}" if len(kilobytes) > 1 else "-", len(self.problems)]


HEADER = ["server", "attached", "stop at attach", "at detach", "longest answer alone", "with attach", "requests/s",
          "s each", "anonymous mappings", "their KiB", "wrong"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=SOURCE / "build/release")
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--only", nargs="*", default=[], help="servers whose names begin so")
    parser.add_argument("--pythons", nargs="*", default=["/usr/bin/python3"])
    parser.add_argument("--tools", action="store_true")
    parser.add_argument("--work", type=Path, help="keep programs and packages that are made here")
    arguments = parser.parse_args()
    prof = arguments.build.resolve() / "bin" / "prof"
    rows, wrong = [HEADER], 0
    with tempfile.TemporaryDirectory(prefix="prof-s-", dir="/tmp") as temporary:
        folder = (arguments.work or Path(temporary)).resolve()
        folder.mkdir(exist_ok=True)
        servers.build_cpp("client")(folder)
        if arguments.tools:
            tables, wrong = tools.compare(prof, folder, arguments.pythons[0], arguments.times)
            for rows in tables:
                table(rows)
            return 1 if wrong else 0
        for server in servers.all_servers(arguments.pythons):
            if arguments.only and not server.name.startswith(tuple(arguments.only)):
                continue
            trial = Trial(server, prof, folder, arguments.times)
            try:
                wrong += bool(trial.run())
                rows.append(trial.row())
                table(rows[:1] + rows[-1:])
                for line in sorted(trial.said_others):
                    print(f"{server.name}: {line}", flush=True)
            except servers.Unavailable as reason:
                print(f"{server.name}: not tested: {reason}", flush=True)
            finally:
                server.kill()
                shutil.rmtree(trial.reports, ignore_errors=True)
    print("\nTimes in ms: median / longest")
    table(rows)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
