"""A report with the metrics of 15 kernels (ncu_report) and the PC samples of four of them (pc_samples/)."""
import contextlib
import csv
import gzip
import sqlite3
import zlib
from pathlib import Path

import ncu_report

HERE = Path(__file__).parent / "pc_samples"
CRC = 77
NAMES = {"_Z9divergentPfi": "divergent(float *, int)",
         "_Z10gemm_tiledPKfS0_Pfi": "gemm_tiled(const float *, const float *, float *, int)",
         "_Z16histogram_globalPKjPji": "histogram_global(const unsigned int *, unsigned int *, int)",
         "_Z9transposeILi0EEvPKfPfi": "void transpose<0>(const float *, float *, int)"}
SLICES = 3
SLICE = 10_000_000  # ns


def instructions():
    with open(HERE / "instructions.tsv", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def add_samples(path, context=1):
    """Each row of instructions.tsv goes whole into one of three slices of time."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        for table in ("PROF_PC_SAMPLES", "PROF_CUBINS"):
            database.executescript((ncu_report.SCHEMA / f"{table}.sql").read_text())
        strings = dict(database.execute("SELECT value, id FROM StringIds"))

        def string(text):
            if text not in strings:
                strings[text] = max(strings.values()) + 1
                database.execute("INSERT INTO StringIds VALUES (?, ?)", [strings[text], text])
            return strings[text]

        for mangled, name in NAMES.items():
            database.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET mangledName = ? WHERE demangledName = ?",
                             [string(mangled), string(name)])
        (process,) = database.execute("SELECT globalPid FROM PROCESSES").fetchone()
        for at, row in enumerate(instructions()):
            start = at % SLICES * SLICE
            database.execute("INSERT INTO PROF_PC_SAMPLES VALUES (?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?)",
                             [start, start + SLICE, process, context, CRC, string(row["function"]), int(row["offset"]),
                              string(row["stall"]), int(row["samples"]), int(row["not_issued"])])
        cubin = gzip.decompress((HERE / "kernels.cubin.gz").read_bytes())
        database.execute("INSERT INTO PROF_CUBINS VALUES (?, ?, ?)", [CRC, len(cubin), zlib.compress(cubin)])
        database.commit()
    return path


def make_sampled_report(path):
    return add_samples(ncu_report.make_report(path))
