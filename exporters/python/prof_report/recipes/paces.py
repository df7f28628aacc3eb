"""How one kernel or range progresses on each rank."""

import argparse
from typing import Any, Dict, List, Optional

import pandas

from .._report import Report
from . import events
from .clocks import clock_of
from .option import Option
from .projection import project
from .recipe import Parts, Recipe
from .statistics import COLUMNS, QUARTILES, describe, of_all_ranks

_SHIFTED = ("start", "end")


def pace_of(occurrences: pandas.DataFrame) -> pandas.DataFrame:
    """Start, end, duration, distance to the one before, and their running sums, in order of time. The first distance
    is that to the begin of the session."""
    ordered = occurrences.sort_values("start", kind="stable").reset_index(drop=True)
    start, end = ordered["start"], ordered["end"]
    duration, delta = end - start, start - end.shift(fill_value=0)
    return pandas.DataFrame({"start": start, "end": end, "duration": duration, "delta": delta,
                             "duration_accum": duration.cumsum(), "delta_accum": delta.cumsum()})


class Pace(Recipe):
    """Start, end, duration and distance of each occurrence of one name, a column for each rank."""

    key = "Text"
    shows_common_times = True

    def events(self, report: Report, args: argparse.Namespace) -> Optional[pandas.DataFrame]:
        """All events with `name`, start and end."""
        raise NotImplementedError

    def map(self, report: Report, args: argparse.Namespace) -> Optional[Dict[str, Any]]:
        found = self.events(report, args)
        found = None if found is None else found[found["name"] == args.name]
        if found is None or not len(found):
            return None
        clock = clock_of(args, report.path)
        pace = pace_of(found)
        for name in _SHIFTED:
            pace[name] = clock.common(pace[name])
        stats = describe(pandas.DataFrame({self.key: found["name"], "value": found["end"] - found["start"]}), [self.key])
        return {"pace": pace, "stats": stats, "session_start": 0 if args.align else events.session_start(report)}

    def reduce(self, parts: Parts, args: argparse.Namespace) -> Dict[str, pandas.DataFrame]:
        results = [part for _, part in parts]
        first = min(part["session_start"] for part in results)
        tables = {}
        for name in results[0]["pace"]:
            columns = {str(rank): part["pace"][name] + (part["session_start"] - first if name in _SHIFTED else 0)
                       for rank, part in enumerate(results)}
            tables[f"pace_{name}"] = pandas.DataFrame(columns)
        tables["pace_delta_stats"] = _by_row(tables["pace_delta"])
        tables["stats"] = of_all_ranks(pandas.concat([part["stats"] for part in results]))
        return tables


def _by_row(frame: pandas.DataFrame) -> pandas.DataFrame:
    """Statistics of the ranks for each occurrence."""
    found = {"Count": frame.count(axis=1), "Mean": frame.mean(axis=1), "Std": frame.std(axis=1),
             "Min": frame.min(axis=1), **{name: frame.quantile(share, axis=1) for name, share in QUARTILES.items()},
             "Max": frame.max(axis=1), "Sum": frame.sum(axis=1)}
    return pandas.DataFrame(found)[COLUMNS].astype("float64")


def _name(what: str) -> List[Option]:
    return [Option("--name", required=True, help=f"name of the {what} that divides the program into iterations")]


class CudaGpuKernPace(Pace):
    """How one kernel progresses on each rank"""

    key = "Shortname"
    options = _name("kernel, without parameters,")

    def events(self, report: Report, args: argparse.Namespace) -> Optional[pandas.DataFrame]:
        kernels = events.read(report, events.KERNELS, ["start", "end", "shortName"], args, names=True)
        return None if kernels is None else kernels.rename(columns={"shortName": "name"})


class NvtxPace(Pace):
    """How one NVTX range progresses on each rank"""

    options = _name("NVTX range")

    def events(self, report: Report, args: argparse.Namespace) -> Optional[pandas.DataFrame]:
        ranges = events.ranges(report, args)
        return None if ranges is None else ranges.rename(columns={"text": "name"}).astype({"end": "float64"})


class NvtxGpuProjPace(Pace):
    """How one NVTX range progresses on the GPUs"""

    options = _name("NVTX range")

    def events(self, report: Report, args: argparse.Namespace) -> Optional[pandas.DataFrame]:
        found = project(report, args)
        return None if found is None else pandas.DataFrame(
            {"name": found["text"], "start": found["gpuStart"], "end": found["gpuEnd"]})
