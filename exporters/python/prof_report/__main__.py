"""python3 -m prof_report: writes the tables of a report as Parquet, Arrow or HDF5."""

import argparse
import importlib
import os
import re
import sys
from typing import List, Optional

from ._export import TYPES, ExportError, export
from ._library import ReportError
from ._messages import Messages
from ._report import open_report


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python3 -m prof_report", description=__doc__)
    parser.add_argument("report", help="a report of prof, or an SQLite file that nsys exported")
    parser.add_argument("--type", required=True, choices=TYPES)
    parser.add_argument("--output", required=True, help="file, or folder of parquetdir and arrowdir")
    parser.add_argument("--table", action="append", metavar="NAME", help="export only this table; may be repeated")
    parser.add_argument("--empty-column", action="append", default=[], metavar="NAME", help="leave this column NULL")
    parser.add_argument("--all-tables", action="store_true", help="export tables without rows, too")
    parser.add_argument("--append", action="store_true", help="add tables to a folder that exists")
    parser.add_argument("--force-overwrite", action="store_true", help="replace what exists")
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    return parser


def _line(error: BaseException) -> str:
    """The error in one line. h5py and pyarrow put the reason into longer texts."""
    text = str(error)
    reason = re.search(r"error message = '([^']*)'", text) or re.search(r"\[errno \d+\] (.*)", text)
    if isinstance(error, OSError) and error.strerror and not reason:
        return error.strerror
    return " ".join((reason.group(1) if reason else text).split()) or type(error).__name__


def _leave_out_numpy() -> None:
    """pyarrow imports numpy if it is there, which takes longer than pyarrow does. Only HDF5 needs it."""
    sys.modules["numpy"] = None  # type: ignore[assignment]
    try:
        importlib.import_module("pyarrow")
    except ImportError:  # pyarrow before 18 needs numpy
        del sys.modules["numpy"]


def _run(options: argparse.Namespace) -> Optional[str]:
    """Exports, and returns the error."""
    messages = Messages(options.quiet)

    def progress(table: str) -> None:
        messages.show("".join(character if character.isprintable() else "?" for character in table)[:70])

    if options.type != "hdf":
        _leave_out_numpy()
    try:
        export(open_report(options.report), options.type, options.output, tables=options.table,
               overwrite=options.force_overwrite, append=options.append, lazy=not options.all_tables,
               empty_columns=options.empty_column, progress=progress)
    except (ReportError, ExportError, ImportError) as error:
        return str(error)
    except (OSError, RuntimeError, MemoryError, ValueError) as error:
        return f"cannot write {options.output}: {_line(error)}"
    finally:
        messages.clear()
    return None


def main(arguments: Optional[List[str]] = None) -> int:
    """Returns the exit status."""
    error = _run(_arguments().parse_args(arguments))
    if error is not None:
        print(f"prof: {error}", file=sys.stderr)
    return 0 if error is None else 1


if __name__ == "__main__":
    STATUS = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(STATUS)  # pyarrow's threads and memory need not be taken apart
