"""Runs prof and reads its reports. All integration tests use this module."""
import gzip
import json
import os
import re
import sqlite3
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

BUILD = Path(os.environ.get("PROF_BUILD", "build/release")).resolve()
SOURCE = Path(os.environ.get("PROF_SOURCE", ".")).resolve()
PROF = BUILD / "bin" / "prof"
PROGRAMS = BUILD / "bin" / "programs"
# A report of nsys with the output of nsys stats for it, and an optional folder with more of them.
TRUTH = SOURCE / "tests" / "integration" / "nsys_truth"
MORE_TRUTH = Path(os.environ.get("PROF_NSYS_TRUTH", SOURCE.parent / "shared" / "nsys-truth"))

PUSH_POP, START_END, MARK, CATEGORY, THREAD_NAME = 59, 60, 34, 33, 39
DOMAIN_CREATE, DOMAIN_DESTROY = 75, 76


HAS_SANITIZER = any(name in PROF.read_bytes() for name in (b"__asan_init", b"__tsan_init"))
# For tests that preload something into prof itself.
preloads_into_prof = pytest.mark.skipif(
    HAS_SANITIZER, reason="a sanitizer's runtime has to be the first library of prof")


def is_in_libc(function):
    """Is it a function of libc without a name? libc exports none for the start of a thread, and its debug information
    (libc6-dbg) need not be installed."""
    return re.fullmatch(r"libc\.so\.6\+0x[0-9a-f]+", function) is not None


def begins(chain):
    """Does the call chain have its outermost frame?"""
    last = chain[-1]
    return last in ("_start", "clone3", "clone", "__clone") or "ld-linux" in last or is_in_libc(last)


def program(name):
    """Path of a program in tests/programs; skips the test if it was not built."""
    path = PROGRAMS / name
    if not path.exists():
        pytest.skip(f"{name} was not built")
    return str(path)


def unpacked(path, archive=TRUTH / "report.sqlite.gz"):
    """Writes a report of nsys to the path."""
    path.write_bytes(gzip.decompress(archive.read_bytes()))
    return path


def wait_until(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def children(pid):
    """Process ids of the child processes that the main thread of a process has started."""
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]


def source_of(name):
    """Path of a file or folder in the subfolders of tests/programs."""
    found, = (SOURCE / "tests" / "programs").glob(f"*/{name}")
    return found


def prof(*arguments, **options):
    """Runs prof and returns the finished process; text, with stdout and stderr captured."""
    options["timeout"] = options.get("timeout", 120) * (5 if HAS_SANITIZER else 1)
    return subprocess.run([str(PROF), *map(str, arguments)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False, **options)


class Report:
    """A report, and the output of its program."""

    def __init__(self, path, done=None):
        self.path = Path(path)
        self.done = done
        self.database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        self.database.row_factory = sqlite3.Row

    def query(self, sql, *parameters):
        return self.database.execute(sql, parameters).fetchall()

    def value(self, sql, *parameters):
        return self.database.execute(sql, parameters).fetchone()[0]

    def tables(self):
        return {row["name"] for row in self.query("SELECT name FROM sqlite_master")}

    def expected(self):
        """The JSON object that a known-answer program printed last."""
        return json.loads(self.done.stdout.strip().splitlines()[-1])

    def nvtx(self, event_type=None, domain=None):
        """NVTX rows with resolved `name`, `domain`, `pid` and `tid`."""
        if "NVTX_EVENTS" not in self.tables():
            return []
        rows = self.query("""
            SELECT e.*, COALESCE(e.text, s.value) AS name, COALESCE(d.text, '') AS domain,
                   e.globalTid >> 24 & 0xffffff AS pid, e.globalTid & 0xffffff AS tid
            FROM NVTX_EVENTS e
            LEFT JOIN StringIds s ON s.id = e.textId
            LEFT JOIN NVTX_EVENTS d ON d.eventType = 75 AND d.domainId = e.domainId
                                    AND d.globalTid >> 24 = e.globalTid >> 24
            ORDER BY e.start""")
        return [row for row in rows if (event_type is None or row["eventType"] == event_type)
                and (domain is None or row["domain"] == domain)]

    def calls(self, pid=None, tid=None):
        """Number of recorded OS-runtime calls by name."""
        if "OSRT_API" not in self.tables():
            return Counter()
        rows = self.query("""
            SELECT s.value AS name, o.globalTid >> 24 & 0xffffff AS pid, o.globalTid & 0xffffff AS tid
            FROM OSRT_API o JOIN StringIds s ON s.id = o.nameId""")
        return Counter(row["name"] for row in rows
                       if (pid is None or row["pid"] == pid) and (tid is None or row["tid"] == tid))

    def pids(self):
        return {row["pid"] for row in self.query("SELECT pid FROM PROCESSES")}

    def statistics(self, name):
        """Rows of this statistic of `prof stats`, as dictionaries."""
        done = prof("stats", "-q", "-r", name, "-f", "json", self.path)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def diagnostics(self):
        return [row["text"] for row in self.query("SELECT text FROM DIAGNOSTIC_EVENT")]


# What prof records by default besides calls and ranges, and the options that say whether it does.
SAMPLES = {"--sample=none": ("-s", "--sample", "--sampling-method"), "--cpuctxsw=none": ("--cpuctxsw",),
           "--python-sampling=false": ("--python-sampling",)}


def without_samples(options=()):
    """The options, and those that switch off what they do not ask for of SAMPLES."""
    given = {str(option).split("=")[0] for option in options}
    return [*(off for off, names in SAMPLES.items() if given.isdisjoint(names)), *options]


def profile(tmp_path, *command, traces="nvtx,osrt", options=(), status=0, defaults=False, **run_options):
    """Profiles a command and opens the report. Asserts the status, and that nothing was dropped.
    With `defaults`, what prof records by default is recorded, else only what `options` ask for."""
    path = tmp_path / "report.db"
    done = prof("profile", "-t", traces, "-f", "true", "-o", path, *(options if defaults else without_samples(options)),
                "--", *command, **run_options)
    assert done.returncode == status, f"status {done.returncode}: {done.stdout}{done.stderr}"
    report = Report(path, done)
    assert report.value("PRAGMA integrity_check") == "ok"
    assert [text for text in report.diagnostics() if "dropped" in text or "amaged" in text] == []
    assert not list(tmp_path.glob("*.spool")) and not list(tmp_path.glob("*.tmp*"))
    return report
