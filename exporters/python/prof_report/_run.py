"""The reports of a job of several ranks."""

import os
import warnings
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

from . import _library
from ._library import Processes, ReportError
from ._report import Report
from ._table import Table

PathName = Union[str, "os.PathLike[str]"]
_ENDINGS = (".db", ".sqlite")


class Run:
    """The reports of a job. `left_out` names the reports, and ranks of reports, that do not count: files that are no
    reports or damaged, and ranks that an earlier report has."""

    def __init__(self, paths: Union[PathName, Sequence[PathName]]) -> None:
        names = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
        files = [file for name in names for file in _files_of(os.fspath(name))]
        if not files:
            given = ", ".join(map(os.fspath, names))
            raise ReportError(f"{given} has no report in it (a file that ends in .db or .sqlite)")
        rows = Table("ranks", "prof_report_run_ranks", (files,), None).arrow().to_pylist()
        self.left_out: List[str] = [row["left_out"] for row in rows if row["left_out"]]
        self.ranks: List[Dict[str, Any]] = [
            {name: value for name, value in row.items() if name != "left_out"} for row in rows if not row["left_out"]]
        self.ranks.sort(key=lambda rank: (rank["job"], rank["rank"] is None, rank["rank"] or 0, rank["attempt"]))
        self.paths: List[str] = list(dict.fromkeys(rank["report"] for rank in self.ranks))
        if not self.paths:
            raise ReportError(self.left_out[0])
        self._files = files

    def __repr__(self) -> str:
        return f"<prof_report.Run of {len(self.paths)} reports>"

    def __len__(self) -> int:
        return len(self.paths)

    def __iter__(self) -> Iterator[Report]:
        """The reports, by their lowest rank."""
        return map(Report, self.paths)

    def stats(self, name: str, by: str = "run", *, align: Optional[str] = None, start: Optional[int] = None,
              end: Optional[int] = None, nvtx: Optional[str] = None, processes: Processes = None,
              range_of: Optional[str] = None) -> Table:
        """A statistic of all ranks, exact, as ``prof stats RUN/`` prints it. `by`: one row for each name ("run"), or
        for each name of each "node" or "rank". The filters are those of ``Report.stats``; `start` and `end` count on
        the clock that `align` says ("clock", "collectives", "range:NAME", "none"), as --align of ``prof stats``."""
        options = {"start": start, "end": end, "nvtx": nvtx, "processes": processes, "range_of": range_of}
        return Table(name, "prof_report_run_window", (self._files, name, by, align), options)

    def clocks(self, align: Optional[str] = None) -> Table:
        """How the reports share a clock, which begins with the first of them: a time t of a report is
        ``t + offset + drift * (t - middle)`` on it. `align`: as in ``stats``; None: what suits best."""
        return Table("clocks", "prof_report_run_clocks", (self.paths, align), None)


class Partial:
    """What reports add to the statistics of a job. Partial results merge in any order, with the same result. They can
    be pickled, so other processes and machines can make them, next to their reports."""

    def __init__(self, batches: Any) -> None:
        """`batches`: an Arrow table, as `arrow()` returns it."""
        self._table = batches

    def arrow(self) -> Any:
        """The rows as a pyarrow table."""
        return self._table

    def stats(self, name: str, by: str = "run") -> Table:
        """As `Run.stats()`; the partial result must have been made with this statistic. The median of very different
        values is within 0.5 %, and its column has "(approx)" in its name."""
        return Table(name, "prof_report_partial_statistic", (_library.Given(self._table), name, by), None)


def read_partial(path: PathName, statistics: Sequence[str]) -> Tuple[Any, str]:
    """The rows of `partial()`, and why the file beside the report does not fit (empty: it does, or there is none)."""
    rows = Table("partial", "prof_report_partial", (os.fspath(path), list(statistics)), None).arrow()
    unfit = (rows.schema.metadata or {}).get(b"unfit", b"").decode()
    return rows.replace_schema_metadata(), unfit


def partial(path: PathName, statistics: Sequence[str] = ()) -> Partial:
    """What a report adds to statistics of its job. Default: all usual ones that can be merged. It is read from the file
    that ``prof profile --partial=true`` has written beside the report, if that fits; if not, a warning says why."""
    rows, unfit = read_partial(path, statistics)
    if unfit:
        warnings.warn(f"{os.fspath(path)}.partial is not used: {unfit}", stacklevel=2)
    return Partial(rows)


def merge(partials: Sequence[Partial]) -> Partial:
    """The sum of partial results."""
    given = _library.GivenList([each.arrow() for each in partials])
    return Partial(Table("partial", "prof_report_merge", (given,), None).arrow())


def open_run(paths: Union[PathName, Sequence[PathName]]) -> Run:
    """Opens the reports of a job: a folder with reports, also in its folders, or a list of reports and folders."""
    return Run(paths)


def _files_of(name: str) -> List[str]:
    if not os.path.isdir(name):
        return [name]
    files = []
    for folder, folders, names in os.walk(name):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        files += [str(Path(folder) / each) for each in names if each.endswith(_ENDINGS) and not each.startswith(".")]
    return sorted(files)


__all__ = ["Partial", "Run", "merge", "open_run", "partial"]
