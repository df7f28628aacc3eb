"""The rules of prof analyze, for many reports."""

import argparse
from typing import Any, Dict, List, Optional, Tuple

import numpy
import pandas

from .._report import Report
from . import events
from .option import Option, whole_number
from .recipe import Parts, Recipe

_PAGEABLE = 0  # ENUM_CUDA_MEM_KIND
_KEPT = (1, 3, 4)  # pinned, managed, managed and static
_UNKNOWN = 7
_HOST_TO_DEVICE = 1  # ENUM_CUDA_MEMCPY_OPER
_WITHIN_DEVICES = (8, 10)
_STAGED = 64 * 1024  # bytes: a copy to a device of at most this size returns as soon as it is staged
_MILLISECOND = 1_000_000


class Rule(Recipe):
    """Rows that a rule finds, the worst of each rank first."""

    options = [Option.ROWS, Option.NVTX]

    def rows(self, report: Report, args: argparse.Namespace) -> Optional[pandas.DataFrame]:
        """The rows, sorted."""
        raise NotImplementedError

    def map(self, report: Report, args: argparse.Namespace) -> Optional[pandas.DataFrame]:
        found = self.rows(report, args)
        if found is None or not len(found):
            return None
        return found.reset_index(drop=True).head(args.rows if args.rows > 0 else len(found))

    def reduce(self, parts: Parts, args: argparse.Namespace) -> Dict[str, pandas.DataFrame]:
        return {"analysis": self.by_rank(parts)}


def _longest_first(frame: pandas.DataFrame) -> pandas.DataFrame:
    return frame.sort_values("Duration", ascending=False, kind="stable")


class CudaApiSync(Rule):
    """CUDA calls that wait for the GPU"""

    def rows(self, report: Report, args: argparse.Namespace) -> Optional[pandas.DataFrame]:
        calls = events.calls(report, ["start", "end", "globalTid", "name"], args, names=True)
        if calls is None:
            return None
        calls = calls[calls["name"].astype(str).str.startswith(("cudaDeviceSynchronize", "cudaStreamSynchronize"))]
        return _longest_first(pandas.DataFrame({
            "Duration": calls["end"] - calls["start"], "Start": calls["start"],
            "PID": events.pid_of(calls["globalTid"]).astype("int64"),
            "TID": events.tid_of(calls["globalTid"]).astype("int64"), "API Name": calls["name"].astype(str)}))


class MemoryRule(Rule):
    """Copies or fills that a kind of call launched"""

    table = events.COPIES
    family = "cudaMemcpy"
    is_async = False
    kinds: List[Tuple[str, str]] = [("srcKind", "Src Kind"), ("dstKind", "Dst Kind")]

    def chosen(self, found: pandas.DataFrame) -> Any:
        """Which of the operations the rule names."""
        raise NotImplementedError

    def rows(self, report: Report, args: argparse.Namespace) -> Optional[pandas.DataFrame]:
        found = self._with_calls(report, args)
        if found is None:
            return None
        for column, _ in self.kinds:
            found[column] = found[column].fillna(_UNKNOWN).astype("int64")
        names = found["name"].astype(str)
        found = found[names.str.startswith(self.family) & (names.str.contains("Async") == self.is_async)]
        found = found[self.chosen(found)]
        labels = events.enumeration(report, "ENUM_CUDA_MEM_KIND", "label")
        rows = pandas.DataFrame({
            "Duration": found["end"] - found["start"], "Start": found["start"],
            **{name: found[column].map(labels) for column, name in self.kinds},
            "Bytes": found["bytes"].astype("int64"), "PID": events.pid_of(found["globalPid"]).astype("int64"),
            "Device ID": found["deviceId"].astype("int64"), "Context ID": found["contextId"].astype("int64"),
            "Green Context ID": _or_none(found["greenContextId"]), "Stream ID": found["streamId"].astype("int64"),
            "API Name": found["name"].astype(str)})
        return _longest_first(rows)

    def _with_calls(self, report: Report, args: argparse.Namespace) -> Optional[pandas.DataFrame]:
        columns = ["start", "end", "bytes", "globalPid", "deviceId", "contextId", "greenContextId", "streamId",
                   "correlationId", *(column for column, _ in self.kinds)]
        columns += ["copyKind"] if self.table == events.COPIES else []
        found = events.read(report, self.table, columns, args)
        calls = events.calls(report, ["globalTid", "correlationId", "name"], names=True)
        if found is None or calls is None:
            return None
        found["process"], calls["process"] = found["globalPid"] // (1 << 24), calls.pop("globalTid") // (1 << 24)
        return found.merge(calls, on=["process", "correlationId"], how="inner")


def _or_none(ids: pandas.Series) -> pandas.Series:
    """The ids; None for those that are missing or 0."""
    return pandas.Series([int(each) if each and each == each else None for each in ids], ids.index, object)


class CudaMemcpyAsync(MemoryRule):
    """Asynchronous copies that block: pageable memory"""

    is_async = True

    def chosen(self, found: pandas.DataFrame) -> Any:
        return (found["srcKind"] == _PAGEABLE) | (found["dstKind"] == _PAGEABLE)


class CudaMemcpySync(MemoryRule):
    """Copies for which the host waits"""

    def chosen(self, found: pandas.DataFrame) -> Any:
        to_device = found["copyKind"] == _HOST_TO_DEVICE
        return ~found["copyKind"].isin(_WITHIN_DEVICES) & (~to_device | (found["bytes"] > _STAGED))


class CudaMemsetSync(MemoryRule):
    """Fills for which the host waits"""

    table = events.FILLS
    family = "cudaMemset"
    kinds = [("memKind", "Memory Kind")]

    def chosen(self, found: pandas.DataFrame) -> Any:
        return found["memKind"].isin(_KEPT)


class _GpuRule(Rule):
    """A rule for the operations of each process on each GPU"""

    def of_device(self, start: Any, end: Any, args: argparse.Namespace) -> pandas.DataFrame:
        """The rows of one GPU, of operations sorted by start, with Duration and Start."""
        raise NotImplementedError

    def sorted(self, rows: pandas.DataFrame) -> pandas.DataFrame:
        """The rows, the worst first."""
        return _longest_first(rows)

    def rows(self, report: Report, args: argparse.Namespace) -> Optional[pandas.DataFrame]:
        columns = ["start", "end", "globalPid", "deviceId", "contextId"]
        frames = [events.read(report, table, columns, args) for table in (events.KERNELS, events.COPIES, events.FILLS)]
        frames = [frame for frame in frames if frame is not None]
        if not frames:
            return None
        found = []
        for (process, device), gpu in pandas.concat(frames).sort_values("start").groupby(["globalPid", "deviceId"]):
            rows = self.of_device(gpu["start"].to_numpy(), gpu["end"].to_numpy(), args)
            ids = {"PID": int(process) // (1 << 24) % (1 << 24), "Device ID": int(device),
                   "Context ID": int(gpu["contextId"].min())}
            found.append(rows.assign(**ids))
        rows = self.sorted(pandas.concat(found)).reset_index(drop=True)
        rows.insert(0, "Row#", rows.index.to_numpy() + 1)
        return rows


class GpuGaps(_GpuRule):
    """Long idle times of GPUs"""

    options = [*Rule.options, Option("--gap", type=whole_number(0), default=500, metavar="MS",
                                     help="show idle times that are longer. Default: 500")]

    def of_device(self, start: Any, end: Any, args: argparse.Namespace) -> pandas.DataFrame:
        busy_until = numpy.maximum.accumulate(end)[:-1]
        gaps = start[1:] - busy_until
        long = gaps > args.gap * _MILLISECOND
        return pandas.DataFrame({"Duration": gaps[long], "Start": busy_until[long]})


class GpuTimeUtil(_GpuRule):
    """Times in which GPUs are used little"""

    options = [*Rule.options,
               Option("--threshold", type=whole_number(0), default=50, metavar="PERCENT",
                      help="show times with less use. Default: 50"),
               Option("--chunks", type=whole_number(1), default=30, metavar="N",
                      help="into how many equal parts the time is divided. Default: 30")]

    def sorted(self, rows: pandas.DataFrame) -> pandas.DataFrame:
        return rows.sort_values(["In-Use", "Duration"], ascending=[True, False], kind="stable").round({"In-Use": 1})

    def of_device(self, start: Any, end: Any, args: argparse.Namespace) -> pandas.DataFrame:
        first, last = start.min(), end.max()
        length = max(1, -(-(last - first) // args.chunks))
        bounds = numpy.append(numpy.arange(first, last, length), last)
        used = numpy.diff(_used_until(start, end, bounds))
        chunks = pandas.DataFrame({"start": bounds[:-1], "end": bounds[1:], "used": used})
        chunks = chunks[100 * chunks["used"] < args.threshold * (chunks["end"] - chunks["start"])]
        blocks = (chunks["start"] != chunks["end"].shift()).cumsum()  # neighbours are one row
        joined = chunks.groupby(blocks).agg(start=("start", "min"), end=("end", "max"), used=("used", "sum"))
        duration = joined["end"] - joined["start"]
        return pandas.DataFrame({"In-Use": 100 * joined["used"] / duration, "Duration": duration,
                                 "Start": joined["start"]})


def _used_until(start: Any, end: Any, moments: Any) -> Any:
    """The sum of the durations before each moment, where those that overlap count each."""
    def passed(times: Any) -> Any:
        """The sum of the time since each of `times`."""
        ordered = numpy.sort(times)
        sums = numpy.concatenate([[0], numpy.cumsum(ordered - ordered[0])])
        count = numpy.searchsorted(ordered, moments)
        return count * (moments - ordered[0]) - sums[count]

    return passed(start) - passed(end)
