"""The names that recipes of nsys import, with what they do here:

    from prof_report.recipes.compat import DataService, Option, data_utils, helpers, logger, pace, recipe
"""

import argparse
import logging
from types import SimpleNamespace
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

import pandas

from .._report import open_report
from . import recipe
from .clocks import clock_of
from .option import Option
from .paces import pace_of
from .statistics import describe

logger = logging.getLogger("prof.recipe")


class DataService:
    """Reads tables of one report."""

    def __init__(self, report_path: str, parsed_args: Optional[argparse.Namespace] = None) -> None:
        self._report = open_report(report_path)
        window = getattr(parsed_args, "filter_time", None) or (None, None)
        clock = clock_of(parsed_args, report_path)
        self._range = tuple(None if time is None else clock.own(time) for time in window)
        self._queued: Dict[str, Optional[Sequence[str]]] = {}

    def read_tables(self, columns_by_table: Dict[str, Optional[Sequence[str]]]) -> Optional[Dict[str, pandas.DataFrame]]:
        """{table: its columns, or all if None}. Returns None if the report lacks one of the tables."""
        there = self._report.tables_with_rows
        for name in columns_by_table:
            if name not in there:
                logger.info("%s has no table %s", self._report.path, name)
                return None
        return {name: self._read(name, columns) for name, columns in columns_by_table.items()}

    def _read(self, name: str, columns: Optional[Sequence[str]]) -> pandas.DataFrame:
        has_times = "start" in self._report.table(name).columns
        start, end = self._range if has_times else (None, None)
        return self._report.table(name, columns, start=start, end=end).to_pandas()

    def queue_table(self, name: str, columns: Optional[Sequence[str]] = None) -> None:
        """A table that read_queued_tables() returns."""
        self._queued[name] = columns

    def read_queued_tables(self) -> Optional[Dict[str, pandas.DataFrame]]:
        """As read_tables(), of the queued tables."""
        return self.read_tables(self._queued)


def filter_by_time_range(frame: pandas.DataFrame, start: Optional[int] = None, end: Optional[int] = None) -> None:
    """Removes the events that do not overlap the time from the table itself."""
    outside = pandas.Series(False, frame.index)
    if start is not None:
        outside |= frame["end"] < start
    if end is not None:
        outside |= frame["start"] > end
    frame.drop(frame.index[outside], inplace=True)


def replace_id_with_value(frame: pandas.DataFrame, strings: pandas.DataFrame, id_column: str,
                          value_column: Optional[str] = None) -> pandas.DataFrame:
    """The table with texts of StringIds for the ids of a column."""
    texts = frame[id_column].map(strings.set_index("id")["value"])
    found = frame.assign(**{value_column or id_column: texts})
    return found.drop(columns=id_column) if value_column else found


def filter_none(results: Iterable[Any]) -> List[Any]:
    """The results that are not None."""
    return [result for result in results if result is not None]


class PaceInfo(NamedTuple):
    """What a pace has of one report."""
    filename: str
    pace_df: pandas.DataFrame
    stats_df: Optional[pandas.DataFrame]
    session_start: int


def get_session_start_time(frame: pandas.DataFrame) -> int:
    """utcEpochNs of TARGET_INFO_SESSION_START_TIME."""
    return int(frame["utcEpochNs"].iloc[0])


def compute_pace_stats_dfs(frame: pandas.DataFrame, name_column: str) -> Tuple[pandas.DataFrame, pandas.DataFrame]:
    """The pace of the events (start, end, duration, distance, and their sums), and statistics by name."""
    key = name_column.capitalize()
    durations = pandas.DataFrame({key: frame[name_column], "value": frame["end"] - frame["start"]})
    return pace_of(frame), describe(durations, [key])


def apply_time_offset(session_starts: Sequence[int], frames: Sequence[pandas.DataFrame]) -> None:
    """Shifts the times of each table itself to the clock of the session that began first."""
    first = min(session_starts)
    for session_start, frame in zip(session_starts, frames):
        for column in ("start", "end"):
            frame[column] += session_start - first


data_utils = SimpleNamespace(filter_by_time_range=filter_by_time_range, replace_id_with_value=replace_id_with_value)
helpers = SimpleNamespace(filter_none=filter_none)
pace = SimpleNamespace(PaceInfo=PaceInfo, get_session_start_time=get_session_start_time,
                       compute_pace_stats_dfs=compute_pace_stats_dfs, apply_time_offset=apply_time_offset)

__all__ = ["DataService", "Option", "data_utils", "helpers", "logger", "pace", "recipe"]
