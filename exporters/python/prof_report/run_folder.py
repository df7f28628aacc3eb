"""python3 -m prof_report.run_folder: writes the tables of a job's reports as a folder of Parquet files, and run.db.

    OUT/tables/TABLE/node=NODE/rank=RANK/part.parquet
    OUT/run.db

DuckDB, Polars, Spark and pandas read the folder as tables with the columns node and rank. run.db is an SQLite file with
the ranks, the files, and the statistics of all ranks.
"""

import argparse
import fcntl
import os
import re
import sqlite3
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any, Callable, Collection, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple
from urllib.parse import quote

from ._library import OpenReport, ReportError, version
from ._messages import Messages
from ._report import Report
from ._run import Run, open_run
from ._table import Table, needed

_GROUP_ROWS = 1 << 19
_NULL = "__HIVE_DEFAULT_PARTITION__"  # as Hive names a partition without a value
_TIMES = ("start", "timestamp", "time", "rawTimestamp")
_SCHEMA = """
CREATE TABLE RUN (version TEXT NOT NULL);
CREATE TABLE REPORTS (report TEXT NOT NULL PRIMARY KEY, bytes INTEGER NOT NULL, changed INTEGER NOT NULL,
                      choice TEXT NOT NULL);
CREATE TABLE FILES (path TEXT NOT NULL PRIMARY KEY, report TEXT NOT NULL, tableName TEXT NOT NULL, node TEXT,
                    rank INTEGER, rows INTEGER NOT NULL, bytes INTEGER NOT NULL);
CREATE TABLE RANKS (report TEXT, job TEXT, rank INTEGER, size INTEGER, attempt INTEGER, node TEXT);
CREATE TABLE LEFT_OUT (text TEXT NOT NULL);
"""
_OWN_TABLES = ("RUN", "REPORTS", "FILES", "RANKS", "LEFT_OUT")


class RunFolderError(Exception):
    """The folder cannot be written. The text says what to do."""


class _Part(NamedTuple):
    """A file to write: rows of a table that belong to a rank."""

    node: str
    rank: Optional[int]
    attempt: int
    processes: Optional[List[int]]  # global ids without the thread; None: all rows

    def folder(self) -> str:
        rank = _NULL if self.rank is None else str(self.rank)
        return f"node={quote(self.node, safe='') or _NULL}/rank={rank}"

    def name(self) -> str:
        return f"part-{self.attempt}.parquet" if self.attempt else "part.parquet"


class _File(NamedTuple):
    path: str
    table: str
    part: _Part
    rows: int
    size: int


def _state(path: str) -> Tuple[int, int]:
    facts = os.stat(path)
    return facts.st_size, facts.st_mtime_ns


def _processes_of_ranks(report: Report) -> Dict[Tuple[str, int, int], List[int]]:
    """{(job, rank, attempt): processes}"""
    found: Dict[Tuple[str, int, int], List[int]] = {}
    if "PROF_RANKS" not in report.tables_with_rows:
        return found
    columns = ["globalPid", "rank", "jobId", "attempt", "precedence"]
    for row in report.table("PROF_RANKS", columns).arrow().to_pylist():
        if row["precedence"] == 0:
            key = (row["jobId"] or "", row["rank"], row["attempt"] or 0)
            found.setdefault(key, []).append(row["globalPid"] >> 24)
    return found


def _parts_of(report: Report, ranks: Sequence[Dict[str, Any]]) -> List[_Part]:
    """The parts of a table with events. A report of one rank has one; of several, also one for other processes."""
    recorded = _processes_of_ranks(report)
    if len(recorded) < 2:
        rank = ranks[0]
        return [_Part(rank["node"] or "", rank["rank"], rank["attempt"] or 0, None)]
    parts = []
    for rank in ranks:
        processes = recorded.get((rank["job"] or "", rank["rank"], rank["attempt"] or 0))
        if rank["rank"] is not None and processes:
            parts.append(_Part(rank["node"] or "", rank["rank"], rank["attempt"] or 0, processes))
    return parts


def _is_chosen(table: str, patterns: Collection[str]) -> bool:
    if "/" in table:
        return False
    return not patterns or any(re.fullmatch(pattern, table, re.IGNORECASE) for pattern in patterns)


class _Writer:
    """Writes the parts of one report."""

    def __init__(self, output: Path, report: Report, ranks: Sequence[Dict[str, Any]]) -> None:
        self._output = output
        self._report = report
        self._parts = _parts_of(report, ranks)
        node = self._parts[0].node if self._parts else ""
        recorded = [process for processes in _processes_of_ranks(report).values() for process in processes]
        self._others = _Part(node, None, 0, recorded)  # all processes but these, such as the launcher
        self._pyarrow = needed("pyarrow", "--type=run")
        self._compute = needed("pyarrow.compute", "--type=run")
        self._parquet = needed("pyarrow.parquet", "--type=run")
        self.files: List[_File] = []

    def write(self, tables: Collection[str]) -> None:
        """Writes tables. What it wrote before an error stays in `files`."""
        opened = OpenReport(self._report.path)
        for facts in self._report.table_facts():
            if facts["rows"] and _is_chosen(facts["name"], tables):
                table = Table(facts["name"], "prof_report_table_of", (opened, facts["name"]), {"names": True},
                              is_checked=False)
                self._write_table(facts["name"], table.arrow())

    def _write_table(self, name: str, rows: Any) -> None:
        owner = next((column for column in ("globalTid", "globalPid") if column in rows.schema.names), None)
        if self._parts and self._parts[0].processes is None:
            self._write_part(name, self._parts[0], rows)
        elif owner is None:  # of the whole report
            self._write_part(name, self._others, rows)
        else:
            process = self._compute.shift_right(rows[owner].cast("int64"), 24)
            for part in [*self._parts, self._others]:
                known = self._pyarrow.array(part.processes or [], "int64")
                chosen = self._compute.is_in(process, value_set=known)
                if part.rank is None:
                    chosen = self._compute.invert(chosen)
                self._write_part(name, part, rows.filter(chosen))

    def _write_part(self, name: str, part: _Part, rows: Any) -> None:
        if rows.num_rows == 0:
            return
        path = self._output / "tables" / name / part.folder() / part.name()
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.tmp-prof{os.getpid()}")
        try:
            self._parquet.write_table(self._sorted(rows), temporary, compression="zstd", row_group_size=_GROUP_ROWS,
                                      version="2.6")
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
        self.files.append(_File(str(path.relative_to(self._output)), name, part, rows.num_rows, path.stat().st_size))

    def _sorted(self, rows: Any) -> Any:
        """The rows by their start, those of equal starts as they were."""
        column = next((name for name in _TIMES if name in rows.schema.names), None)
        if column is None or rows.num_rows < 2:
            return rows
        times = rows[column].combine_chunks()
        if self._compute.all(self._compute.less_equal(times[:-1], times[1:])).as_py() and times.null_count == 0:
            return rows
        # The row's number makes the order of equal times certain.
        number = self._pyarrow.array(range(rows.num_rows), "int64")
        keys = self._pyarrow.table({"time": times, "number": number})
        order = self._compute.sort_indices(keys, sort_keys=[("time", "ascending"), ("number", "ascending")])
        return rows.unify_dictionaries().take(order)


class _Database:
    """run.db. It is complete after each report, so that another export goes on from there."""

    def __init__(self, output: Path, choice: str) -> None:
        self._output = output
        self._choice = choice
        path = output / "run.db"
        self._database = sqlite3.connect(path, isolation_level=None)
        if not self._database.execute("SELECT 1 FROM sqlite_master").fetchone():
            self._database.executescript("BEGIN;" + _SCHEMA + "COMMIT;")
        self._database.execute("BEGIN")
        self._database.execute("DELETE FROM RUN")
        self._database.execute("INSERT INTO RUN VALUES (?)", [version()])
        self._database.execute("COMMIT")

    def close(self) -> None:
        self._database.close()

    def is_done(self, report: str) -> bool:
        """Whether the files of the report are there as they were written, and the report has not changed."""
        row = self._database.execute("SELECT bytes, changed, choice FROM REPORTS WHERE report = ?", [report]).fetchone()
        if row is None or row != (*_state(report), self._choice):
            return False
        files = self._database.execute("SELECT path, bytes FROM FILES WHERE report = ?", [report]).fetchall()
        return all((self._output / path).is_file() and (self._output / path).stat().st_size == size
                   for path, size in files)

    def forget(self, report: str) -> None:
        """Removes what was written of a report."""
        for (path,) in self._database.execute("SELECT path FROM FILES WHERE report = ?", [report]).fetchall():
            (self._output / path).unlink(missing_ok=True)
        self._database.execute("BEGIN")
        self._database.execute("DELETE FROM FILES WHERE report = ?", [report])
        self._database.execute("DELETE FROM REPORTS WHERE report = ?", [report])
        self._database.execute("COMMIT")

    def reports(self) -> List[str]:
        return [report for (report,) in self._database.execute("SELECT report FROM REPORTS")]

    def add(self, report: str, state: Tuple[int, int], files: List[_File]) -> None:
        rows = [(file.path, report, file.table, file.part.node or None, file.part.rank, file.rows, file.size)
                for file in files]
        self._database.execute("BEGIN")
        self._database.executemany("INSERT INTO FILES VALUES (?,?,?,?,?,?,?)", rows)
        self._database.execute("INSERT INTO REPORTS VALUES (?,?,?,?)", [report, *state, self._choice])
        self._database.execute("COMMIT")

    def add_results(self, run: Run, left_out: List[str]) -> None:
        """The ranks, what was left out, and a table for each statistic of all ranks that has data."""
        self._database.execute("BEGIN")
        for (name,) in self._database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            if name not in _OWN_TABLES:
                self._database.execute(f'DROP TABLE "{name}"')
        self._database.execute("DELETE FROM RANKS")
        self._database.execute("DELETE FROM LEFT_OUT")
        self._database.executemany("INSERT INTO LEFT_OUT VALUES (?)", [(text,) for text in left_out])
        self._database.executemany(
            "INSERT INTO RANKS VALUES (:report, :job, :rank, :size, :attempt, :node)", run.ranks)
        for name in statistics_of(run):
            self._add_statistic(name, run.stats(name).arrow())
        self._database.execute("COMMIT")

    def _add_statistic(self, name: str, rows: Any) -> None:
        if rows.num_rows == 0:
            return
        columns = ", ".join('"' + column.replace('"', '""') + '"' for column in rows.schema.names)
        self._database.execute(f'CREATE TABLE "{name}" ({columns})')
        places = ",".join("?" * rows.num_columns)
        self._database.executemany(f'INSERT INTO "{name}" VALUES ({places})',
                                   [tuple(row.values()) for row in rows.to_pylist()])


def statistics_of(run: Run) -> List[str]:
    """The usual statistics that can be merged, by the partial result of a report."""
    rows = Table("partial", "prof_report_partial", (run.paths[0], []), None).arrow()
    return sorted(set(rows.column("statistic").to_pylist()))


def _recordings(names: Sequence[str]) -> Iterator[str]:
    """What lies in the folders and has not become a report."""
    for name in names:
        if os.path.isdir(name):
            for path in sorted(Path(name).rglob("*.spool")):
                yield f"{path} is a recording that has not ended"


def _say_missing(run: Run, say: Callable[[str], None]) -> None:
    present = {rank["rank"] for rank in run.ranks if rank["rank"] is not None}
    size = max((rank["size"] or 0 for rank in run.ranks), default=0)
    missing = [str(rank) for rank in range(size) if rank not in present]
    if missing:
        say(f"without a report: {len(missing)} of {size} ranks: {', '.join(missing[:20])}" + ", …" * (len(missing) > 20))


def _check(output: Path, overwrite: bool) -> None:
    if output.exists() and not output.is_dir():
        raise RunFolderError(f"{output} is a file; give another name with -o")
    if output.is_dir() and any(output.iterdir()) and not (output / "run.db").exists():
        raise RunFolderError(f"{output} is not empty, and was not written by this export; give another name with -o")
    output.mkdir(parents=True, exist_ok=True)
    if overwrite:
        (output / "run.db").unlink(missing_ok=True)


def _lock(output: Path) -> int:
    folder = os.open(output, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(folder)
        raise RunFolderError(f"{output}: another export writes there") from None
    except OSError:  # a file system without locks
        pass
    return folder


def _write_report(output: Path, path: str, ranks: List[Dict[str, Any]], tables: Collection[str]) -> Any:
    """(state, files, error). The state is that of before, so that a later change is seen."""
    state = _state(path)
    files: List[_File] = []
    try:
        writer = _Writer(output, Report(path), ranks)
        files = writer.files
        writer.write(tables)
    except ReportError as error:
        return state, files, str(error)
    return state, files, None


def export_run(names: Sequence[str], output: "os.PathLike[str]", *, tables: Collection[str] = (),
               overwrite: bool = False, say: Callable[[str], None] = lambda text: None,
               progress: Callable[[int, int, int], None] = lambda done, of, size: None) -> bool:
    """Writes the tables of all reports, and run.db. What an earlier call has written of a report stays if neither has
    changed. `say` gets lines about reports that are left out. Returns whether there were none."""
    run = open_run(list(names))
    jobs = {rank["job"] for rank in run.ranks}
    if len(jobs) > 1:
        raise RunFolderError(f"the reports are of {len(jobs)} jobs; export each into a folder of its job")
    left_out = [*run.left_out, *_recordings(names)]
    for text in left_out:
        say(f"left out: {text}")
    _say_missing(run, say)
    target = Path(output)
    _check(target, overwrite)
    lock = _lock(target)
    database = _Database(target, " ".join(sorted(tables)))
    try:
        _export(run, target, database, tables, left_out, say, progress)
    finally:
        database.close()
        os.close(lock)
    return not left_out


def _export(run: Run, target: Path, database: _Database, tables: Collection[str], left_out: List[str],
            say: Callable[[str], None], progress: Callable[[int, int, int], None]) -> None:
    ranks_of: Dict[str, List[Dict[str, Any]]] = {}
    for rank in run.ranks:
        ranks_of.setdefault(rank["report"], []).append(rank)
    for report in database.reports():
        if report not in ranks_of or not database.is_done(report):
            database.forget(report)
    missing = [path for path in run.paths if path not in database.reports()]
    size = 0
    with ThreadPoolExecutor(max(1, min(os.cpu_count() or 1, len(missing)))) as pool:
        waiting = {pool.submit(_write_report, target, path, ranks_of[path], tables): path for path in missing}
        try:
            for number, future in enumerate(as_completed(waiting), len(run.paths) - len(missing) + 1):
                path = waiting[future]
                state, files, error = future.result()
                if error is None:
                    database.add(path, state, files)
                    size += sum(file.size for file in files)
                else:
                    for file in files:
                        (target / file.path).unlink(missing_ok=True)
                    left_out.append(error)
                    say(f"left out: {error}")
                progress(number, len(run.paths), size)
        except BaseException:
            for future in waiting:
                future.cancel()
            raise
    database.add_results(run, left_out)


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python3 -m prof_report.run_folder", description=__doc__.split("\n", 1)[0])
    parser.add_argument("reports", nargs="+", help="reports, or folders with reports")
    parser.add_argument("--output", required=True, help="folder")
    parser.add_argument("--table", action="append", default=[], metavar="PATTERN", help="only these tables")
    parser.add_argument("--force-overwrite", action="store_true", help="write all again")
    parser.add_argument("--quiet", action="store_true", help="print only errors, and what is left out")
    return parser


def main(arguments: Optional[List[str]] = None) -> int:
    """Returns the exit status: 1 also if reports were left out."""
    options = _arguments().parse_args(arguments)
    messages = Messages(options.quiet)
    say = messages.say

    def progress(done: int, count: int, size: int) -> None:
        messages.show(f"{done} of {count} reports, {size / 1e6:.1f} MB written")

    try:
        complete = export_run(options.reports, options.output, tables=options.table, overwrite=options.force_overwrite,
                              say=say, progress=progress)
    except (ReportError, RunFolderError, ImportError) as error:
        say(str(error))
        return 1
    except re.error as error:
        say(f"--tables: {error}")
        return 2
    except (OSError, sqlite3.Error) as error:
        say(f"cannot write {options.output}: {re.sub(r'^.*?Detail: ', '', str(error))}")
        return 1
    except KeyboardInterrupt:
        say("interrupted; the same command goes on from here")
        return 130
    messages.clear()
    return 0 if complete else 1


if __name__ == "__main__":
    sys.exit(main())
