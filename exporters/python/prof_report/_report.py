"""A report of prof, or an SQLite file that nsys exported."""

import os
from pathlib import Path
from typing import Any, List, Optional, Sequence, Union

from . import _library
from ._library import Processes, ReportError
from ._table import Table


class Report:
    """A report. It is opened read-only, and read again by each table.

    Filters of all methods:

    - `start`, `end`: events that overlap this time, in ns since the session began.
    - `nvtx`: events that overlap an NVTX range in its process, ``"RANGE[@DOMAIN][/INDEX]"`` as
      ``--filter-nvtx`` of ``prof stats``: the first such range, or the one with this index.
    - `processes`: events of these processes: PIDs, or patterns for the program's name.
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self.path = _find(path)
        _library.check(self.path)

    def __repr__(self) -> str:
        return f"prof_report.open({self.path!r})"

    def table_facts(self) -> Any:
        """Each table as a dictionary: its name, whether it has rows, its description."""
        return Table("tables", "prof_report_tables", (self.path,), None).arrow().to_pylist()

    @property
    def tables(self) -> List[str]:
        """The names of the tables, in the order of the file."""
        return [row["name"] for row in self.table_facts()]

    @property
    def tables_with_rows(self) -> List[str]:
        """The names of the tables that are not empty."""
        return [row["name"] for row in self.table_facts() if row["rows"]]

    def table(
        self,
        name: str,
        columns: Optional[Sequence[str]] = None,
        *,
        names: bool = False,
        start: Optional[int] = None,
        end: Optional[int] = None,
        nvtx: Optional[str] = None,
        processes: Processes = None,
        wide: Sequence[str] = (),
        batch_rows: int = 0,
    ) -> Table:
        """A table of the report, with the types that nsys's Arrow exports have.

        `columns`: the columns to read, in this order. Default: all.
        `names`: columns with ids of StringIds (demangledName, nameId, …) have their texts.
        `wide`: columns of integers to read as int64.
        `batch_rows`: most rows of a batch; 0: 32768.
        """
        options = {"columns": columns, "names": names, "start": start, "end": end, "nvtx": nvtx,
                   "processes": processes, "wide": wide, "batch_rows": batch_rows}
        return Table(name, "prof_report_table", (self.path, name), options)

    def __getitem__(self, name: str) -> Table:
        return self.table(name)

    def kernels(
        self,
        *,
        nvtx: Optional[str] = None,
        names: bool = True,
        columns: Optional[Sequence[str]] = None,
        start: Optional[int] = None,
        end: Optional[int] = None,
        processes: Processes = None,
        range_of: Optional[str] = None,
    ) -> Table:
        """The kernels: start and end in ns, names, grid, block, memory in bytes.

        `nvtx`: only kernels that were launched inside of this NVTX range,
        ``"RANGE[@DOMAIN][/INDEX]"``: without INDEX inside of any such range.

        `range_of`: kernels of CUDA graphs are in the ranges of their ``"launch"``, of their
        ``"capture"`` or of ``"both"``. Default: both.
        """
        options = {"columns": columns, "names": names, "start": start, "end": end, "processes": processes,
                   "range_of": range_of}
        return Table("kernels", "prof_report_kernels", (self.path, nvtx), options)

    def stats(
        self,
        name: str,
        *,
        start: Optional[int] = None,
        end: Optional[int] = None,
        nvtx: Optional[str] = None,
        processes: Processes = None,
        range_of: Optional[str] = None,
    ) -> Table:
        """A statistic of ``prof stats`` with its arguments: ``"cuda_gpu_kern_sum"``,
        ``"nvtx_sum:merge"``. Headers have the units: ``"Total Time (ns)"``.

        `range_of`: the NVTX ranges of work in CUDA graphs: ``"launch"``, ``"capture"`` or ``"both"``.
        Default: both."""
        options = {"start": start, "end": end, "nvtx": nvtx, "processes": processes, "range_of": range_of}
        return Table(name, "prof_report_statistic", (self.path, name), options)

    @property
    def statistics(self) -> List[str]:
        """The names of the statistics that the report has data for."""
        rows = Table("statistics", "prof_report_statistics", (self.path,), None).arrow().to_pylist()
        return [row["name"] for row in rows if row["has_data"]]

    def findings(
        self,
        *,
        start: Optional[int] = None,
        end: Optional[int] = None,
        nvtx: Optional[str] = None,
        processes: Processes = None,
        range_of: Optional[str] = None,
    ) -> Table:
        """The findings of ``prof analyze``, most time at stake (ns) first. The first row, with rank
        0, is the verdict and the analyzed time. `range_of`: as in :meth:`stats`."""
        options = {"start": start, "end": end, "nvtx": nvtx, "processes": processes, "range_of": range_of}
        return Table("findings", "prof_report_findings", (self.path,), options)

    def iterations(
        self,
        range: Optional[str] = None,  # pylint: disable=redefined-builtin
        *,
        start: Optional[int] = None,
        end: Optional[int] = None,
        nvtx: Optional[str] = None,
        processes: Processes = None,
    ) -> Table:
        """The iterations of each GPU (training steps, tokens, …): start and duration in ns.
        `range`: the NVTX range that is an iteration. Default: it is found."""
        options = {"start": start, "end": end, "nvtx": nvtx, "processes": processes}
        return Table("iterations", "prof_report_iterations", (self.path, range), options)

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{_escaped(row['name'])}</td><td>{_escaped(row['description'])}</td></tr>"
                       for row in self.table_facts() if row["rows"] and not row["name"].startswith("ENUM_"))
        return f"<p>{_escaped(self.path)}</p><table><tr><th>table</th><th></th></tr>{rows}</table>"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _find(path: Union[str, "os.PathLike[str]"]) -> str:
    """The file of a name, as in prof's verbs: it may lack its extension, or have that of nsys's own reports."""
    name = os.fspath(path)
    base = name
    for ending in (".nsys-rep", ".qdrep"):
        base = base[:-len(ending)] if base.endswith(ending) else base
    is_there = Path(name).is_file()
    if is_there and (base == name or _is_sqlite(name)):
        return name
    for ending in (".sqlite",) if is_there else (".db", ".sqlite"):
        if Path(base + ending).is_file():
            return base + ending
    return name


def _is_sqlite(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(15) == b"SQLite format 3"


def open_report(path: Union[str, "os.PathLike[str]"]) -> Report:
    """Opens a report of prof, or an SQLite file that nsys exported. Raises ReportError for other
    files."""
    return Report(path)


__all__ = ["Report", "ReportError", "open_report"]
