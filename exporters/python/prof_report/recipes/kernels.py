"""All kernels: their durations, and how they overlap."""

import argparse
from typing import Any, Dict, Optional

import numpy
import pandas

from .._report import Report
from . import events
from .recipe import Parts, Recipe

_COMMUNICATION = "Communication Overlap"
_COMPUTE = "Compute Overlap"


def _kernels(report: Report, args: argparse.Namespace) -> Optional[pandas.DataFrame]:
    columns = ["start", "end", "shortName", "deviceId", "globalPid"]
    found = events.read(report, events.KERNELS, columns, args, names=True)
    return None if found is None else found.sort_values("start", kind="stable")


class CudaGpuKernHist(Recipe):
    """Durations of all kernels"""

    def map(self, report: Report, args: argparse.Namespace) -> Optional[pandas.DataFrame]:
        kernels = _kernels(report, args)
        if kernels is None:
            return None
        return pandas.DataFrame({"Duration": kernels["end"] - kernels["start"], "Name": kernels["shortName"].astype(str)})

    def reduce(self, parts: Parts, args: argparse.Namespace) -> Dict[str, pandas.DataFrame]:
        return {"analysis": self.by_rank(parts)}


class _Cover:
    """For how long at least `depth` of the intervals are there, from the beginning to any moment."""

    def __init__(self, start: Any, end: Any, depth: int) -> None:
        moments = numpy.concatenate([start, end])
        order = numpy.argsort(moments, kind="stable")
        self._moments = moments[order]
        steps = numpy.concatenate([numpy.ones(len(start), int), -numpy.ones(len(end), int)])[order]
        covered = numpy.cumsum(steps)[:-1] >= depth
        lengths = numpy.where(covered, numpy.diff(self._moments), 0)
        self._sums = numpy.concatenate([[0], numpy.cumsum(lengths)])
        self._covered = numpy.append(covered, False)

    def until(self, moments: Any) -> Any:
        """The covered time before each moment."""
        at = numpy.searchsorted(self._moments, moments, side="right") - 1
        rest = numpy.where(self._covered[at], moments - self._moments[at], 0)
        return numpy.where(at < 0, 0, self._sums[at] + rest)


def _overlaps(kernels: pandas.DataFrame) -> pandas.DataFrame:
    """For each kernel of a GPU: for how long another communication kernel runs beside it, and another one that
    computes."""
    start, end = kernels["start"].to_numpy(), kernels["end"].to_numpy()
    is_communication = kernels["is_communication"].to_numpy()
    found = {}
    for column, of_class in ((_COMMUNICATION, is_communication), (_COMPUTE, ~is_communication)):
        if not of_class.any():
            found[column] = numpy.zeros(len(kernels), int)
            continue
        one, two = (_Cover(start[of_class], end[of_class], depth) for depth in (1, 2))  # a kernel covers itself once
        found[column] = numpy.where(of_class, two.until(end) - two.until(start), one.until(end) - one.until(start))
    return pandas.DataFrame(found, index=kernels.index)


def _percent(time: Any, duration: Any) -> Any:
    return (100 * time / duration.where(duration > 0)).fillna(0.0).round(1)


class NcclGpuOverlapTrace(Recipe):
    """Overlap of communication and computation"""

    def map(self, report: Report, args: argparse.Namespace) -> Optional[Dict[str, pandas.DataFrame]]:
        kernels = _kernels(report, args)
        if kernels is None:
            return None
        names = kernels["shortName"].astype(str)
        kernels = kernels.assign(shortName=names, is_communication=names.str.startswith("nccl"))
        overlaps = pandas.concat(_overlaps(gpu) for _, gpu in kernels.groupby(["globalPid", "deviceId"], sort=False))
        kernels = kernels.join(overlaps).sort_values("is_communication", ascending=False, kind="stable")
        duration = kernels["end"] - kernels["start"]
        trace = pandas.DataFrame({
            "Name": kernels["shortName"], "Start": kernels["start"], "End": kernels["end"],
            "PID": events.pid_of(kernels["globalPid"]), "DeviceID": kernels["deviceId"],
            _COMMUNICATION: _percent(kernels[_COMMUNICATION], duration),
            _COMPUTE: _percent(kernels[_COMPUTE], duration)})
        groups = kernels.assign(duration=duration).groupby("shortName")
        sums = groups[[_COMMUNICATION, _COMPUTE, "duration"]].sum()
        sums.insert(0, "Count", groups.size())
        return {"rank_trace": trace.set_index("Name"), "sums": sums.rename_axis("Name")}

    def reduce(self, parts: Parts, args: argparse.Namespace) -> Dict[str, pandas.DataFrame]:
        found = list(parts)
        sums = pandas.concat([part["sums"] for _, part in found]).groupby(level=0).sum()
        grouped = pandas.DataFrame({"Count": sums["Count"], _COMMUNICATION: _percent(sums[_COMMUNICATION], sums["duration"]),
                                    _COMPUTE: _percent(sums[_COMPUTE], sums["duration"])})
        return {"rank_trace": self.by_rank((rank, part["rank_trace"]) for rank, part in found), "grouped_trace": grouped}
