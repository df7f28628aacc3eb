#!/usr/bin/env python3
"""Reports of `prof kernel` made from what Nsight Compute measured.

ncu_kernels.tsv has the metrics that rules, roofline and memory chart need, of 14 kernels with known behaviour and of a
matrix product of cuBLAS; ncu_estimates.tsv has what Nsight Compute says about them. To make both again:

    ncu_report.py RAW.csv.gz DETAILS.csv.gz CUBLAS_RAW.csv.gz CUBLAS_DETAILS.csv.gz

from `ncu --import R --page raw --csv --print-units base` and `--page details --csv` of ncu 2025.3.1 on an H100.
"""
import contextlib
import csv
import gzip
import math
import os
import sqlite3
import sys
from pathlib import Path

HERE = Path(__file__).parent
KERNELS, ESTIMATES = HERE / "ncu_kernels.tsv", HERE / "ncu_estimates.tsv"
SCHEMA = Path(os.environ.get("PROF_SOURCE", HERE.parent.parent)) / "common/report/schema"
TABLES = """StringIds CUPTI_ACTIVITY_KIND_KERNEL PROF_KERNEL_PROFILES PROF_KERNEL_METRICS PROF_METRIC_NAMES
    TARGET_INFO_GPU TARGET_INFO_CUDA_DEVICE PROCESSES META_DATA_CAPTURE TARGET_INFO_SYSTEM_ENV""".split()
COLUMNS = 11  # of a raw page before the metrics
PREFIXES = {"K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
LAUNCH = {"registersPerThread": "launch__registers_per_thread",
          "staticSharedMemory": "launch__shared_mem_per_block_static",
          "dynamicSharedMemory": "launch__shared_mem_per_block_dynamic",
          "sharedMemoryExecuted": "launch__shared_mem_config_size"}
GPU = {"name": "NVIDIA H100 80GB HBM3", "chipName": "GH100", "smCount": 132, "threadsPerWarp": 32, "maxWarpsPerSm": 64,
       "maxBlocksPerSm": 32, "maxRegistersPerSm": 65536, "maxShmemPerSm": 233472, "computeMajor": 9, "computeMinor": 0}


def base_unit(unit):
    """The unit without a prefix, and the factor."""
    if unit in ("us", "ms", "s"):
        return "ns", {"us": 1e3, "ms": 1e6, "s": 1e9}[unit]
    if unit[:1] in PREFIXES and unit[1:].startswith(("byte", "hz")):
        return unit[1:], PREFIXES[unit[0]]
    return unit, 1


def number(text):
    with contextlib.suppress(ValueError):
        value = float(text.replace(",", ""))
        return value if math.isfinite(value) else None
    return None


def raw_page(path):
    """Units by metric, and the kernels: values by column."""
    with gzip.open(path, "rt") as file:
        names, units, *rows = csv.reader(file)
    kernels = [dict(zip(names[:COLUMNS], row)) for row in rows]
    found = {}
    for at in range(COLUMNS, len(names)):
        found[names[at]], factor = base_unit(units[at])
        for kernel, row in zip(kernels, rows):
            if (value := number(row[at])) is not None:
                kernel[names[at]] = value * factor
    return found, kernels


def known_kernels():
    """What ncu_kernels.tsv has, as raw_page() returns it."""
    with open(KERNELS, encoding="utf-8") as file:
        rows = list(csv.reader(file, delimiter="\t"))
    kernels = [{} for _ in rows[0][2:]]
    units = {}
    for name, unit, *values in rows:
        for kernel, value in zip(kernels, values):
            if value:
                kernel[name] = value if name[0].isupper() else float(value)
        if not name[0].isupper():
            units[name] = unit
    return units, kernels


def dimensions(text):
    return [int(each) for each in text.strip("()").split(",")]


class NcuReport:
    """A report of one process. Launches begin every 2 ms."""

    def __init__(self, path, units):
        self.path = path
        self.database = sqlite3.connect(path)
        for table in TABLES:
            self.database.executescript((SCHEMA / f"{table}.sql").read_text())
        self.process = 1 << 48 | 1061 << 24
        self.metrics = {name: at for at, name in enumerate(sorted(units))}
        self.database.executemany("INSERT INTO PROF_METRIC_NAMES VALUES (?, ?, ?, NULL, 'GH100')",
                                  [(at, name, units[name]) for name, at in self.metrics.items()])
        self.database.execute("INSERT INTO StringIds VALUES (0, '[Unknown]')")
        columns = ", ".join(["vmId", "id", "cuDevice", *GPU])
        self.database.execute(f"INSERT INTO TARGET_INFO_GPU ({columns}) VALUES (0, 0, 0{', ?' * len(GPU)})",
                              list(GPU.values()))
        self.database.execute("INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 1061)")
        self.database.execute("INSERT INTO PROCESSES VALUES (?, 1061, '/work/kernels')", [self.process])
        self.strings = {}
        self.launches = 0

    def string(self, text):
        if text not in self.strings:
            self.strings[text] = len(self.strings) + 1
            self.database.execute("INSERT INTO StringIds VALUES (?, ?)", [self.strings[text], text])
        return self.strings[text]

    def launch(self, kernel, only=None):
        """A profiled launch; with `only` of these metrics."""
        name = self.string(kernel["Kernel Name"])
        grid, block = dimensions(kernel["Grid Size"]), dimensions(kernel["Block Size"])
        at, correlation = self.launches, 100 + self.launches
        start, short_name = at * 2_000_000, self.string(kernel["Kernel Name"].split("(")[0])
        values = {"start": start, "end": start + round(kernel["gpu__time_duration.sum"]), "deviceId": 0,
                  "contextId": int(kernel["Context"]), "streamId": int(kernel["Stream"]), "correlationId": correlation,
                  "globalPid": self.process, "demangledName": name, "shortName": short_name,
                  "mangledName": name, "localMemoryPerThread": 0, "localMemoryTotal": 0, "gridId": at,
                  **{f"grid{axis}": size for axis, size in zip("XYZ", grid)},
                  **{f"block{axis}": size for axis, size in zip("XYZ", block)},
                  **{column: round(kernel.get(metric, 0)) for column, metric in LAUNCH.items()}}
        self.database.execute(f"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL ({', '.join(values)}) VALUES "
                              f"({', '.join('?' * len(values))})", list(values.values()))
        self.database.execute("INSERT INTO PROF_KERNEL_PROFILES "
                              "VALUES (?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, "
                              "'kernel', 38, 'ok', NULL)",
                              [at, self.process, correlation, values["contextId"], values["streamId"], name,
                               *grid, *block])
        self.database.executemany("INSERT INTO PROF_KERNEL_METRICS VALUES (?, ?, ?)",
                                  [(at, self.metrics[metric], kernel[metric]) for metric in self.metrics
                                   if metric in kernel and (only is None or metric in only)])
        self.launches += 1

    def done(self):
        self.database.commit()
        self.database.close()
        return self.path


def make_report(path, *, kernels=None, change=None):
    """A report with one launch of each known kernel, or of those with these numbers; `change` may change each."""
    units, known = known_kernels()
    report = NcuReport(path, units)
    for at in range(len(known)) if kernels is None else kernels:
        kernel = dict(known[at])
        if change:
            change(kernel)
        report.launch(kernel)
    return report.done()


def needed_metrics():
    with open(KERNELS, encoding="utf-8") as file:
        return [row[0] for row in csv.reader(file, delimiter="\t")]


def short(value):
    return f"{value:.12g}" if isinstance(value, float) else value


def make_files(pages):
    names = needed_metrics()
    raw = [raw_page(path) for path in pages[::2]]
    units = raw[0][0]
    kernels = [each for _, page in raw for each in page]
    with open(KERNELS, "w", encoding="utf-8") as file:
        for name in names:
            print(name, units.get(name, ""), *[short(each.get(name, "")) for each in kernels], sep="\t", file=file)
    first = 0
    with open(ESTIMATES, "w", encoding="utf-8") as file:
        for path, (_, page) in zip(pages[1::2], raw):
            with gzip.open(path, "rt") as details:
                for row in csv.DictReader(details):
                    if row["Estimated Speedup"]:
                        print(first + int(row["ID"]), row["Rule Name"], row["Estimated Speedup Type"],
                              row["Estimated Speedup"].replace(",", ""), sep="\t", file=file)
            first += len(page)


if __name__ == "__main__":
    make_files(sys.argv[1:])
