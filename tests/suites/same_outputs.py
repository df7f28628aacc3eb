#!/usr/bin/env python3
"""Compares the outputs of two builds of prof, byte for byte, on the same reports and recordings.

Usage: same_outputs.py write --prof PROF --out FOLDER [--spool FILE]... [REPORT]...
       same_outputs.py compare FOLDER FOLDER

write runs stats, analyze, export and diff on each report, with all statistics, rules, formats and kinds of
samples. For each command it writes one file: the command line, its exit status, stdout, stderr and the files that
the command wrote. For a recording (OUTPUT.spool) it first makes the reports with prof recover and writes the
contents of all their tables. compare lists the files that differ, and exits with 1 if there are any.

prof recover looks up names in the programs and libraries that ran, and in the kernel's symbols. Write both folders
on one machine, without a reboot in between, and leave the programs where they were.
"""
import argparse
import gzip
import hashlib
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

TABLE_FORMATS = ["column", "table", "csv", "tsv", "json", "markdown", "htable", "hdoc"]
SAMPLE_FORMATS = ["collapsed", "speedscope", "pprof", "firefox"]
SAMPLE_KINDS = ["cpu", "python", "osrt", "cuda"]
CATEGORIES = ["kernel", "copy", "fill", "api", "nvtx", "osrt"]
VERBS = ["profile", "stats", "analyze", "diff", "export", "status", "recover", "completion"]

# Arguments of statistics and rules: one argument alone, or several.
STATISTICS_WITH_ARGUMENTS = """
    cuda_gpu_kern_sum:base cuda_gpu_kern_sum:mangled cuda_gpu_kern_sum:nvtx-name cuda_gpu_kern_sum:nvtx-name:base
    cuda_gpu_kern_gb_sum:nvtx-name:mangled cuda_gpu_sum:base cuda_gpu_sum:nvtx-name cuda_gpu_trace:base
    cuda_gpu_trace:nvtx-name cuda_api_gpu_sum:nvtx-name:base cuda_kern_exec_sum:nvtx-name cuda_kern_exec_trace:base
    nvtx_kern_sum:base cuda_api_callers:depth=2 cuda_api_callers:depth=-1 osrt_callers:depth=2 osrt_callers:depth=-1
    python_sample_sum:line um_sum:rows=-1 um_sum:rows=2 cpu_sample_sum:function cpu_sample_sum:line
    cpu_sample_sum:module cpu_sample_sum:thread cpu_sample_sum:process cpu_sample_tree:callers
    cpu_sample_tree:thread:min=0 cpu_sample_tree:callers:thread:min=5 thread_state_sum:osrt thread_state_sum:cuda
    thread_state_sum:osrt:depth=3 thread_state_sum:cuda:depth=-1 osrt_file_sum:bytes launch_stats:base
    kernel_occupancy:base kernel_occupancy:nvtx-name nvtxppsum osrtsum gpukernsum""".split()
RULES_WITH_ARGUMENTS = """cuda_memcpy_async:rows=-1 cuda_memcpy_sync:rows=-1 cuda_memset_sync:rows=1 cuda_api_sync:rows=3
    gpu_gaps:gap=0 gpu_gaps:gap=1:rows=5 gpu_time_util:threshold=100:rows=-1 gpu_time_util:threshold=80:chunks=100
    all""".split()
WITH_LINES = ("cpu_sample_sum,cpu_sample_tree,osrt_callers:depth=3,cuda_api_callers:depth=3,thread_state_sum:osrt,"
              "python_sample_sum")
OWN_QUERY = """-- Tables of the report
SELECT name AS 'Name', length(name) AS 'Length (ns)', 0.5 AS 'Half' FROM sqlite_master ORDER BY name"""

# What changes from one run to the next: the time at which a report was written, in META_DATA_EXPORT.
TIME_OF_WRITING = re.compile(rb"(EXPORT_TIME_\w+\W+(?:value\W+)?)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")

# What decides about languages, time zones and widths is the same for all.
ENVIRONMENT = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TZ": "UTC", "HOME": "/nonexistent"}
AT_A_TIME = 2
LONGEST_WORD = 60  # in the name of an output
MOST_SHOWN = 50  # of the outputs that differ


class Writer:
    """Runs commands, each in a separate folder with links to the reports, and keeps what comes out."""

    def __init__(self, prof, out, scratch):
        self.prof, self.out, self.scratch = prof, out, scratch
        self.pool = ThreadPoolExecutor(AT_A_TIME)
        self.names = set()
        self.running = []

    def listed(self, *words):
        """The names that a --help-… option of prof lists, one a line."""
        text = subprocess.run([self.prof, *words], capture_output=True, text=True, check=True, env=ENVIRONMENT).stdout
        return re.findall(r"^ {2}(\w+)  ", text, re.M)

    def keep(self, name, content):
        """In a file of that name, without what changes: the time of writing, the paths of this run's own folders."""
        path = self.out / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(TIME_OF_WRITING.sub(rb"\1TIME", content.replace(bytes(self.scratch), b"SCRATCH")))

    def run(self, reports, *words):
        """Starts `prof WORDS` with the reports in its current folder; the words name the output, too."""
        folder = reports[0].name if reports else "no-report"
        inputs = [report.name for report in reports]
        shown = [word[:LONGEST_WORD] for word in words if word not in inputs[:1]]
        name = folder + "/" + re.sub(r"[^-\w.,=:@]+", "_", " ".join(shown))
        if name in self.names:
            raise SystemExit(f"two commands have one name: {name}")
        self.names.add(name)
        self.running.append(self.pool.submit(self.finish, name, reports, words))

    def finish(self, name, reports, words):
        folder = Path(tempfile.mkdtemp(dir=self.scratch))
        for report in reports:
            (folder / report.name).symlink_to(report)
        done = subprocess.run([self.prof, *words], cwd=folder, capture_output=True, check=False, env=ENVIRONMENT,
                              stdin=subprocess.DEVNULL, timeout=600)
        parts = [f"prof {' '.join(words)}\nstatus {done.returncode}\n".encode(), b"--- stderr\n", done.stderr,
                 b"--- stdout\n", readable(done.stdout)]
        for path in sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()):
            parts += [f"\n--- {path.relative_to(folder)}\n".encode(), readable(path.read_bytes())]
        self.keep(name, b"".join(parts).replace(bytes(folder), b"FOLDER"))
        shutil.rmtree(folder)

    def wait(self):
        for task in self.running:
            task.result()


def readable(content):
    """The same; of a compressed file (pprof) its hash, and what is in it."""
    if not content.startswith(b"\x1f\x8b"):
        return content
    return f"sha256 {hashlib.sha256(content).hexdigest()}\n".encode() + gzip.decompress(content)


# --- what is run

def without_reports(writer, statistics, rules):
    writer.run([], "--help")
    for verb in VERBS:
        writer.run([], verb, "--help")
    writer.run([], "stats", "--help-reports")
    for name in statistics:
        writer.run([], "stats", "--help-reports", name)
    writer.run([], "analyze", "--help-rules")
    for name in rules:
        writer.run([], "analyze", f"--help-rules={name}")
    for shell in ("bash", "zsh", "fish"):
        writer.run([], "completion", shell)
    for wrong in (["nonsense"], ["stats"], ["stats", "--nonsense"], ["stats", "missing.db"], ["analyze", "missing.db"],
                  ["diff", "missing.db"], ["export", "missing.db"], ["recover", "missing.spool"], ["profile"],
                  ["profile", "-t", "nonsense", "true"], ["profile", "-s", "nonsense", "true"]):
        writer.run([], *wrong)


def statistics_of(writer, report, names, filters):
    everything = ",".join(names)
    run = lambda *words: writer.run([report], "stats", *words, report.name)
    run()
    for name in [*names, *STATISTICS_WITH_ARGUMENTS]:
        run("-r", name, "-f", "csv")
    for table_format in TABLE_FORMATS:
        run("-f", table_format, "-r", everything)
    for unit in ("usec", "ms", "sec"):
        run("--timeunit", unit, "-r", everything)
    for option in filters:
        run(*option, "-f", "csv", "-r", everything)
    run("--lines", "-r", WITH_LINES)
    run("--lines", "-f", "json", "-r", WITH_LINES)
    run("-q", "-o", "base", "-f", "csv,json,column", *filters[0])
    run("-o", ".", "-r", "nvtx_sum,osrt_sum,cuda_gpu_kern_sum:base")
    run("-o", "@cat", "-r", "osrt_sum,cuda_api_sum")
    run("-r", "nonsense")
    (query := writer.scratch / "own.sql").write_text(OWN_QUERY)
    writer.run([report, query], "stats", "--report-dir", ".", "-r", "own", report.name)


def rules_of(writer, report, names, filters):
    run = lambda *words: writer.run([report], "analyze", *words, report.name)
    run()
    for name in [*names, *RULES_WITH_ARGUMENTS]:
        run("-r", name, "-f", "csv")
        run("-r", name)
    for table_format in TABLE_FORMATS:
        run("-f", table_format)
        run("-f", table_format, "-r", "all")
    for option in filters:
        run(*option, "-r", "all")
    run("--timeunit", "ms", "-r", "all")
    run("--fail-on", "any=5")
    run("-o", "base", "-r", "all")


def exports_of(writer, report, filters):
    run = lambda *words: writer.run([report], "export", *words, report.name)
    run("--json")
    run("--json", "--tables", "StringIds,ENUM_NSYS_EVENT_CLASS", "-o", "some.json")
    for sample_format in SAMPLE_FORMATS:
        for kind in SAMPLE_KINDS:
            run("-t", sample_format, "--samples", kind)
        for kind in SAMPLE_KINDS:
            run("-t", sample_format, "--samples", kind, "--lines")
        for option in filters:
            run("-t", sample_format, "--samples", "osrt", *option)


def differences_of(writer, before, after):
    run = lambda *words: writer.run([before, after], "diff", *words, before.name, after.name)
    for table_format in TABLE_FORMATS:
        run("-f", table_format)
    for category in CATEGORIES:
        run("-f", "csv", "--rows", "0", "--min-change", "0", "--category", category)
    run("--short-names", "--category", "kernel,api")
    run("--fail-on-slower", "5", "--watch", "duration", "--watch", "kernel", "--watch", "osrt:read")
    run("-o", "base", "-f", "csv")
    writer.run([before, after], "analyze", "-f", "csv", before.name, after.name)


def filters_for(report):
    """Options for the middle of a report's time, and for its most frequent NVTX range."""
    database = sqlite3.connect(f"file:{report}?mode=ro", uri=True)
    tables = [name for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    times = []
    for table in tables:
        if {"start", "end"} <= {row[1] for row in database.execute(f"PRAGMA table_info({table})")}:
            times += database.execute(f"SELECT min(start), max(end) FROM {table}").fetchone()
    times = [time for time in times if isinstance(time, int)] or [0]
    first, quarter = min(times), (max(times) - min(times)) // 4
    options = [["--filter-time", f"{first + quarter}/{first + 3 * quarter}"],
               ["--filter-time", f"/{(first + quarter) // 1000}us"]]
    if "NVTX_EVENTS" in tables:
        found = database.execute("""
            SELECT COALESCE(e.text, s.value) AS name FROM NVTX_EVENTS e LEFT JOIN StringIds s ON s.id = e.textId
            WHERE e.eventType = 59 AND e.end IS NOT NULL AND name IS NOT NULL
            GROUP BY name ORDER BY count(*) DESC, name LIMIT 1""").fetchone()
        if found:
            options += [["--filter-nvtx", f"{found[0]}@*"], ["--filter-nvtx", f"{found[0]}@*/1"]]
    return options


# --- recordings

def recover(writer, spool):
    """The reports of a recording, with what prof says and what is in their tables kept."""
    folder = writer.scratch / f"recovered-{spool.stem}"
    folder.mkdir()
    shutil.copy(spool, folder / spool.name)
    done = subprocess.run([writer.prof, "recover", spool.name], cwd=folder, capture_output=True, check=False,
                          env=ENVIRONMENT, timeout=600)
    names = sorted(path.name for path in folder.iterdir())
    said = f"status {done.returncode}\nfiles {names}\n".encode() + done.stdout + done.stderr
    writer.keep(f"{spool.name}/recover", said)
    reports = [folder / name for name in names if name != spool.name]
    for report in reports:
        writer.keep(f"{report.name}/tables", dump(report).encode("utf-8", "surrogateescape"))
    return reports


def dump(report):
    """Schema and rows of all tables, in the order in which they lie in the file."""
    database = sqlite3.connect(f"file:{report}?mode=ro", uri=True)
    database.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
    tables = database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY rowid").fetchall()
    lines = [f"page size {database.execute('PRAGMA page_size').fetchone()[0]}"]
    for table, sql in tables:
        lines += ["", sql]
        rows = database.execute(f"SELECT rowid, * FROM {table} ORDER BY rowid")
        lines += [f"{table} {row}" for row in rows]
    return "\n".join(lines) + "\n"


def write(options):
    if options.out.exists():
        raise SystemExit(f"{options.out} exists")
    with tempfile.TemporaryDirectory(prefix="same_outputs.") as scratch:
        writer = Writer(options.prof.resolve(), options.out, Path(scratch).resolve())
        statistics = writer.listed("stats", "--help-reports")
        rules = writer.listed("analyze", "--help-rules")
        if len(statistics) < 40 or len(rules) < 6:
            raise SystemExit(f"prof lists {len(statistics)} statistics and {len(rules)} rules")
        without_reports(writer, statistics, rules)
        reports = [path.resolve() for path in options.report]
        for spool in options.spool:
            reports += recover(writer, spool.resolve())
        if len({report.name for report in reports}) < len(reports):
            raise SystemExit("two reports have one name")
        for report in reports:
            filters = filters_for(report)
            statistics_of(writer, report, statistics, filters)
            rules_of(writer, report, rules, filters)
            exports_of(writer, report, filters)
        for before, after in pairwise(reports):
            differences_of(writer, before, after)
        writer.wait()
    print(f"{sum(path.is_file() for path in options.out.rglob('*'))} outputs of {len(reports)} reports in {options.out}")
    return 0


# --- comparing

def first_difference(before, after):
    lines = [content.split(b"\n") for content in (before, after)]
    at = next((i for i, (one, other) in enumerate(zip(*lines)) if one != other), min(map(len, lines)))
    shown = [text_of(part[at]) if at < len(part) else "(no such line)" for part in lines]
    return f"line {at + 1}\n  - {shown[0]}\n  + {shown[1]}"


def text_of(line):
    return line[:300].decode("utf-8", "backslashreplace")


def compare(options):
    before, after = ({path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
                     for folder in options.folders)
    names = sorted(before.keys() | after.keys())
    different = [name for name in names if before.get(name) != after.get(name)]
    for name in different[:MOST_SHOWN]:
        if name in before and name in after:
            print(f"{name}: {first_difference(before[name], after[name])}")
        else:
            print(f"{name}: only in {options.folders[name not in before]}")
    if len(different) > MOST_SHOWN:
        print(f"… and {len(different) - MOST_SHOWN} more that differ")
    print(f"{len(names)} outputs, {len(names) - len(different)} the same")
    return 0 if names and not different else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0],
                                     epilog="Write both folders on one machine, without a reboot in between.")
    verbs = parser.add_subparsers(required=True)
    writing = verbs.add_parser("write", help="run a build of prof and keep what comes out")
    writing.add_argument("--prof", type=Path, required=True, help="the program, beside its libraries")
    writing.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="new folder for the outputs")
    writing.add_argument("--spool", type=Path, action="append", default=[], metavar="FILE",
                         help="a recording to recover (a copy of it is used); may be repeated")
    writing.add_argument("report", type=Path, nargs="*", help="reports of prof, or of nsys as SQLite")
    writing.set_defaults(run=write)
    comparing = verbs.add_parser("compare", help="list the outputs that differ; status 1 if any do")
    comparing.add_argument("folders", type=Path, nargs=2, metavar="FOLDER")
    comparing.set_defaults(run=compare)
    options = parser.parse_args()
    return options.run(options)


if __name__ == "__main__":
    sys.exit(main())
