"""The Python package prof_report, and what its tables have to contain."""
import functools
import importlib
import os
import sqlite3
import struct
import sys
from pathlib import Path

import pytest
from profiling import BUILD, HAS_SANITIZER, MORE_TRUTH, TRUTH

PACKAGE = BUILD / "python"
needs_package = pytest.mark.skipif(HAS_SANITIZER, reason="a sanitizer's runtime has to be the first library of Python")


def package():
    """The module, from the build folder."""
    sys.path.insert(0, str(PACKAGE))
    return importlib.import_module("prof_report")


def environment():
    """For programs that import the package of the build folder."""
    return {**os.environ, "PYTHONPATH": str(PACKAGE)}


def truth_archives():
    """Reports of nsys: the one of this repository, and those of an optional folder."""
    archives = {"zoo": TRUTH / "report.sqlite.gz"}
    for archive in sorted(MORE_TRUTH.glob("*/*.sqlite.gz")):
        if "cupti-from" not in archive.name:  # without StringIds it is not a report
            archives[f"{archive.parent.name}/{archive.name.split('.')[0]}"] = archive
    return archives


def text_of(data):
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.replace(b"\\x", b"\\x5cx").decode(errors="backslashreplace")


CONVERSIONS = {"uint64": lambda value: value & (1 << 64) - 1, "bool": bool,
               "float": lambda value: struct.unpack("f", struct.pack("f", value))[0]}


def values_of(values, kind):
    """The values of SQLite's column in a column of Arrow's type `kind`."""
    if conversion := CONVERSIONS.get(kind):
        return [None if value is None else conversion(value) for value in values]
    return list(values)


def rows_of(path, table):
    """(columns, rows) of SQLite."""
    return rows_of_file(path, Path(path).stat().st_mtime_ns, table)


@functools.lru_cache(maxsize=100)  # of one report at a time: more than a report has tables
def rows_of_file(path, _, table):
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    database.text_factory = text_of
    rows = database.execute(f'SELECT * FROM main."{table}"')
    return [column[0] for column in rows.description], rows.fetchall()


def assert_equals_sqlite(table, path, name):
    """A pyarrow.Table has the rows and columns of SQLite's table."""
    columns, rows = rows_of(path, name)
    assert table.column_names == columns, name
    assert table.num_rows == len(rows), name
    for index, (column, values) in enumerate(zip(columns, zip(*rows))):
        assert table.column(index).to_pylist() == values_of(values, str(table.schema.field(index).type)), (name, column)
