#!/usr/bin/env python3
"""Compares what prof records of a program with what strace sees of it.

Usage: strace_counts.py [--prof PROF]

Runs tests/programs/osrt_every, which calls every traced function and counts, alone under
strace, and under both at once with a threshold of 0. In the run with both, each system call belongs to
the recorded call of its thread that it falls into. Then, for the main thread:
  1. every function was recorded as often as the program says that it called it;
  2. from its first call on, strace saw each system call as often with prof as without, except those of
     prof's library before a program is started;
  3. a function that is a thin layer over one system call made it exactly once a call; all others are
     listed with what they made and why;
  4. no system call is outside of recorded calls, except those of functions that are not traced.
Exits with 1 if one of them does not hold.
"""
import argparse
import json
import re
import sqlite3
import subprocess
import sys
import tempfile
from bisect import bisect_right
from collections import Counter, defaultdict
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
STRACE = ["strace", "-f", "--absolute-timestamps=precision:ns,format:unix", "-o"]

# The first call of osrt_every: before it run the loader, libc and prof's library.
FIRST = "chdir"
# Their number depends on the order of threads, or on existing random names.
CHANCE = {"futex", "sched_yield", "getrandom"}

# Functions that are not traced because they cannot block, by their system calls.
UNTRACED = {
    "getpid": "getpid", "gettid": "gettid", "getpgrp": "getpgrp", "getgid": "getgid", "sigaction": "rt_sigaction",
    "sigprocmask": "rt_sigprocmask", "setitimer": "setitimer", "malloc, free": "brk mmap munmap mprotect madvise",
    "pthread_mutex_unlock, sem_post and similar functions wake waiting threads": "futex", "exit": "exit_group",
    "the program's __nss_configure_lookup reads nsswitch.conf": "openat read newfstatat close",
    "exit gives back what stdin has read too much": "lseek",
}
# System calls of prof's library in the program. Before a program is started, the library checks whether it
# can join the session and, in the first bytes of its file, whether it can be traced. It reads a descriptor of
# the program if the program has one and may hold record locks.
OURS = {"access", "close", "getdents64", "geteuid", "getuid", "newfstatat", "openat", "pread64"}
UNTRACED_CALLS = OURS | {call for calls in UNTRACED.values() for call in calls.split()}

# Why a function does not make exactly one system call for each call.
REASONS = {
    "stdio reads and writes a buffer at a time": """fgets fgets_unlocked fgetc fgetc_unlocked getc getc_unlocked fgetwc
        fgetwc_unlocked getwc getwc_unlocked fgetws fgetws_unlocked fputs fputs_unlocked fputc fputc_unlocked fputwc
        fputwc_unlocked putwc putwc_unlocked fputws fputws_unlocked fread fread_unlocked fwrite fwrite_unlocked
        fflush fflush_unlocked getdelim getline getw putw putc putc_unlocked rewind fcloseall fseek fseeko fseeko64
        dprintf vdprintf perror freopen freopen64 puts printf vprintf fprintf vfprintf ftell scanf fscanf""",
    "readdir reads many entries at a time": "readdir readdir64 readdir_r readdir64_r opendir fdopendir",
    "walks a directory tree": """ftw ftw64 nftw nftw64 glob glob64 scandir scandir64 scandirat scandirat64""",
    "draws random names until one is free": """mkstemp mkstemp64 mkstemps mkstemps64 mkostemp mkostemp64 mkostemps
        mkostemps64 mkdtemp tmpfile tmpfile64""",
    "resolves a path component by component": "realpath canonicalize_file_name",
    "asks for the identity first": "eaccess euidaccess",
    "libc builds it of several system calls": """lchmod popen pclose posix_spawn posix_spawnp system forkpty openpty
        sem_open sem_close tcsetattr pthread_create thrd_create syslog vsyslog pthread_kill
        pthread_sigqueue sigqueue initgroups mq_open mq_close""",
    "a signal handler returns inside of it": "pause sigsuspend",
    "reads the files of NSS, or their cache": """getaddrinfo getnameinfo getgrgid getgrgid_r getgrnam getgrnam_r
        getgrouplist gethostbyaddr gethostbyaddr_r gethostbyname gethostbyname2 gethostbyname_r gethostbyname2_r
        getpwnam getpwnam_r getpwuid getpwuid_r""",
    "aio and getaddrinfo_a work in threads of libc's": """aio_cancel aio_cancel64 aio_fsync aio_fsync64 aio_read
        aio_read64 aio_suspend aio_suspend64 aio_write aio_write64 lio_listio lio_listio64 gai_suspend
        getaddrinfo_a gai_cancel""",
    "asks memory first, the kernel only if it has to wait": """pthread_join thrd_join pthread_tryjoin_np
        pthread_spin_lock pthread_cond_wait pthread_cond_timedwait pthread_cond_clockwait cnd_wait cnd_timedwait
        pthread_cond_signal pthread_cond_broadcast cnd_signal cnd_broadcast pthread_mutex_lock
        pthread_mutex_timedlock pthread_mutex_clocklock mtx_lock mtx_timedlock pthread_rwlock_rdlock
        pthread_rwlock_wrlock pthread_rwlock_timedrdlock pthread_rwlock_timedwrlock pthread_rwlock_clockrdlock
        pthread_rwlock_clockwrlock sem_wait sem_timedwait sem_clockwait flockfile pthread_barrier_wait
        pthread_timedjoin_np pthread_clockjoin_np""",
}
REASON_OF = {name: reason for reason, names in REASONS.items() for name in names.split()}


class SystemCall:
    def __init__(self, thread, time, name):
        self.thread, self.time, self.name = thread, time, name


def read_log(path):
    """System calls in the order in which they started. Times in ns of CLOCK_REALTIME."""
    calls = []
    pattern = re.compile(r"^(\d+)\s+(\d+)\.(\d{9}) (\w+)\(")
    for line in path.read_text(errors="replace").splitlines():
        match = pattern.match(line)
        if match:
            calls.append(SystemCall(int(match[1]), int(match[2]) * 10**9 + int(match[3]), match[4]))
    return calls


def strace(log, command, prefix=()):
    done = subprocess.run([*map(str, [*prefix, *STRACE, log, *command])], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False, timeout=120)
    if done.returncode != 0:
        sys.exit(f"status {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout


def answer_of(output):
    return json.loads(next(line for line in reversed(output.splitlines()) if line.startswith('{"tid"')))


class Recorded:
    """The recorded calls of one thread."""

    def __init__(self, report, thread, since):
        database = sqlite3.connect(f"file:{report}?mode=ro", uri=True)
        began = database.execute("SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME").fetchone()[0]
        self.calls = database.execute(
            """SELECT o.start + ?, o.end + ?, s.value FROM OSRT_API o JOIN StringIds s ON s.id = o.nameId
               WHERE o.globalTid & 0xffffff = ? AND o.start >= ? ORDER BY o.start""",
            (began, began, thread, since - began)).fetchall()
        self.starts = [start for start, _, _ in self.calls]
        self.counts = Counter(name for _, _, name in self.calls)

    def innermost(self, time):
        """Index of the call that `time` falls into, or None."""
        at = bisect_right(self.starts, time) - 1
        for index in range(at, max(at - 8, -1), -1):  # calls nest, but not deep
            if self.calls[index][0] <= time <= self.calls[index][1]:
                return index
        return None


def attribute(recorded, system_calls):
    """({function: [Counter of the system calls of each call]}, Counter of system calls outside). Calls before
    the first recorded call are ignored: they start the loader, libc and prof's library."""
    inside, outside = defaultdict(Counter), Counter()
    for call in system_calls:
        index = recorded.innermost(call.time)
        if index is not None:
            inside[index][call.name] += 1
        elif call.time >= recorded.starts[0]:
            outside[call.name] += 1
    functions = defaultdict(list)
    for index, (_, _, name) in enumerate(recorded.calls):
        functions[name].append(inside.get(index, Counter()))
    return functions, outside


def check_counts(recorded, answer):
    """Check 1."""
    expected = Counter(answer["counts"])
    print(f"1. {len(expected)} functions, called {sum(expected.values())} times by the program's own count, recorded "
          f"{sum(recorded.counts.values())} times")
    return [f"{name}: called {expected[name]} times, recorded {recorded.counts[name]}"
            for name in sorted({*expected, *recorded.counts}) if expected[name] != recorded.counts[name]]


def split_start(calls):
    """(Counter of the system calls before main, Counter of the others)"""
    first = next(index for index, call in enumerate(calls) if call.name == FIRST)
    return Counter(call.name for call in calls[:first]), Counter(call.name for call in calls[first:])


def check_totals(plain, traced):
    """Check 2."""
    (start_alone, alone), (start_both, both) = split_start(plain), split_start(traced)
    ours = start_both - start_alone
    print(f"2. {len(alone)} kinds of system call, {sum(alone.values())} alone and {sum(both.values())} with prof; before "
          f"main our library makes {sum(ours.values())}: " + ", ".join(f"{n} {c}" for n, c in sorted(ours.items())))
    for name in sorted(CHANCE & {*alone}):
        print(f"   {name}: {alone[name]} alone, {both[name]} with prof (chance)")
    more = {name: both[name] - alone[name] for name in sorted(OURS) if both[name] > alone[name]}
    print("   ours, before a program is started: " + ", ".join(f"{name} {count}" for name, count in more.items()))
    return [f"{name}: {alone[name]} system calls alone, {both[name]} with prof"
            for name in sorted({*alone, *both} - CHANCE - {*more}) if alone[name] != both[name]]


def made(calls):
    """The system calls of all calls of a function, as text."""
    total = sum(calls, Counter())
    return ", ".join(f"{name} {count}" for name, count in sorted(total.items())) or "none"


def check_functions(recorded, traced):
    """Checks 3 and 4."""
    functions, outside = attribute(recorded, traced)
    thin = {name: calls for name, calls in functions.items() if all(sum(each.values()) == 1 for each in calls)}
    print(f"3. {len(thin)} functions made one system call for each of their "
          f"{sum(len(calls) for calls in thin.values())} calls:")
    by_call = defaultdict(list)
    for name, calls in thin.items():
        by_call["/".join(sorted({call for each in calls for call in each}))].append(f"{name} {len(calls)}")
    for system_call in sorted(by_call):
        print(f"   {system_call}: {', '.join(sorted(by_call[system_call]))}")
    others = {name: calls for name, calls in functions.items() if name not in thin}
    print(f"   {len(others)} did not:")
    reasons = defaultdict(list)
    for name, calls in others.items():
        reasons[REASON_OF.get(name, "?")].append(f"{name} {len(calls)} ({made(calls)})")
    for reason, names in reasons.items():
        print(f"   {reason}: {'; '.join(sorted(names))}")
    print("4. outside of recorded calls: " + ", ".join(f"{name} {count}" for name, count in sorted(outside.items())))
    for reason, calls in UNTRACED.items():
        print(f"   {calls}: {reason}")
    return ([f"{name}: {made(calls)} system calls in {len(calls)} calls, unexplained"
             for name, calls in others.items() if name not in REASON_OF] +
            [f"{name}: outside of any recorded call" for name in outside if name not in UNTRACED_CALLS])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prof", default=SOURCE / "build/release/bin/prof", type=Path)
    arguments = parser.parse_args()
    prof = arguments.prof.resolve()
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        for run in ("alone", "both"):
            (work / run).mkdir()
        program = prof.parent / "programs" / "osrt_every"
        alone = answer_of(strace(work / "alone.log", [program, work / "alone"]))
        prefix = [prof, "profile", "-t", "osrt", "--osrt-threshold=0", "-o", work / "report.db", "--"]
        both = answer_of(strace(work / "both.log", [program, work / "both"], prefix))
        plain = [call for call in read_log(work / "alone.log") if call.thread == alone["tid"]]
        traced = [call for call in read_log(work / "both.log") if call.thread == both["tid"]]
        recorded = Recorded(work / "report.db", both["tid"], traced[0].time)
    failures = check_counts(recorded, both)
    failures += check_totals(plain, traced)
    failures += check_functions(recorded, traced)
    for failure in failures:
        print(f"MISS: {failure}")
    print(f"{len(failures)} misses")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
