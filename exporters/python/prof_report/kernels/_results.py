"""Values of kernels by annotation, read from a report of prof kernel, and their averages over runs."""

import importlib
import math
import os
import socket
import sqlite3
from contextlib import closing
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

from .._library import ReportError
from ._ranges import DOMAIN, PREFIX

RUN = "prof.kernels.run "  # the range of a run of a configuration: its numbers follow


def pandas() -> Any:
    try:
        return importlib.import_module("pandas")
    except ImportError:
        raise ReportError("prof_report.kernels needs pandas: pip install pandas") from None


class Launch(NamedTuple):
    """A profiled launch inside of an annotation."""

    config: int  # -1: the annotation is in no run
    run: int
    annotation: str
    kernel: str
    gpu: str
    clock: float  # Hz
    metrics: Dict[str, Tuple[float, str]]  # value and unit


class _Range(NamedTuple):
    start: int
    end: int
    thread: int
    text: str


_RANGES = """
SELECT n.start, n.end, n.globalTid, IFNULL(n.text, s.value), d.text FROM NVTX_EVENTS n
LEFT JOIN StringIds s ON s.id = n.textId
LEFT JOIN NVTX_EVENTS d ON d.eventType = 75 AND d.domainId = n.domainId AND n.domainId != 0
    AND d.globalTid >> 24 = n.globalTid >> 24
WHERE n.eventType = 59 AND n.end IS NOT NULL ORDER BY n.start, n.end DESC
"""
_LAUNCHES = """
SELECT p.id, k.start, p.globalPid, p.deviceId, r.start, r.globalTid, s.value
FROM PROF_KERNEL_PROFILES p
JOIN CUPTI_ACTIVITY_KIND_KERNEL k ON k.correlationId = p.correlationId AND k.globalPid = p.globalPid
LEFT JOIN CUPTI_ACTIVITY_KIND_RUNTIME r
    ON r.correlationId = p.correlationId AND r.globalTid >> 24 = p.globalPid >> 24
JOIN StringIds s ON s.id = p.nameId
WHERE p.status = 'ok' GROUP BY p.id ORDER BY p.id
"""
_GPUS = """
SELECT d.pid, d.cudaId, g.name, g.clockRate FROM TARGET_INFO_CUDA_DEVICE d JOIN TARGET_INFO_GPU g ON g.id = d.gpuId
"""
_VALUES = """
SELECT m.profileId, n.name, m.value, n.unit FROM PROF_KERNEL_METRICS m JOIN PROF_METRIC_NAMES n USING (metricId)
"""


def _has(database: sqlite3.Connection, *tables: str) -> bool:
    known = {name for name, in database.execute("SELECT name FROM sqlite_master")}
    return set(tables) <= known


def _ranges(database: sqlite3.Connection) -> List[_Range]:
    """The annotations and the runs around them."""
    if not _has(database, "NVTX_EVENTS"):
        return []
    found = []
    for start, end, thread, text, domain in database.execute(_RANGES):
        if domain == DOMAIN:
            found.append(_Range(start, end, thread, text))
        elif domain is None and text is not None and text.startswith(PREFIX):
            found.append(_Range(start, end, thread, text[len(PREFIX):]))
    return found


def _around(ranges: Sequence[_Range], time: int, process: int, thread: Optional[int]) -> List[_Range]:
    """The ranges around a time in a thread, outermost first; without any, those of the only other thread with some."""
    open_ones = [each for each in ranges if each.start <= time <= each.end and each.thread >> 24 == process >> 24]
    own = [each for each in open_ones if each.thread == thread]
    if own or len({each.thread for each in open_ones}) > 1:
        return own
    return open_ones


def launches(path: Union[str, "os.PathLike[str]"]) -> Iterator[Launch]:
    """The profiled launches inside of annotations, in their order."""
    with closing(sqlite3.connect(f"file:{os.fspath(path)}?mode=ro", uri=True)) as database:
        if not _has(database, "PROF_KERNEL_PROFILES", "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME"):
            return
        metrics: Dict[int, Dict[str, Tuple[float, str]]] = {}
        for profile, name, value, unit in database.execute(_VALUES):
            metrics.setdefault(profile, {})[name] = (value, unit)
        gpus: Dict[Tuple[int, int], Tuple[str, float]] = {}
        if _has(database, "TARGET_INFO_CUDA_DEVICE", "TARGET_INFO_GPU"):
            gpus = {(pid, device): (name, clock) for pid, device, name, clock in database.execute(_GPUS)}
        ranges = _ranges(database)
        for profile, start, process, device, called, thread, kernel in database.execute(_LAUNCHES):
            around = _around(ranges, start if called is None else called, process, thread)
            names = [each.text for each in around if not each.text.startswith(RUN)]
            if not names:
                continue
            runs = [each.text[len(RUN):].split("/") for each in around if each.text.startswith(RUN)]
            config, run = (int(runs[-1][0]), int(runs[-1][1])) if runs else (-1, 0)
            gpu, clock = gpus.get((process >> 24 & 0xFFFFFF, device), ("", math.nan))
            yield Launch(config, run, names[-1], kernel, gpu or "", clock or math.nan, metrics.get(profile, {}))


def read(path: Union[str, "os.PathLike[str]"]) -> Any:
    """The values of annotated kernels of a report of prof kernel: a row for each launch and metric."""
    rows = [{"Annotation": each.annotation, "Config": each.config, "Run": each.run, "Metric": name, "Value": value,
             "Unit": unit, "Kernel": each.kernel, "GPU": each.gpu}
            for each in launches(path) for name, (value, unit) in each.metrics.items()]
    return pandas().DataFrame(rows, columns=["Annotation", "Config", "Run", "Metric", "Value", "Unit", "Kernel", "GPU"])


class ProfileResults:
    """The results of a call of a profiled function."""

    def __init__(self, results: Any) -> None:
        self._results = results

    def to_dataframe(self) -> Any:
        """A row for each annotation, configuration and metric, with the average of the runs and their spread."""
        if self._results is None:
            raise ReportError("prof records this program: when it has ended, kernels.read(REPORT) has the values")
        return self._results


class Value(NamedTuple):
    """A metric of an annotation in a run, with the kernels that were launched."""

    value: float
    unit: Any  # NaN: not known
    kernel: str
    gpu: str
    clock: float


def combined(group: Sequence[Launch], metric: str, combine: Optional[Callable[[float, float], float]]) -> Value:
    """The metric of the launches of an annotation in a run."""
    first = group[0]
    if len(group) > 1 and combine is None:
        raise ReportError(f"the annotation {first.annotation!r} launched {len(group)} kernels in a run. Say how their "
                          "values become one: combine_kernel_metrics=lambda x, y: x + y")
    values = [each.metrics.get(metric, (math.nan, ""))[0] for each in group]
    total = values[0]
    for value in values[1:]:
        assert combine is not None
        total = combine(total, value)
    unit = next((each.metrics[metric][1] for each in group if metric in each.metrics), math.nan)
    return Value(total, unit, "|".join(each.kernel for each in group), first.gpu, first.clock)


def average(rows: Sequence[Dict[str, Any]], fields: Sequence[str], normalize_against: Optional[str]) -> Any:
    """The DataFrame of the results. `rows`: the values of each run, with the configuration's number as "config"."""
    groups: Dict[Tuple[Any, ...], List[Dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["Annotation"], row["config"], row["Metric"]), []).append(row)
    table = [_averaged(group, fields) for group in groups.values()]
    baseline = {(row["config"], row["Metric"]): row["AvgValue"] for row in table
                if row["Annotation"] == normalize_against}
    if normalize_against is not None and not baseline:
        raise ReportError(f"normalize_against: the annotation {normalize_against!r} has no values")
    for row in table:
        row["Normalized"] = False if normalize_against is None else normalize_against
        if normalize_against is not None:
            divisor = baseline.get((row["config"], row["Metric"]), math.nan)
            row["AvgValue"] = row["AvgValue"] / divisor if divisor else math.nan
    for row in table:
        like = [each["AvgValue"] for each in table
                if (each["Annotation"], each["Metric"]) == (row["Annotation"], row["Metric"]) and each["AvgValue"] > 0]
        row["Geomean"] = math.exp(sum(map(math.log, like)) / len(like)) if like else math.nan
    for row in table:
        del row["config"]
    frame = pandas().DataFrame(table)
    if table:
        frame["StableMeasurement"] = frame["StableMeasurement"].astype("boolean")
    return frame


def _averaged(group: Sequence[Dict[str, Any]], fields: Sequence[str]) -> Dict[str, Any]:
    """A row of the results: the average of the runs, and their spread."""
    values = [row["Value"] for row in group if not math.isnan(row["Value"])]
    number = len(values)
    mean = sum(values) / number if number else math.nan
    deviation = math.sqrt(sum((value - mean) ** 2 for value in values) / (number - 1)) if number > 1 else math.nan
    margin = 1.96 * deviation / math.sqrt(number) if number else math.nan
    relative = 100 * deviation / abs(mean) if mean else math.nan
    first = group[0]
    return {
        "Annotation": first["Annotation"], **{name: first[name] for name in fields}, "AvgValue": mean,
        "StdDev": deviation, "MinValue": min(values, default=math.nan), "MaxValue": max(values, default=math.nan),
        "NumRuns": number, "CI95_Lower": mean - margin, "CI95_Upper": mean + margin, "RelativeStdDevPct": relative,
        "StableMeasurement": None if math.isnan(relative) else relative < 2, "Metric": first["Metric"],
        "Unit": first["Unit"], "Kernel": first["Kernel"], "GPU": first["GPU"], "Host": socket.gethostname(),
        "ComputeClock": first["ComputeClock"], "MemoryClock": math.nan, "config": first["config"]}
