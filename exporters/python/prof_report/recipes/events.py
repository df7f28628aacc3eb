"""Events of a report as pandas tables, for the recipes of this package."""

import argparse
from typing import Any, Dict, Optional, Sequence

import pandas
import pyarrow

from .._report import Report
from .clocks import clock_of

KERNELS = "CUPTI_ACTIVITY_KIND_KERNEL"
COPIES = "CUPTI_ACTIVITY_KIND_MEMCPY"
FILLS = "CUPTI_ACTIVITY_KIND_MEMSET"
CALLS = "CUPTI_ACTIVITY_KIND_RUNTIME"
RANGES = "NVTX_EVENTS"
# ENUM_NSYS_EVENT_TYPE: push/pop and start/end ranges, and those of threads that push in one domain
RANGE_TYPES = (59, 60, 70, 71)
DOMAIN_TYPE = 75
_OSRT_CALL = 27  # ENUM_NSYS_EVENT_CLASS
_BACKTRACE = 67


def filters(args: argparse.Namespace, path: Optional[str] = None) -> Dict[str, Any]:
    """The filters of the command line, as methods of Report take them. `path`: the report's, whose clock --align
    compared with those of others."""
    start, end = getattr(args, "filter_time", None) or (getattr(args, "start", None), getattr(args, "end", None))
    clock = clock_of(args, path)
    start, end = (None if time is None else clock.own(time) for time in (start, end))
    return {"start": start, "end": end, "nvtx": getattr(args, "filter_nvtx", None) or getattr(args, "nvtx", None)}


def _pandas(table: pyarrow.Table) -> pandas.DataFrame:
    """The table, also if two ids have the same text, which categories of pandas cannot have."""
    for at, field in enumerate(table.schema):
        column = table.column(at)
        if pyarrow.types.is_dictionary(field.type) and column.num_chunks:
            texts = column.chunk(0).dictionary
            if len(texts.unique()) < len(texts):
                table = table.set_column(at, field.name, column.cast(field.type.value_type))
    return table.to_pandas()


def read(report: Report, table: str, columns: Sequence[str], args: Optional[argparse.Namespace] = None,
         names: bool = False) -> Optional[pandas.DataFrame]:
    """The columns of the events that the command line selects; None if the report has no such events. Columns that
    an old report does not have are empty."""
    if table not in report.tables_with_rows:
        return None
    there = report.table(table, names=names).columns
    chosen = [column for column in columns if column in there]
    frame = _pandas(report.table(table, chosen, names=names, **(filters(args, report.path) if args else {})).arrow())
    for column in columns:
        if column not in there:
            frame[column] = None
    return frame if len(frame) else None


def calls(report: Report, columns: Sequence[str], args: Optional[argparse.Namespace] = None,
          names: bool = False) -> Optional[pandas.DataFrame]:
    """Calls of the CUDA API."""
    found = read(report, CALLS, [*columns, "eventClass"], args, names)
    return None if found is None else found[found.pop("eventClass") != _BACKTRACE]


def osrt_calls(report: Report, args: argparse.Namespace) -> Optional[pandas.DataFrame]:
    """Calls of the OS runtime with start, end and name."""
    found = read(report, "OSRT_API", ["start", "end", "name", "eventClass"], args, names=True)
    return None if found is None else found[found.pop("eventClass") == _OSRT_CALL]


def enumeration(report: Report, table: str, column: str) -> Dict[int, str]:
    """{id: name} of one of nsys's ENUM tables."""
    frame = read(report, table, ["id", column])
    return {} if frame is None else dict(zip(frame["id"], frame[column]))


def pid_of(ids: pandas.Series) -> pandas.Series:
    """The PIDs in globalPid or globalTid."""
    return (ids.astype("uint64") // (1 << 24)) % (1 << 24)


def tid_of(ids: pandas.Series) -> pandas.Series:
    """The TIDs in globalTid."""
    return ids.astype("uint64") % (1 << 24)


def session_start(report: Report) -> int:
    """When the session began, in ns of UTC."""
    frame = read(report, "TARGET_INFO_SESSION_START_TIME", ["utcEpochNs"])
    return 0 if frame is None else int(frame["utcEpochNs"].iloc[0])


def ranges(report: Report, args: argparse.Namespace, domain: Optional[str] = None) -> Optional[pandas.DataFrame]:
    """NVTX ranges: start, end, text, globalTid. Those that never ended end with the latest event. `domain`: only those
    of the domain with this name."""
    events = read(report, RANGES, ["start", "end", "eventType", "text", "textId", "globalTid", "domainId"], args,
                  names=True)
    if events is None:
        return None
    latest = max(events["start"].max(), events["end"].max())
    if domain is not None:
        events = events[events["domainId"].isin(_domains(report, domain))]
    events = events[events["eventType"].isin(RANGE_TYPES)]
    found = pandas.DataFrame({
        "start": events["start"], "end": events["end"].fillna(latest),
        "text": events["text"].astype(object).where(events["text"].notna(), events["textId"].astype(object)),
        "globalTid": events["globalTid"]})
    found = found[found["text"].notna()]
    return found if len(found) else None


def _domains(report: Report, name: str) -> Any:
    events = read(report, RANGES, ["eventType", "text", "textId", "domainId"], names=True)
    if events is None:
        return []
    named = events[(events["eventType"] == DOMAIN_TYPE) & ((events["text"] == name) | (events["textId"] == name))]
    return named["domainId"]
