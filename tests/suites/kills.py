#!/usr/bin/env python3
"""Kills prof, its program, the program's children or all of them, and looks at what is left.

Usage: kills.py [--kills 1000] [--calls 300] [--seed N] [--build build/release]

Most kills come at random moments, with SIGKILL, signals that end prof, and signals that do nothing. With strace, prof is also killed at
single system calls, to reach moments that are too short to be met by chance. After each kill:

- Every report is sound.
- The next prof in that folder names every recording there, with the command that makes its report. The command works.
- Nothing else is left beside the output, in the folder of temporary files, or in /dev/shm.
- No recording with events has vanished.

In a third of the sessions a prof of another pid namespace runs in the same folders meanwhile, which sees no process of
the session. It must remove nothing.

Prints the number of kills by outcome, and exits with 1 if something was wrong. The seed gives the same kills again,
though not the same moments of the programs.
"""
import argparse
import collections
import os
import random
import re
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
SIGNALS = [signal.SIGKILL] * 4 + [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGABRT, signal.SIGUSR1,
                                  signal.SIGALRM, signal.SIGRTMIN, signal.SIGXCPU]
LIMIT = 60  # seconds, for whatever prof does
# System calls of prof that change something, or stand between those that do.
CALLS = {"openat", "mkdir", "rmdir", "unlink", "unlinkat", "rename", "renameat2", "flock", "fallocate", "ftruncate",
         "write", "writev", "pwrite64", "chmod", "fchmod", "mknod", "mknodat", "bind", "clone", "clone3", "vfork", "wait4",
         "close", "kill", "newfstatat", "rt_sigprocmask", "exit_group", "munmap", "getdents64", "fcntl", "memfd_create"}
FORKS = "i=0; while [ $i -lt {} ]; do /bin/true; i=$((i+1)); done"


@dataclass
class Scenario:
    """What prof is asked to do. `older`: it has done that here before."""
    name: str
    command: list
    options: list = field(default_factory=list)
    older: bool = False
    output: str = "r.db"
    seconds: float = 0.0  # of a session that nobody disturbs


def scenarios(programs):
    found = [
        Scenario("short", ["/bin/true"]),
        Scenario("forks", ["sh", "-c", FORKS.format(40)]),
        Scenario("side by side", ["sh", "-c", "sleep 0.1 & (sleep 0.15; echo x) & wait"], ["--osrt-file-access=true"]),
        Scenario("overwrites", ["sh", "-c", FORKS.format(5)], ["-f", "true"], older=True),
        Scenario("keeps the output", ["sh", "-c", "echo out; echo err >&2; sleep 0.05"], ["-w", "false"]),
        Scenario("numbered name", ["/bin/true"], output="r%n"),
        Scenario("samples", ["sh", "-c", FORKS.format(10)], ["-s", "process-tree"]),
    ]
    flood, payloads = programs / "nvtx_flood", programs / "nvtx_payloads"
    if flood.exists():
        found.append(Scenario("flood", [str(flood), "60000"]))
    if payloads.exists():
        ranges = ["-c", "nvtx", "-p", "outer of one", "--capture-range-end=repeat"]
        found.append(Scenario("two ranges", [str(payloads)], ranges))
        found.append(Scenario("two ranges again", [str(payloads)], [*ranges, "-f", "true"], older=True))
    return found


def has_events(spool):
    """Independent of prof: does the recording have blocks of records?"""
    data = spool.read_bytes()
    at = 8
    while data[:8] == b"profspl1" and at + 16 <= len(data):
        magic, kind, size = struct.unpack_from("<IIQ", data, at)
        if magic != 0x6B636C62 or at + 16 + size > len(data):
            break
        if kind >= 3:
            return True
        at += 16 + (size + 7) // 8 * 8
    return False


def is_sound(report):
    database = sqlite3.connect(f"file:{report}?mode=ro", uri=True)
    try:
        return (database.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
                and database.execute("SELECT count(*) FROM TARGET_INFO_SESSION_START_TIME").fetchone()[0] == 1)
    except sqlite3.Error:
        return False
    finally:
        database.close()


def processes():
    """{pid: (parent, session)} of all processes."""
    found = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        if fields[0] != "Z":
            found[int(stat.parent.name)] = (int(fields[1]), int(fields[3]))
    return found


def kill_each(pids, how):
    for pid in pids:
        try:
            os.kill(pid, how)
        except ProcessLookupError:
            pass


class Trial:
    """One session that is disturbed, in a separate folder."""

    def __init__(self, prof, scenario, folder):
        self.prof, self.scenario = prof, scenario
        self.out, self.temporary = folder / "out", folder / "tmp"
        self.out.mkdir(parents=True)
        self.temporary.mkdir()
        self.environment = {key: value for key, value in os.environ.items() if key != "XDG_RUNTIME_DIR"}
        self.environment["TMPDIR"] = str(self.temporary)
        self.environment["PATH"] = f"{prof.parent}:{os.environ['PATH']}"
        self.problems = []
        self.status = self.pid = None
        if scenario.older:
            self.finish(self.start())
        self.older, self.begin = self.names(), time.time_ns()

    def check(self, condition, text):
        if not condition:
            self.problems.append(text)

    def start(self, prefix=()):
        with open(self.out.parent / "stderr", "w") as stderr:
            return subprocess.Popen(
                [*prefix, str(self.prof), "profile", "-t", "nvtx,osrt", "--osrt-threshold=0", "-o",
                 self.scenario.output, *self.scenario.options, *self.scenario.command], cwd=self.out, env=self.environment,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr, start_new_session=True)

    def run(self, *words):
        return subprocess.run([str(self.prof), *words], cwd=self.out, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False, timeout=LIMIT)

    def bystander(self):
        subprocess.run(["unshare", "-Urpfm", "--mount-proc", str(self.prof), "stats", "no.db"], cwd=self.out,
                       env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False, timeout=LIMIT)

    def finish(self, process):
        """Waits for prof, and ends what has outlived it."""
        try:
            process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            self.problems.append("prof hangs")
            process.kill()
            process.wait()
        self.status, self.pid = process.returncode, process.pid
        for _ in range(200):
            left = [pid for pid, (_, session) in processes().items() if session == process.pid]
            if not left:
                return
            kill_each(left, signal.SIGKILL)
            time.sleep(0.02)
        self.problems.append(f"processes {left} do not end")

    def names(self):
        return sorted(path.name for path in self.out.iterdir())

    def next_prof(self, choice):
        """Runs some verb of prof in the folder. Returns what it says."""
        if choice == 0:
            done = self.run("profile", "-t", "osrt", "-o", "next.db", "/bin/true")
            self.check(done.returncode == 0 and (self.out / "next.db").exists(), f"the next prof fails: {done.stderr}")
        elif choice == 1:
            done = self.run("stats", "no.db")
        elif choice == 2:
            (self.out / "no.db.spool").write_bytes(b"profspl1")
            done = self.run("recover", "no.db.spool")
            self.check(done.returncode == 0, f"the next prof fails: {done.stderr}")
            (self.out / "no.db").unlink(missing_ok=True)
        else:
            done = self.run("export", "--json", "no.db")
        return done.stderr

    def is_without_range(self, name):
        """The program never entered the capture range, so the recording makes no report."""
        return "never entered the capture range" in self.run("recover", str(self.out.parent / name)).stderr

    def examine(self, choice):
        """Looks at what is left. Returns the outcome."""
        said = (self.out.parent / "stderr").read_text()
        before = self.names()
        lost = [name for name in before if name.endswith(".spool") and has_events(self.out / name)]
        written = any(name.endswith(".db") and (self.out / name).stat().st_mtime_ns > self.begin for name in before)
        for name in lost:
            shutil.copy(self.out / name, self.out.parent / name)
        heard = self.next_prof(choice)
        commands = re.findall(r"^prof: .*To make the report: (prof recover .*)$", heard, re.M)
        left = [name for name in self.names() if not name.endswith(".db")]
        self.check(all(name.endswith(".spool") for name in left), f"left: {left}")
        self.check(len(commands) == len(left), f"{left} but only these commands: {commands}; {heard}")
        self.check(written or all(name in left or self.is_without_range(name) for name in lost),
                   f"{lost} vanished, now {self.names()}")
        self.check("deleted" not in said, f"something was deleted: {said}")
        speaks = self.status != -signal.SIGKILL
        self.check(not speaks or all(f" {name}" in said for name in left), f"{left} unnamed by prof: {said!r}")
        for command in commands:
            done = subprocess.run(command, shell=True, cwd=self.out, env=self.environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False,
                                  timeout=LIMIT)
            made = done.stderr.count("Generated") > 0 or "never entered the capture range" in done.stderr
            self.check(done.returncode == 0 and made, f"{command}: {done.stderr}")
        after = self.names()
        self.check(all(name.endswith(".db") for name in after), f"left at last: {after}")
        for name in after:
            self.check(is_sound(self.out / name), f"{name} is damaged")
        self.check(not list(self.temporary.iterdir()), f"left in TMPDIR: {list(self.temporary.iterdir())}")
        self.check(not list(Path("/tmp").glob(f"prof-{self.pid}-*")), "left in /tmp")
        if left:
            return "named by prof itself, recovered" if "prof recover" in said else "named by the next prof, recovered"
        if written:
            return "report written, recording removed by the next prof" if lost else "report written"
        return "nothing recorded, removed by the next prof" if before != self.older else "nothing left"


def victims(process, whom):
    if whom == "prof":
        return [process.pid]
    table = processes()
    if whom == "all":
        return [pid for pid, (_, session) in table.items() if session == process.pid]
    targets = [pid for pid, (parent, _) in table.items() if parent == process.pid]
    if whom == "program":
        return targets
    return [pid for pid, (parent, session) in table.items()
            if session == process.pid and pid != process.pid and pid not in targets and parent != process.pid]


def disturb(prof, scenario, folder, rng):
    """Kills at a random moment. Returns (kind, outcome, problems)."""
    whom = rng.choice(["prof", "prof", "prof", "program", "children", "all"])
    how = rng.choice(SIGNALS)
    moment = rng.uniform(0, 1.1) * scenario.seconds
    choice = rng.randrange(4)
    has_bystander = rng.random() < 1 / 3
    trial = Trial(prof, scenario, folder)
    process = trial.start()
    if has_bystander:
        trial.bystander()
    time.sleep(moment)
    kill_each(victims(process, whom) if process.poll() is None else [], how)
    trial.finish(process)
    outcome = trial.examine(choice)
    return f"{how.name} to {whom}, {scenario.name}, after {moment * 1000:.1f} ms", whom, outcome, trial.problems


def calls_of(prof, scenario, folder):
    """{system call: how often prof makes it in this session}; empty: strace does not work here."""
    trial = Trial(prof, scenario, folder)
    log = folder / "strace"
    process = trial.start(["strace", "-qq", "-c", "-U", "calls,name", "-o", str(log)])
    trial.finish(process)
    lines = log.read_text().splitlines() if log.exists() else []
    return {words[1]: int(words[0]) for line in lines if len(words := line.split()) == 2 and words[0].isdigit()
            and words[1] != "total"}


def disturb_at_call(prof, scenario, folder, rng, counts):
    """Kills prof at a system call."""
    name = rng.choice(sorted(set(counts) & CALLS))
    number = rng.choice([rng.randint(1, counts[name]), max(1, counts[name] - rng.randrange(3))])
    how = rng.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
    trial = Trial(prof, scenario, folder)
    choice = rng.randrange(4)
    process = trial.start(["strace", "-qq", "-o", "/dev/null", "-e", f"trace={name}", "-e",
                           f"inject={name}:signal={how.name}:when={number}"])
    trial.finish(process)
    outcome = trial.examine(choice)
    return f"{how.name} to prof, {scenario.name}, at {name} number {number}", "prof at a call", outcome, trial.problems


def measure(prof, every, work):
    for index, scenario in enumerate(every):
        times = []
        for turn in range(2):
            trial = Trial(prof, scenario, work / f"alone{index}.{turn}")
            begin = time.monotonic()
            trial.finish(trial.start())
            times.append(time.monotonic() - begin)
            outcome = trial.examine(0)
            if trial.problems or outcome != "report written":
                sys.exit(f"{scenario.name} fails undisturbed: {outcome} {trial.problems} "
                         f"{(trial.out.parent / 'stderr').read_text()}")
        scenario.seconds = min(times)


def run_all(arguments, work):
    every = scenarios(arguments.build / "bin" / "programs")
    prof = arguments.build / "bin" / "prof"
    measure(prof, every, work)
    counts = {}
    if arguments.calls and shutil.which("strace"):
        counts = {s.name: calls_of(prof, s, work / f"calls {s.name}") for s in every}
    tasks = [("moment", number) for number in range(arguments.kills)]
    if all(counts.values()):
        tasks += [("call", number) for number in range(arguments.calls if counts else 0)]

    def one(task):
        kind, number = task
        rng = random.Random(f"{arguments.seed} {kind} {number}")
        scenario = rng.choice(every)
        folder = work / f"{kind}{number}"
        result = (disturb(prof, scenario, folder, rng) if kind == "moment"
                  else disturb_at_call(prof, scenario, folder, rng, counts[scenario.name]))
        if not result[-1]:
            shutil.rmtree(folder)
        return result + (folder,)

    with ThreadPoolExecutor(arguments.jobs) as pool:
        yield from pool.map(one, tasks)


def shared_memory():
    # This suite makes no flight recordings; other tests beside it may.
    return {name for name in os.listdir("/dev/shm") if "prof" in name and not name.startswith("prof-flight-")} \
        if os.path.isdir("/dev/shm") else set()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=SOURCE / "build/release")
    parser.add_argument("--kills", type=int, default=1000, help="at random moments")
    parser.add_argument("--calls", type=int, default=300, help="of prof at system calls, with strace")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--work", type=Path, help="keep the folders of kills with a problem here")
    arguments = parser.parse_args()
    arguments.build = arguments.build.resolve()
    print(f"seed {arguments.seed}", flush=True)
    before = shared_memory()
    outcomes, wrong = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as temporary:
        for what, whom, outcome, problems, folder in run_all(arguments, arguments.work or Path(temporary)):
            outcomes[whom, outcome] += 1
            wrong += bool(problems)
            for problem in problems:
                print(f"WRONG: {what} ({folder.name}): {problem}", flush=True)
    for (whom, outcome), count in sorted(outcomes.items()):
        print(f"{count:6} {whom:<15} {outcome}")
    left = shared_memory() - before
    if left:
        print(f"WRONG: left in /dev/shm: {left}")
    print(f"{sum(outcomes.values())} kills, {wrong} with a problem")
    return 1 if wrong or left else 0


if __name__ == "__main__":
    sys.exit(main())
