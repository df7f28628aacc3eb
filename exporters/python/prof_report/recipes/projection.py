"""NVTX ranges with the times of the GPU work that they launched."""

import argparse
from typing import Any, Dict, List, Optional, Tuple

import numpy
import pandas

from .._report import Report
from . import events
from .option import Option
from .recipe import Parts, Recipe
from .sums import Sum

_TIDS = 1 << 24  # globalTid has the TID in its lowest 24 bits
_DEVICE = ["deviceId"]
_STREAM = ["deviceId", "streamId"]


class _Extremes:
    """The smallest or largest value of any part of an array."""

    def __init__(self, values: Any, choose: Any) -> None:
        self._choose = choose
        self._levels = [values]
        while len(self._levels[-1]) > (width := 1 << (len(self._levels) - 1)):
            last = self._levels[-1]
            self._levels.append(choose(last[:-width], last[width:]))

    def of(self, first: Any, last: Any) -> Any:
        """Of the values from `first` to before `last`, for arrays of both. No part is empty."""
        level = numpy.frexp(last - first)[1] - 1  # the largest power of two that fits
        found = numpy.empty(len(first), self._levels[0].dtype)
        for each in numpy.unique(level):
            chosen, row = level == each, self._levels[each]
            found[chosen] = self._choose(row[first[chosen]], row[last[chosen] - (1 << each)])
        return found


def _operations(report: Report, args: argparse.Namespace) -> Optional[pandas.DataFrame]:
    """Kernels, copies and fills, each with the call that launched it."""
    columns = ["start", "end", "deviceId", "streamId", "correlationId", "globalPid"]
    frames = [events.read(report, table, columns, args) for table in (events.KERNELS, events.COPIES, events.FILLS)]
    frames = [frame for frame in frames if frame is not None]
    calls = events.calls(report, ["start", "end", "correlationId", "globalTid"])
    if not frames or calls is None:
        return None
    found = pandas.concat(frames)
    found["pid"] = found.pop("globalPid") // _TIDS
    calls["pid"] = calls["globalTid"] // _TIDS
    calls = calls[calls["correlationId"] != 0].rename(columns={"start": "callStart", "end": "callEnd"})
    return found.merge(calls, on=["pid", "correlationId"], how="inner")


def _projected(ranges: pandas.DataFrame, operations: pandas.DataFrame) -> pandas.DataFrame:
    """The ranges of one thread that launched any of these operations, with the times of those."""
    operations = operations.sort_values(["callStart", "callEnd"], kind="stable")
    starts, ends = operations["callStart"].to_numpy(), operations["callEnd"].to_numpy()
    first = numpy.searchsorted(starts, ranges["start"].to_numpy(), side="left")
    last = numpy.searchsorted(starts, ranges["end"].to_numpy(), side="right")
    range_ends = ranges["end"].to_numpy()
    while True:  # a call that the end of the range interrupts is not in it
        late = (last > first) & (ends[last - 1] > range_ends)
        if not late.any():
            break
        last = last - late
    is_used = last > first
    first, last = first[is_used], last[is_used]
    used = ranges[is_used]
    return used.assign(gpuStart=_Extremes(operations["start"].to_numpy(), numpy.minimum).of(first, last),
                       gpuEnd=_Extremes(operations["end"].to_numpy(), numpy.maximum).of(first, last))


def _stacks(start: List[Any], end: List[Any], number: int) -> Tuple[List[List[int]], List[int]]:
    """The enclosing ranges of each range of a thread, and itself, as numbers; how many ranges each directly encloses.
    The ranges are sorted by start; those that enclose others come first."""
    open_ranges: List[int] = []
    stacks, children = [], [0] * len(start)
    for at, (begin, finish) in enumerate(zip(start, end)):
        while open_ranges and not (start[open_ranges[-1]] <= begin and finish <= end[open_ranges[-1]]):
            open_ranges.pop()
        if open_ranges:
            children[open_ranges[-1]] += 1
        open_ranges.append(at)
        stacks.append([number + each for each in open_ranges])
    return stacks, children


def project(report: Report, args: argparse.Namespace, keys: Optional[List[str]] = None,
            domain: Optional[str] = None) -> Optional[pandas.DataFrame]:
    """The NVTX ranges that launched GPU work, thread by thread, with its times: on all GPUs, or for each of `keys`.
    `domain`: only those of this domain."""
    ranges, operations = events.ranges(report, args, domain), _operations(report, args)
    if ranges is None or operations is None:
        return None
    by_thread = dict(list(operations.groupby("globalTid")))
    found, number = [], 0
    for thread, of_thread in ranges.groupby("globalTid", sort=True):
        if thread not in by_thread:
            continue
        for values, chosen in (by_thread[thread].groupby(keys) if keys else [((), by_thread[thread])]):
            ordered = of_thread.sort_values(["start", "end"], ascending=[True, False], kind="stable")
            projected = _projected(ordered, chosen)
            if not len(projected):
                continue
            stacks, children = _stacks(projected["start"].tolist(), projected["end"].tolist(), number)
            number += len(projected)
            extra = dict(zip(keys or [], values if isinstance(values, tuple) else (values,)))
            found.append(projected.assign(stack=stacks, children=children, **extra))
    return pandas.concat(found) if number else None


class NvtxGpuProjTrace(Recipe):
    """NVTX ranges with the times of their GPU work"""

    options = [Option("--per-gpu", action="store_true", help="a row for each GPU on which the range has work"),
               Option("--per-stream", action="store_true", help="a row for each stream on which the range has work")]

    def map(self, report: Report, args: argparse.Namespace) -> Optional[pandas.DataFrame]:
        keys = _STREAM if args.per_stream else _DEVICE if args.per_gpu else []
        found = project(report, args, keys)
        if found is None:
            return None
        stacks = found["stack"]
        trace = pandas.DataFrame({
            "Text": found["text"].astype(str), "Start": found["gpuStart"], "End": found["gpuEnd"],
            "PID": events.pid_of(found["globalTid"]), "TID": events.tid_of(found["globalTid"]),
            "Stack Level": stacks.str.len() - 1, "Children Count": found["children"], "Range ID": stacks.str[-1],
            "Parent ID": stacks.str[-2].astype("Int64"), "Range Stack": stacks,
            **{name: found[key] for name, key in (("Device ID", "deviceId"), ("Stream ID", "streamId")) if key in keys}})
        return trace.reset_index(drop=True)

    def reduce(self, parts: Parts, args: argparse.Namespace) -> Dict[str, pandas.DataFrame]:
        return {"trace": self.by_rank(parts)}


class NvtxGpuProjSum(Sum):
    """NVTX ranges by the time of their GPU work"""

    key = "Text"
    extra = "Sum of NVTX Ranges on CPU"
    domain: Optional[str] = None

    def events(self, report: Report, args: argparse.Namespace) -> Optional[pandas.DataFrame]:
        found = project(report, args, domain=self.domain)
        if found is None:
            return None
        return pandas.DataFrame({"Text": found["text"], "value": found["gpuEnd"] - found["gpuStart"],
                                 self.extra: (found["end"] - found["start"]).astype("float64")})


class NcclGpuProjSum(NvtxGpuProjSum):
    """NVTX ranges of NCCL by the time of their GPU work"""

    domain = "NCCL"
