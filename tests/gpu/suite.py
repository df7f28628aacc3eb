"""Shared by the checks of the GPU suite: running programs with and without a profiler, reading reports, and the
table at the end."""
import collections
import glob
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "build" / "gpu"
SOURCES = Path(__file__).resolve().parent / "programs"
WORK = Path(os.environ.get("PROF_GPU_WORK", "/tmp/prof-gpu"))
PROF = os.environ.get("PROF", "")
NSYS = os.environ.get("NSYS") or next(
    iter(sorted(glob.glob("/opt/nvidia/nsight-compute/*/host/target-linux-x64/nsys"), reverse=True)), "")

NCU = os.environ.get("NCU") or shutil.which("ncu") or "/usr/local/cuda/bin/ncu"

KIND = "CUPTI_ACTIVITY_KIND_"

RESULTS = []


def check(name, ok, seen, wanted=""):
    """Adds a line to the table. `wanted` is the expected value."""
    RESULTS.append({"check": name, "ok": bool(ok), "seen": str(seen), "wanted": str(wanted)})
    print(f"{'ok  ' if ok else 'MISS'} {name}: {seen}" + (f" (wanted {wanted})" if wanted != "" else ""),
          flush=True)


def show(name, seen):
    """Adds a figure without a verdict."""
    RESULTS.append({"check": name, "ok": True, "seen": str(seen), "wanted": ""})
    print(f"     {name}: {seen}", flush=True)


def close(title, ours, theirs, tolerance):
    ratio = ours / theirs if theirs else 0
    check(title, abs(ratio - 1) <= tolerance, f"{ours} ns, {ratio:.4f} x nsys's", f"within {tolerance:.0%}")


def finish():
    missed = [r for r in RESULTS if not r["ok"]]
    print(f"\n{len(RESULTS)} lines, {len(missed)} missed")
    for result in missed:
        print(f"MISS {result['check']}: {result['seen']} (wanted {result['wanted']})")
    out = os.environ.get("OUT")
    if out:
        Path(out, "gpu_suite.json").write_text(json.dumps(RESULTS, indent=1))
    return 1 if missed else 0


def run(command, timeout=180, **options):
    """Runs a command to its end. Returns (status, stdout, stderr, seconds)."""
    start = time.monotonic()
    try:
        done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=timeout, check=False,
                              cwd=WORK, **options)
        status, out, err = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired as late:
        status, out, err = 124, str(late.stdout or ""), str(late.stderr or "")
    return status, out, err, time.monotonic() - start


def last_json(text):
    """The JSON object that a program prints, ignoring the output of other tools."""
    start = text.find("{")
    decoder = json.JSONDecoder()
    while start >= 0:
        try:
            return decoder.raw_decode(text[start:])[0]
        except json.JSONDecodeError:
            start = text.find("{", start + 1)
    return {}


# What nsys is asked for, so that prices can be compared.
CALLS_ALONE = ["--sample=none", "--cpuctxsw=none", "--python-sampling=false"]


def under_prof(command, name, *options, trace="cuda,nvtx,osrt", **more):
    report = WORK / f"{name}.prof.sqlite"
    result = run([PROF, "profile", "-t", trace, "-f", "true", "-o", report, *options, *command], **more)
    return result, report


def under_nsys(command, name, *options, trace="cuda,nvtx,osrt", export=True, **more):
    stem = WORK / f"{name}.nsys"
    result = run([NSYS, "profile", "-t", trace, "--sample=none", "--cpuctxsw=none", "-f", "true",
                  "-o", stem, *options, *command], **more)
    report = WORK / f"{name}.nsys.sqlite"
    if export:
        run([NSYS, "export", "--type", "sqlite", "-f", "true", "-o", report, f"{stem}.nsys-rep"])
    return result, report


class Report:
    def __init__(self, path):
        self.path = path
        self.database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        self.tables = {row[0] for row in self.database.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table'")}

    def rows(self, sql):
        return self.database.execute(sql).fetchall()

    def counts(self, table, columns):
        """Counter of the rows by these columns; names are resolved ("StringIds:nameId")."""
        if table not in self.tables:
            return collections.Counter()
        picked, joins = [], ""
        for i, column in enumerate(columns):
            if column.startswith("StringIds:"):
                joins += f" LEFT JOIN StringIds s{i} ON s{i}.id = t.{column.split(':')[1]}"
                picked.append(f"s{i}.value")
            else:
                picked.append(f"t.{column}" if column.isidentifier() else column)
        names = ", ".join(picked)
        return collections.Counter({
            row[:-1] if len(row) > 2 else row[0]: row[-1] for row in self.rows(
                f"SELECT {names}, count(*) FROM {table} t{joins} GROUP BY {names}")})

    def total(self, table, where="1"):
        if table not in self.tables:
            return 0
        return self.rows(f"SELECT coalesce(sum(end - start), 0) FROM {table} WHERE {where}")[0][0]

    def time_by_kernel(self):
        return dict(self.rows("SELECT s.value, sum(k.end - k.start) FROM CUPTI_ACTIVITY_KIND_KERNEL k "
                              "JOIN StringIds s ON s.id = k.demangledName GROUP BY 1")) \
            if "CUPTI_ACTIVITY_KIND_KERNEL" in self.tables else {}

    def messages(self):
        return [row[0] for row in self.rows("SELECT text FROM DIAGNOSTIC_EVENT")]

    def orphans(self):
        """GPU operations without the API call that launched them."""
        missing = 0
        for table in ("KERNEL", "MEMCPY", "MEMSET", "GRAPH_TRACE"):
            name = f"CUPTI_ACTIVITY_KIND_{table}"
            if name in self.tables:
                missing += self.rows(
                    f"SELECT count(*) FROM {name} k WHERE NOT EXISTS (SELECT 1 FROM "
                    "CUPTI_ACTIVITY_KIND_RUNTIME r WHERE r.correlationId = k.correlationId AND "
                    "r.globalTid >> 24 = k.globalPid >> 24)")[0][0]
        return missing


def cuptis():
    return sorted(glob.glob("/usr/local/cuda*/**/libcupti.so.13", recursive=True))


def setup():
    WORK.mkdir(parents=True, exist_ok=True)
    if not PROF or not shutil.which(PROF):
        sys.exit("set PROF to the prof of the unpacked package")
    if not NSYS:
        print("no nsys here: its part is left out")
