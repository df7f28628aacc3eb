#!/usr/bin/env python3
"""Lists what docs/stability.md promises, as far as a program can read it: of the sources, of prof's help, and of what
prof prints about a report with a row in each table. stable.tsv is the list as it was promised. `--write` adds what is
new to it. A line leaves it by hand only, with a new MAJOR version.
"""
import ast
import json
import re
import shutil
import sqlite3
import sys
import tempfile
from pathlib import Path

from nsys_options import ROOT, run

LIST = Path(__file__).with_name("stable.tsv")
SCHEMA = sorted((ROOT / "common/report/schema").glob("*.sql"))
HEADERS = ["exporters/arrow/prof_report.h", "collector/session/control/prof_control.h"]
# Columns of the made-up report that must have a certain value.
VALUES = {"end": 2, "endedAt": 2, "eventType": 59, "jsonText": '{"bytes": 1}', "smCount": 2, "maxRegistersPerSm": 65536,
          "maxShmemPerSm": 65536}


def made_up_report(path):
    """A report with a row in each table."""
    report = sqlite3.connect(path)
    for table in SCHEMA:
        report.executescript(table.read_text())
        if report.execute(f'SELECT count(*) FROM "{table.stem}"').fetchone()[0] == 0:
            columns = report.execute("SELECT name, type FROM pragma_table_info(?)", [table.stem]).fetchall()
            row = [VALUES.get(name, "x" if kind == "TEXT" else 1) for name, kind in columns]
            report.execute(f'INSERT INTO "{table.stem}" VALUES ({", ".join("?" * len(row))})', row)
    report.execute("UPDATE OSRT_API SET eventClass = 27")
    report.execute("INSERT INTO NVTX_EVENTS (start, end, eventType, globalTid) VALUES (1, 2, 60, 1)")
    report.commit()
    report.close()


def columns_of_tables():
    report = sqlite3.connect(":memory:")
    for table in SCHEMA:
        report.executescript(table.read_text())
        for name, kind in report.execute("SELECT name, type FROM pragma_table_info(?)", [table.stem]):
            yield "column", f"{table.stem}.{name} {kind}"


def verbs():
    return re.findall(r"^  (\w[\w-]*)  ", run("--help").stdout, re.M)


def options(verb):
    """Options of a verb, with their short forms, choices and defaults."""
    yield "verb", verb
    for short, longs, value in re.findall(r"^  (?:(-\w),)?(--[\w-]+(?:,--[\w-]+)*)(?: (?=\S)(.*?))?(?:  .*)?$",
                                          run(verb, "--help").stdout, re.M):
        for long in longs.split(","):
            yield "option", f"{verb} {long}"
            if short:
                yield "option", f"{verb} {short} {long}"
            if default := re.search(r"^[^=]*=([^=()\]]+)$", value):
                yield "default", f"{verb} {long}={default[1]}"
            for choice in re.findall(r"\{(.*)\}", value):
                for each in choice.split(","):
                    yield "value", f"{verb} {long}={each}"


def names():
    """Values of options that are names."""
    for verb, option, kind in [("stats", "--help-reports", "statistic"), ("stats", "--help-formats", "format"),
                               ("analyze", "--help-rules", "rule")]:
        text = run(verb, option).stdout
        yield from ((kind, name) for name in re.findall(r"^  (\w+)  ?", text, re.M))
        for found in re.findall(r"Findings: (.*)\.", text):
            yield from (("finding", name) for name in found.split(", "))
    yield from (("category", name) for name in
                re.search(r"What to compare: (.*?)\.", run("diff", "--help").stdout)[1].split(", "))
    yield from (("type", name) for name in
                re.search(r"Format: (sqlite.*?)\.", run("export", "--help").stdout)[1].split(", "))


def statistics(report):
    """Columns of the statistics that have data in the made-up report."""
    for name in re.findall(r"^  (\w+)  ?", run("stats", "--help-reports").stdout, re.M):
        heading = run("stats", "-q", "-f", "csv", "-r", name, report).stdout.partition("\n")[0]
        yield from (("statistic column", f"{name}: {column}") for column in heading.split(",") if column)


def keys(value, path):
    """Keys of objects in a JSON document. Names of counters and of tables are data: they count as *."""
    if isinstance(value, list):
        for each in value:
            yield from keys(each, path + "[]")
    elif isinstance(value, dict):
        for key, each in value.items():
            name = "*" if path.endswith(("counters", "machine", "tables", ".names", ".queries", ".shares")) else key
            yield f"{path}.{name}"
            yield from keys(each, f"{path}.{name}")


def documents(report):
    for words in [["info", "--json", report], ["analyze", "-q", "-f", "json", report], ["status", "--json"],
                  ["query", "-f", "json", "--rows", "1", report, "SELECT dur FROM kernels UNION ALL SELECT 1"],
                  ["facts", "--budget", "0", report], ["facts", "--budget", "0", "--topic", "kernels,memory,cpu,record", report],
                  ["facts", "--budget", "0", report, report], ["help", "--json", "facts"],
                  ["check", "-f", "json", report, "kernel.count > 0", "time > 1ns"],
                  ["diff", "-q", "-f", "json", report, report], ["monitor", "-n", "1", "--format", "json"]]:
        for key in set(keys(json.loads(run(*words).stdout), words[0])):
            # Whether a process uses a CPU meanwhile depends on the machine. A unit test has these keys.
            if not key.startswith("monitor.cpu_processes[]"):
                yield "JSON", key
    for key in set(keys(json.loads(run("info", "--json", report, report).stdout), "info")):
        if key.startswith("info[].clock"):  # the others are those of one report
            yield "JSON", key
    for view in ("kernels", "copies", "calls", "ranges", "samples", "threads"):
        columns = json.loads(run("query", "-f", "json", report, f"SELECT * FROM {view}").stdout)["columns"]
        yield from (("query column", f"{view}.{each['name']} {each.get('unit', '')}".rstrip()) for each in columns)
    yield from (("CSV", f"monitor: {column}") for column in
                run("monitor", "-n", "1", "--format", "csv").stdout.partition("\n")[0].split(","))
    # Findings have gains in a report without profiled kernels.
    other = Path(report).with_name("other.db")
    shutil.copyfile(report, other)
    with sqlite3.connect(other) as database:
        database.execute("DELETE FROM PROF_KERNEL_PROFILES")
    database.close()
    yield from (("JSON", key) for key in set(keys(json.loads(run("analyze", "-q", "-f", "json", other).stdout), "analyze")))
    document = json.loads(run("export", "--json", "-o", "-", report).stdout)
    yield "JSON", f"export.version={document['version']}"
    yield from (("JSON", f"export.{key}") for key in document)


def signature(function):
    arguments = function.args
    defaults = [None] * (len(arguments.args) - len(arguments.defaults)) + arguments.defaults
    for i, (each, default) in enumerate(zip(arguments.args, defaults)):
        if each.arg != "self":
            yield f"{i} {each.arg}" + (f"={ast.unparse(default)}" if default else "")
    for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        yield each.arg + (f"={ast.unparse(default)}" if default else "")


def python_names():
    """Functions and methods of the Python packages that their page lists, with their arguments."""
    page = (ROOT / "docs/python-package.md").read_text()
    listed = {"start", "stop", "mark", "open_report", "__getitem__", *re.findall(r"\b[rt]\.(\w+)", page)}
    for path in [*sorted((ROOT / "exporters/python/prof_report").glob("_[rt]*.py")), ROOT / "exporters/python/prof_control.py"]:
        module = "prof_control" if path.stem == "prof_control" else "prof_report"
        for node in ast.parse(path.read_text()).body:
            if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                continue
            members = node.body if isinstance(node, ast.ClassDef) else [node]
            for each in members:
                if isinstance(each, ast.FunctionDef) and each.name in listed:
                    name = f"{module}.{node.name}" + (f".{each.name}" if each is not node else "")
                    yield "Python", name
                    yield from (("Python", f"{name}({argument})") for argument in signature(each))


def declarations():
    """Functions and members of structs of the C headers."""
    for header in HEADERS:
        text = re.sub(r"/\*.*?\*/", "", (ROOT / header).read_text(), flags=re.S)
        name = Path(header).name
        for members, struct in re.findall(r"typedef struct \w+ \{(.*?)\} (\w+);", text, re.S):
            for i, member in enumerate(members.split(";")[:-1]):
                yield "C", f"{name}: {struct} {i} {' '.join(member.split())}"
        for function in re.findall(r"^(?:static inline )?((?:const )?\w+[ *]+prof_\w+\([^{;]*?\))\s*[{;]", text, re.M):
            if not re.search(r"_\(", function):
                yield "C", f"{name}: {' '.join(function.split())}"


def metrics():
    """Metrics with their types and labels, as the page lists them. test_metrics_endpoint.py reads them of an endpoint."""
    rows = re.findall(r"^\| (`.*?) \| ([\w, ]+) \| (.*?) \|", (ROOT / "docs/metrics-endpoint.md").read_text(), re.M)
    for found, types, labels in rows:
        of_row = re.findall(r"`(\w+)`", found)
        kinds = types.split(", ")
        for i, name in enumerate(of_row):
            yield "metric", " ".join([name, kinds[min(i, len(kinds) - 1)], *re.findall(r"`(\w+)`", labels)])


def current():
    """What holds today, as lines."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "r.db"
        made_up_report(report)
        parts = [columns_of_tables(), *map(options, verbs()), names(), statistics(report), documents(report), python_names(),
                 declarations(), metrics()]
        return {"\t".join(line) for part in parts for line in part}


def promised():
    return set(LIST.read_text().splitlines())


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    LIST.write_text("\n".join(sorted(current() | (promised() if LIST.exists() else set()))) + "\n")
