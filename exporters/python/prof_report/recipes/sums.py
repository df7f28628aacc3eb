"""Sums by name: CUDA calls, kernels, copies and fills, NVTX ranges, OS runtime calls."""

import argparse
from typing import Any, Dict, Optional, Sequence

import pandas

from .._report import Report
from . import events
from .option import Option
from .partials import values_of
from .recipe import Parts, Recipe
from .statistics import describe, exact, of_all_ranks, value_counts

EXACT = Option("--exact", action="store_true",
               help="all_stats has Std, Q1, Median and Q3 of all events, too, beside nsys's approximations")


class Sum(Recipe):
    """Statistics by name of each report, and of all reports."""

    key = "Name"
    has_devices = False
    extra = ""  # a column that is summed, too
    partial = ""  # the statistic of REPORT.partial that has the same groups
    options = [EXACT]

    def events(self, report: Report, args: argparse.Namespace) -> Optional[pandas.DataFrame]:
        """The events with the columns of the key, `value`, and `Device ID` if there are devices."""
        raise NotImplementedError

    def from_partial(self, report: Report, args: argparse.Namespace) -> Optional[pandas.DataFrame]:
        """What events() returns, of the file with partial results beside the report. None: the file does not have
        it."""
        given = any(events.filters(args).values())
        found = None if given or not self.partial else values_of(report.path, self.partial, ["Name", *self.labels()])
        return None if found is None else self.named(report, found)

    def labels(self) -> Sequence[str]:
        """The labels of a group in partial results after the name."""
        return ["Device ID"] if self.has_devices else []

    def named(self, report: Report, found: pandas.DataFrame) -> pandas.DataFrame:
        """Values of partial results with the names that events() gives them."""
        del report
        return found

    def map(self, report: Report, args: argparse.Namespace) -> Optional[Dict[str, pandas.DataFrame]]:
        found = self.from_partial(report, args)
        if found is None:
            found = self.events(report, args)
        if found is None or not len(found):
            return None
        # Sums of floating-point numbers depend on the order. Partial results have that of the values.
        found = found.sort_values("value", kind="stable")
        result = {"rank_stats": describe(found, [self.key], self.extra)}
        if self.has_devices:
            result["rank_stats_by_device"] = describe(found, [self.key, "Device ID"])
        if args.exact:
            result["values"] = value_counts(found, self.key)
        return result

    def reduce(self, parts: Parts, args: argparse.Namespace) -> Dict[str, pandas.DataFrame]:
        found = list(parts)
        tables = {name: self.by_rank((rank, part[name]) for rank, part in found)
                  for name in ("rank_stats", "rank_stats_by_device") if name in found[0][1]}
        tables["all_stats"] = of_all_ranks(tables["rank_stats"], self.extra)
        if args.exact:
            tables["all_stats"] = tables["all_stats"].join(exact([part["values"] for _, part in found], self.key))
        return tables


def _with_durations(frame: Optional[pandas.DataFrame], name: str, key: str) -> Optional[pandas.DataFrame]:
    if frame is None:
        return None
    found = {key: frame[name], "value": frame["end"] - frame["start"]}
    if "deviceId" in frame:
        found["Device ID"] = frame["deviceId"]
    return pandas.DataFrame(found)


class CudaApiSum(Sum):
    """CUDA API calls by name"""

    partial = "recipe:cuda_api_sum"

    def events(self, report: Report, args: argparse.Namespace) -> Optional[pandas.DataFrame]:
        return _with_durations(events.calls(report, ["start", "end", "name"], args, True), "name", "Name")


class OsrtSum(Sum):
    """OS runtime calls by name"""

    partial = "osrt_sum"

    def events(self, report: Report, args: argparse.Namespace) -> Optional[pandas.DataFrame]:
        return _with_durations(events.osrt_calls(report, args), "name", "Name")


class CudaGpuKernSum(Sum):
    """Kernels by name"""

    has_devices = True
    partial = "recipe:cuda_gpu_kern_sum"

    def events(self, report: Report, args: argparse.Namespace) -> Optional[pandas.DataFrame]:
        kernels = events.read(report, events.KERNELS, ["start", "end", "deviceId", "shortName"], args, True)
        return _with_durations(kernels, "shortName", "Name")


class CudaGpuMemSum(Sum):
    """Copies and fills by kind"""

    has_devices = True

    def value(self, frame: pandas.DataFrame) -> Any:
        """What is summed."""
        raise NotImplementedError

    def named(self, report: Report, found: pandas.DataFrame) -> pandas.DataFrame:
        kinds = {str(kind): name for kind, name in events.enumeration(report, "ENUM_CUDA_MEMCPY_OPER", "name").items()}
        return found.assign(Name=found["Name"].astype(object).map({**kinds, "-1": "CUDA_MEMSET"}))

    def events(self, report: Report, args: argparse.Namespace) -> Optional[pandas.DataFrame]:
        columns = ["start", "end", "deviceId", "bytes"]
        copies = events.read(report, events.COPIES, [*columns, "copyKind"], args)
        fills = events.read(report, events.FILLS, columns, args)
        found = []
        if copies is not None:
            kinds = events.enumeration(report, "ENUM_CUDA_MEMCPY_OPER", "name")
            found.append(copies.assign(Name=copies["copyKind"].map(kinds)))
        if fills is not None:
            found.append(fills.assign(Name="CUDA_MEMSET"))
        if not found:
            return None
        both = pandas.concat(found)
        return pandas.DataFrame({"Name": both["Name"], "value": self.value(both), "Device ID": both["deviceId"]})


class CudaGpuMemTimeSum(CudaGpuMemSum):
    """Copies and fills by time"""

    partial = "recipe:cuda_gpu_mem_time_sum"

    def value(self, frame: pandas.DataFrame) -> Any:
        return frame["end"] - frame["start"]


class CudaGpuMemSizeSum(CudaGpuMemSum):
    """Copies and fills by bytes"""

    partial = "recipe:cuda_gpu_mem_size_sum"

    def named(self, report: Report, found: pandas.DataFrame) -> pandas.DataFrame:
        return super().named(report, found).astype({"value": "uint64"})

    def value(self, frame: pandas.DataFrame) -> Any:
        return frame["bytes"]


class NvtxSum(Sum):
    """NVTX ranges by name"""

    key = "Text"
    domain: Optional[str] = None

    def events(self, report: Report, args: argparse.Namespace) -> Optional[pandas.DataFrame]:
        found = _with_durations(events.ranges(report, args, self.domain), "text", "Text")
        return None if found is None else found.astype({"value": "float64"})


class NcclSum(NvtxSum):
    """NVTX ranges of NCCL by name"""

    domain = "NCCL"
