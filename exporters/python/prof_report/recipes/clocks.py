"""The clock that the reports of a job share, for --align."""

import argparse
import os
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

from .._library import ReportError
from .._run import open_run
from .failures import RecipeError


class Clock(NamedTuple):
    """What makes a time of a report common: t + offset + drift * (t - middle)."""
    offset: int = 0
    drift: float = 0.0
    middle: int = 0

    def common(self, times: Any) -> Any:
        """Times of the report (a number, an array or a column) on the common clock."""
        moved = times + self.offset
        return moved if self.drift == 0 else moved + (self.drift * (times - self.middle)).round().astype("int64")

    def own(self, time: int) -> int:
        """The time of the report at a time of the common clock."""
        moved = time - self.offset
        return moved if self.drift == 0 else moved - round(self.drift * (moved - self.middle) / (1 + self.drift))


def clock_of(args: Optional[argparse.Namespace], path: Optional[str]) -> Clock:
    """The clock of a report, as clocks_of() found it; without --align the report's own."""
    clocks: Dict[str, Clock] = getattr(args, "clocks", None) or {}
    return clocks.get(path or "", Clock())


def clocks_of(args: argparse.Namespace, shows_common_times: bool, paths: Sequence[str]) -> Dict[str, Clock]:
    """The clocks of the reports as --align says; none without that option."""
    if getattr(args, "align", None) is None:
        return {}
    if args.filter_time is None and not shows_common_times:
        raise RecipeError("--align says what --filter-time counts on: give both", 2)
    if len(paths) < 2:
        raise RecipeError("--align needs several reports", 2)
    missing = [path for path in paths if not os.path.exists(path)]
    if missing:
        raise RecipeError(f"--align needs all reports on this machine, which does not have {missing[0]}")
    try:
        rows: List[Dict[str, Any]] = open_run(paths).clocks(args.align).arrow().to_pylist()
    except ReportError as error:
        raise RecipeError(f"--{error}" if str(error).startswith("align: ") else str(error),
                          2 if str(error).startswith("align: ") else 1) from None
    return {row["report"]: Clock(row["offset"], row["drift"], row["middle"]) for row in rows}
