"""Makes a report of prof from what Nsight Compute measured.

    python3 -m prof_report.ncu measured.ncu-rep -o report.db

reads files of ncu with NVIDIA's module ncu_report (``pip install ncu-report``), and the raw page of ncu without it:

    ncu --import measured.ncu-rep --page raw --csv --print-units base > measured.csv

Such a report has kernels and their metrics. These files have no times of launches: they follow each other there.
"""

import argparse
import csv
import importlib
import math
import os
import sqlite3
import sys
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Dict, Iterator, NamedTuple, Optional, Sequence, Tuple, Union

from ._library import ReportError

Metrics = Dict[str, Tuple[float, str]]  # value and unit


class Launch(NamedTuple):
    """A profiled launch."""

    name: str  # demangled
    short_name: str
    mangled: str
    process: int
    program: str
    metrics: Metrics
    texts: Dict[str, str]  # values that are not numbers

    def number(self, metric: str) -> int:
        return int(self.metrics.get(metric, (0, ""))[0])


# --- Files of ncu.

# Units as ncu prints them without prefixes, and the factor to them.
_UNITS = {"nsecond": ("ns", 1), "usecond": ("ns", 1e3), "msecond": ("ns", 1e6), "second": ("ns", 1e9),
          "us": ("ns", 1e3), "ms": ("ns", 1e6), "s": ("ns", 1e9), "hertz": ("hz", 1)}
_PREFIXES = {"K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


def base_unit(unit: str) -> Tuple[str, float]:
    """The unit without a prefix, and the factor to it."""
    unit = unit.replace("/second", "/s")
    if unit in _UNITS:
        return _UNITS[unit]
    if unit[:1] in _PREFIXES and unit[1:].startswith(("byte", "hz")):
        return unit[1:], _PREFIXES[unit[0]]
    if unit.startswith("cycle/") and unit.endswith("second") and unit != "cycle/second":
        return "hz", 1 / _UNITS[unit[len("cycle/"):]][1] * 1e9
    return ("hz", 1) if unit in ("cycle/s", "cycle/second") else (unit, 1)


def _add(metrics: Metrics, name: str, value: float, unit: str) -> None:
    if math.isfinite(value):
        base, factor = base_unit(unit)
        metrics[name] = (value * factor, base)


def _actions(path: str) -> Iterator[Any]:
    try:
        module = importlib.import_module("ncu_report")
    except ImportError as error:
        raise ReportError(
            f"{path} needs NVIDIA's module ncu_report ({error}): {sys.executable} -m pip install ncu-report. "
            f"Or import what ncu --import {path} --page raw --csv --print-units base > {Path(path).stem}.csv writes"
        ) from None
    try:
        context = module.load_report(path)
    except Exception as error:  # of ncu_report, whatever its type
        raise ReportError(f"{path}: ncu_report cannot read it: {error}") from None
    if context is None:
        raise ReportError(f"{path}: ncu_report cannot read it")
    for number in range(context.num_ranges()):
        part = context.range_by_idx(number)
        for at in range(part.num_actions()):
            yield part.action_by_idx(at)


def _metrics_of(action: Any) -> Tuple[Metrics, Dict[str, str]]:
    metrics: Metrics = {}
    texts: Dict[str, str] = {}
    for name in action.metric_names():
        metric = action.metric_by_name(name)
        if metric is None or not metric.has_value():
            continue
        value = metric.value()
        if isinstance(value, str):
            texts[name] = value
        elif value is not None:
            _add(metrics, name, float(value), metric.unit() or "")
    return metrics, texts


def _of_file(path: str) -> Iterator[Launch]:
    for action in _actions(path):
        metrics, texts = _metrics_of(action)
        yield Launch(action.name(action.NameBase_DEMANGLED), action.name(action.NameBase_FUNCTION),
                     action.name(action.NameBase_MANGLED), 1, "ncu", metrics, texts)


# --- Raw pages of ncu.

_TEXTS = ("ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size",
          "Grid Size", "Device", "CC")


def _number(text: str) -> Optional[float]:
    with suppress(ValueError):
        return float(text.replace(",", ""))
    return None


def _dimensions(metrics: Metrics, name: str, text: str) -> None:
    for axis, size in zip("xyz", text.strip("()").split(",")):
        metrics.setdefault(f"launch__{name}_dim_{axis}", (_number(size) or 1, ""))


def _of_page(path: str) -> Iterator[Launch]:
    with open(path, encoding="utf-8", errors="replace", newline="") as file:
        lines = [line for line in file if not line.startswith("==")]  # messages of ncu
    rows = list(csv.reader(lines))
    if len(rows) < 2 or not {"Kernel Name", "Grid Size", "Block Size"} <= set(rows[0]):
        raise ReportError(f"{path} is not a raw page of ncu: ncu --import FILE --page raw --csv --print-units base")
    names, units = rows[0], rows[1]
    for row in rows[2:]:
        metrics: Metrics = {}
        texts = dict(zip(names, row))
        for name, unit, text in zip(names, units, row):
            value = None if name in _TEXTS else _number(text)
            if value is not None:
                _add(metrics, name, value, unit)
        _dimensions(metrics, "grid", texts["Grid Size"])
        _dimensions(metrics, "block", texts["Block Size"])
        for metric, column in (("launch__context_id", "Context"), ("launch__stream_id", "Stream")):
            metrics.setdefault(metric, (_number(texts.get(column, "")) or 0, ""))
        name = texts["Kernel Name"]
        words = name.split("(")[0].split("<")[0].split()
        yield Launch(name, words[-1] if words else name, name, int(_number(texts.get("Process ID", "")) or 1),
                     texts.get("Process Name", "ncu"), metrics, texts)


# --- The report.

# The columns that are filled, with those of common/report/schema that cannot be NULL. A test compares them.
_TABLES = {
    "StringIds": "id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL",
    "META_DATA_CAPTURE": "name TEXT NOT NULL, value TEXT",
    "PROCESSES": "globalPid INTEGER, pid INTEGER, name TEXT",
    "TARGET_INFO_CUDA_DEVICE": "gpuId INTEGER, cudaId INTEGER NOT NULL, pid INTEGER NOT NULL",
    "TARGET_INFO_GPU": """vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, l2CacheSize INTEGER,
        totalMemory INTEGER, clockRate INTEGER, smCount INTEGER, chipName TEXT, cuDevice INTEGER,
        maxShmemPerBlockOptin INTEGER, maxShmemPerSm INTEGER,
        maxRegistersPerSm INTEGER, threadsPerWarp INTEGER, maxWarpsPerSm INTEGER,
        maxBlocksPerSm INTEGER, maxThreadsPerBlock INTEGER, computeMajor INTEGER, computeMinor INTEGER""",
    "CUPTI_ACTIVITY_KIND_KERNEL": """start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
        contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
        demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER,
        registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL,
        blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL,
        dynamicSharedMemory INTEGER NOT NULL, localMemoryPerThread INTEGER NOT NULL, localMemoryTotal INTEGER NOT NULL,
        gridId INTEGER NOT NULL, sharedMemoryExecuted INTEGER, graphNodeId INTEGER""",
    "PROF_KERNEL_PROFILES": """id INTEGER NOT NULL PRIMARY KEY, globalPid INTEGER NOT NULL,
        correlationId INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,
        streamId INTEGER NOT NULL, nameId INTEGER NOT NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL,
        gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL,
        invocation INTEGER NOT NULL, mode TEXT NOT NULL, passes INTEGER NOT NULL, status TEXT NOT NULL, reason TEXT""",
    "PROF_KERNEL_METRICS": "profileId INTEGER NOT NULL, metricId INTEGER NOT NULL, value REAL NOT NULL",
    "PROF_METRIC_NAMES": """metricId INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, unit TEXT NOT NULL,
        description TEXT, chip TEXT""",
}
_GPU = {"l2CacheSize": "l2_cache_size", "totalMemory": "total_memory", "smCount": "multiprocessor_count",
        "maxShmemPerBlockOptin": "max_shared_memory_per_block_optin",
        "maxShmemPerSm": "max_shared_memory_per_multiprocessor",
        "maxRegistersPerSm": "max_registers_per_multiprocessor", "threadsPerWarp": "warp_size",
        "maxWarpsPerSm": "max_warps_per_multiprocessor", "maxBlocksPerSm": "max_blocks_per_multiprocessor",
        "maxThreadsPerBlock": "max_threads_per_block", "computeMajor": "compute_capability_major",
        "computeMinor": "compute_capability_minor"}
_CHIPS = {(7, 0): "GV100", (7, 5): "TU102", (8, 0): "GA100", (8, 6): "GA102", (8, 7): "GA10B", (8, 9): "AD102",
          (9, 0): "GH100", (10, 0): "GB100", (10, 3): "GB110", (12, 0): "GB202", (12, 1): "GB20B"}


class _Writer:
    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._strings: Dict[str, int] = {}
        self._metrics: Dict[str, int] = {}
        self._seen: Dict[str, int] = {}  # launches of each kernel
        self._gpus: Dict[Tuple[int, int], None] = {}
        self._processes: Dict[int, int] = {}
        self._time = 0
        for table, columns in _TABLES.items():
            database.execute(f"CREATE TABLE {table} ({columns})")
        self.string("[Unknown]", 0)

    def insert(self, table: str, **values: Any) -> None:
        self._database.execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})",
                               list(values.values()))

    def string(self, text: str, number: Optional[int] = None) -> int:
        if text not in self._strings:
            self._strings[text] = len(self._strings) if number is None else number
            self.insert("StringIds", id=self._strings[text], value=text)
        return self._strings[text]

    def _process(self, launch: Launch) -> int:
        if launch.process not in self._processes:
            self._processes[launch.process] = 1 << 48 | (launch.process & 0xFFFFFF) << 24
            self.insert("PROCESSES", globalPid=self._processes[launch.process], pid=launch.process, name=launch.program)
        return self._processes[launch.process]

    def _add_gpu(self, launch: Launch) -> Tuple[int, str]:
        """The ordinal of the launch's GPU, and its chip."""
        def attribute(name: str) -> int:
            return launch.number(f"device__attribute_{name}")
        device = launch.number("launch__device_id") or attribute("device_index")
        chip = _CHIPS.get((attribute("compute_capability_major"), attribute("compute_capability_minor")), "")
        if (device, launch.process) not in self._gpus:
            if not any(known == device for known, _ in self._gpus):
                self.insert("TARGET_INFO_GPU", vmId=0, id=device, cuDevice=device, chipName=chip,
                            name=launch.texts.get("device__attribute_display_name", ""),
                            clockRate=attribute("clock_rate") * 1000,
                            **{column: attribute(name) for column, name in _GPU.items()})
            self.insert("TARGET_INFO_CUDA_DEVICE", gpuId=device, cudaId=device, pid=launch.process)
            self._gpus[device, launch.process] = None
        return device, chip

    def add(self, number: int, launch: Launch) -> None:
        device, chip = self._add_gpu(launch)
        name = self.string(launch.name)
        where = {"globalPid": self._process(launch), "correlationId": number + 1, "deviceId": device,
                 "contextId": launch.number("launch__context_id"), "streamId": launch.number("launch__stream_id"),
                 **{f"{what}{axis}": launch.number(f"launch__{what}_dim_{axis.lower()}") or 1
                    for what in ("grid", "block") for axis in "XYZ"}}
        duration = max(1, launch.number("gpu__time_duration.sum"))
        self.insert("CUPTI_ACTIVITY_KIND_KERNEL", start=self._time, end=self._time + duration, demangledName=name,
                    shortName=self.string(launch.short_name), mangledName=self.string(launch.mangled), gridId=number,
                    registersPerThread=launch.number("launch__registers_per_thread"),
                    staticSharedMemory=launch.number("launch__shared_mem_per_block_static"),
                    dynamicSharedMemory=launch.number("launch__shared_mem_per_block_dynamic"),
                    sharedMemoryExecuted=launch.number("launch__shared_mem_config_size"), localMemoryPerThread=0,
                    localMemoryTotal=0, **where)
        self._time += duration
        self.insert("PROF_KERNEL_PROFILES", id=number, nameId=name, invocation=self._seen.get(launch.name, 0),
                    mode="kernel", passes=launch.number("profiler__replayer_passes"), status="ok", **where)
        self._seen[launch.name] = self._seen.get(launch.name, 0) + 1
        self._add_metrics(number, launch, chip)

    def _add_metrics(self, number: int, launch: Launch, chip: str) -> None:
        for metric, (value, unit) in launch.metrics.items():
            if metric.startswith("device__attribute_"):
                continue
            if metric not in self._metrics:
                self._metrics[metric] = len(self._metrics)
                self.insert("PROF_METRIC_NAMES", metricId=self._metrics[metric], name=metric, unit=unit, chip=chip)
            self.insert("PROF_KERNEL_METRICS", profileId=number, metricId=self._metrics[metric], value=value)


def convert(source: Union[str, "os.PathLike[str]"], report: Union[str, "os.PathLike[str]"],
            overwrite: bool = False) -> int:
    """Writes the report. Returns the number of launches."""
    source, report = os.fspath(source), Path(report)
    if not os.path.exists(source):
        raise ReportError(f"{source}: no such file")
    if report.exists() and not overwrite:
        raise ReportError(f"{report} exists (--force-overwrite replaces it)")
    launches = list(_of_page(source) if source.endswith(".csv") else _of_file(source))
    if not launches:
        raise ReportError(f"{source} has no profiled kernels")
    temporary = report.with_name(report.name + ".new")
    with suppress(FileNotFoundError):
        temporary.unlink()
    try:
        with closing(sqlite3.connect(temporary)) as database:
            writer = _Writer(database)
            writer.insert("META_DATA_CAPTURE", name="IMPORTED_FROM", value=os.path.abspath(source))
            for number, launch in enumerate(launches):
                writer.add(number, launch)
            database.commit()
        temporary.replace(report)
    except BaseException:
        with suppress(FileNotFoundError):
            temporary.unlink()
        raise
    return len(launches)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python3 -m prof_report.ncu", description=(
        "Make a report of prof from what Nsight Compute measured: .ncu-rep (needs ncu-report), or a raw page as .csv."))
    parser.add_argument("source", metavar="FILE.ncu-rep|FILE.csv")
    parser.add_argument("-o", "--output", metavar="REPORT", help="default: FILE.db in the current folder")
    parser.add_argument("-f", "--force-overwrite", action="store_true", help="replace an existing report")
    options = parser.parse_args(arguments)
    output = options.output or Path(options.source).stem + ".db"
    try:
        number = convert(options.source, output, options.force_overwrite)
    except (ReportError, OSError, sqlite3.Error) as error:
        print(f"prof: {error}", file=sys.stderr)
        return 1
    print(f"Generated:\n\t{os.path.abspath(output)} ({number} launches)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
