"""Copies of a report of nsys that tests damage, and what the verbs say about them."""
import csv
import io
import shutil
import sqlite3

import pytest
from profiling import prof, unpacked

STATS = [line.split()[0].split("[")[0] for line in prof("stats", "--help-reports").stdout.splitlines() if line.startswith("  ")]
KERNEL, RUNTIME, MEMCPY = (f"CUPTI_ACTIVITY_KIND_{name}" for name in ("KERNEL", "RUNTIME", "MEMCPY"))


@pytest.fixture(scope="module")
def zoo(tmp_path_factory):
    return unpacked(tmp_path_factory.mktemp("hostile") / "zoo.sqlite")


@pytest.fixture
def report(zoo, tmp_path):
    return shutil.copy(zoo, tmp_path / "report.sqlite")


def change(report, *statements):
    """Runs SQL. A tuple is a statement and the rows for its parameters."""
    database = sqlite3.connect(report)
    for statement in statements:
        if isinstance(statement, str):
            database.execute(statement)
        else:
            database.executemany(*statement)
    database.commit()
    database.close()


def loosen(report, table):
    """Removes the types and constraints of the table's columns."""
    columns = [row[1] for row in sqlite3.connect(report).execute(f"PRAGMA table_info({table})")]
    names = ", ".join(f'"{column}"' for column in columns)
    change(report, f"ALTER TABLE {table} RENAME TO strict", f"CREATE TABLE {table} ({names})",
           f"INSERT INTO {table} SELECT * FROM strict", "DROP TABLE strict")


def run(verb, report, *options):
    """All output of the verb for the report. Whatever the report contains, the output must be text."""
    verbs = {"stats": ["stats", "-r", ",".join(STATS)], "analyze": ["analyze", "-r", "all"], "diff": ["diff", "--min-change=0"]}
    words = [*verbs[verb], *options, report, *([report] if verb == "diff" else [])]
    return prof(*words, encoding="utf-8", errors="strict", timeout=60)


def fails(report, *words, verbs=("stats", "analyze", "diff")):
    for verb in verbs:
        done = run(verb, report)
        assert done.returncode == 1, (verb, done.returncode, done.stderr)
        reported = [line for line in done.stderr.splitlines() if line.startswith("prof: ")]
        assert len(reported) == 1 and str(report) in reported[0], (verb, done.stderr)
        for word in words:
            assert word in reported[0], (verb, reported[0])


def works(report, verbs=("stats", "analyze", "diff")):
    outputs = [run(verb, report) for verb in verbs]
    assert [done.returncode for done in outputs] == [0] * len(verbs), [done.stderr for done in outputs]
    return outputs


def rows(report, name):
    done = prof("stats", "-q", "-r", name, "-f", "csv", report)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout.removesuffix("\n")))), done.stderr
