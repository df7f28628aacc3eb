"""What public readers of nsys's reports make of a report: readers.py READER REPORT WORK PROF

Prints figures as JSON, in the last line. Figures do not depend on when the report was recorded: whole numbers, texts
and lists have to be the same for two reports of one program. Readers that need SQLite files to be writable get copies.
"""
import collections
import contextlib
import io
import json
import os
import re
import runpy
import shutil
import sqlite3
import subprocess
import sys
import types
from pathlib import Path

CHECKOUTS = Path(__file__).resolve().parents[3] / "build" / "suites" / "consumers"
# Tables, and columns that are the same in every report of a program.
COLUMNS = {"CUPTI_ACTIVITY_KIND_KERNEL": ["gridX", "blockX", "registersPerThread", "streamId", "deviceId"],
           "CUPTI_ACTIVITY_KIND_MEMCPY": ["bytes", "copyKind", "srcKind", "dstKind"],
           "CUPTI_ACTIVITY_KIND_MEMSET": ["bytes", "value", "memKind"],
           "CUPTI_ACTIVITY_KIND_RUNTIME": ["eventClass", "returnValue"],
           "NVTX_EVENTS": [], "TARGET_INFO_GPU": ["smCount", "totalMemory"]}


class MissingSource(Exception):
    """A reader that is not in a package."""


def checkout(name, repository, branch=""):
    folder = CHECKOUTS / name
    if not folder.exists():
        branch = f", branch {branch}," if branch else ""
        raise MissingSource(f"put a checkout of github.com/{repository}{branch} in {folder}")
    return folder


def counts(words):
    return dict(sorted(collections.Counter(map(str, words)).items()))


def bare_package(name, folder):
    """Lets modules below `folder` be imported without the code of the packages around them, and what that imports."""
    package = types.ModuleType(name)
    package.__path__ = [str(folder)]
    sys.modules[name] = package


def rows_of(report):
    connection = sqlite3.connect(f"file:{report}?mode=ro", uri=True)
    connection.row_factory = sqlite3.Row
    return connection


def nsys_ai(report, work, prof):
    """All of its analyses that need no argument, with sqlite3; its DuckDB way downloads an extension."""
    from nsys_ai.skills import registry
    stable = re.compile(r"(name|count|invocations|instances|kernels|calls|ops|bytes|direction|type|streams?|size_mb)$")

    def kept(value):
        if isinstance(value, dict):
            return {key: "a time" if key.isupper() else kept(each) for key, each in value.items() if key.isupper()
                    or isinstance(each, (dict, list)) or stable.search(key) and isinstance(each, (int, str))}
        return sorted(map(kept, value), key=str) if isinstance(value, list) else value
    figures = {}
    for skill in registry.all_skills():
        if any(getattr(parameter, "required", False) for parameter in getattr(skill, "params", [])):
            continue
        with rows_of(report) as connection:
            try:
                rows = skill.execute(connection)
            except Exception as failure:  # pylint: disable=broad-except
                rows = [{"type": f"fails with {type(failure).__name__}"}]
        figures[skill.name] = [kept(row) for row in rows] if skill.name != "schema_inspect" else len(rows) > 5
    return figures


def events_of(events):
    """Chrome events by category, and what the kernels' durations are."""
    figures = {"events": counts(event["cat"] for event in events)}
    figures["names"] = counts(f"{event['cat']} {event['name']}" for event in events)
    figures["kernel us"] = [event["dur"] for event in events if event["cat"] == "cuda"]
    return figures


def nsightful(report, work, prof):
    sys.path.insert(0, str(checkout("nsightful", "brycelelbach/nsightful") / "src"))
    from nsightful.nsys import convert_nsys_sqlite_to_json
    return events_of(convert_nsys_sqlite_to_json(rows_of(report)))


def nsys2json(report, work, prof):
    program = checkout("nsys2json", "chenyu-jiang/nsys2json") / "nsys2json.py"
    output = work / "events.json"
    subprocess.run([sys.executable, program, "-f", report, "-o", output, "-t", "kernel", "nvtx", "nvtx-kernel",
                    "cuda-api"], check=True, stdout=subprocess.DEVNULL)
    document = json.loads(output.read_text())
    return events_of(document if isinstance(document, list) else document["traceEvents"])


def nsys2prv(report, work, prof):
    """With prof in place of nsys, and the report named X.nsys-rep: it calls nsys export and nsys stats."""
    nsys = work / "bin" / "nsys"
    nsys.parent.mkdir()
    nsys.write_text(f'#!/bin/sh\nexec "{prof}" "$@"\n')
    nsys.chmod(0o755)
    shutil.copy(report, work / ("x" + report.suffix))
    subprocess.run([Path(sys.executable).parent / "nsys2prv", "-t", "nvtx_pushpop_trace,cuda_api_trace",
                    "x.nsys-rep", "trace"], cwd=work, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env={**os.environ, "NSYS_HOME": str(work)})
    lines = (work / "trace.prv").read_text().splitlines()
    names = (work / "trace.pcf").read_text().splitlines()
    return {"records": counts(line.split(":")[0] for line in lines if line[0] != "#"),
            "kernels and ranges": sorted(line.split(None, 1)[1] for line in names if re.match(r"\d+ +\D", line)),
            "rows": len((work / "trace.row").read_text().splitlines())}


def pipit(report, work, prof):
    """Its reader of nsys's CSV files."""
    sys.path.insert(0, str(checkout("pipit", "hpcgroup/pipit")))
    from pipit.readers.nsight_reader import NsightReader
    subprocess.run([prof, "stats", "-q", "-r", "nvtx_pushpop_trace", "-o", work / "x", report], check=True)
    events = NsightReader(work / "x_nvtx_pushpop_trace.csv").read().events
    return {"events": counts(events["Event Type"]), "names": counts(events["Name"]), "levels": counts(events["Lvl"])}


def pipit_sqlite(report, work, prof):
    """Its unfinished reader of SQLite files. It opens one file name and prints rows."""
    program = checkout("pipit-nsight_sqlite_reader", "hpcgroup/pipit", "nsight_sqlite_reader")
    place = work / "pipit" / "tests" / "data"
    place.mkdir(parents=True)
    shutil.copy(report, place / "saxpy-mpi-cuda_nsys_perlmutter0.sqlite")
    os.chdir(work)
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.suppress(sqlite3.OperationalError):  # needs CUDA_CALLCHAINS
        runpy.run_path(str(program / "pipit" / "readers" / "nsight_sqlite_reader.py"))
    lines = output.getvalue().splitlines()
    return {"tables": len([line for line in lines if line.startswith("['")]),
            "rows": [int(line) for line in lines if line.isdigit()]}


def extrap(report, work, prof):
    """It reads call chains of CUDA calls, so of reports without NVTX ranges."""
    root = checkout("extrap", "extra-p/extrap", "vNext")
    for name in ("extrap", "extrap.fileio", "extrap.fileio.file_reader", "extrap.fileio.file_reader.nv_reader"):
        bare_package(name, root / name.replace(".", "/"))
    from extrap.fileio.file_reader.nv_reader.nsys_db import NsysReport
    copy = work / "x.sqlite"
    shutil.copy(report, copy)
    names = ("get_kernel_runtimes", "get_mem_copies", "get_mem_sets", "get_synchronization", "get_mem_alloc_free",
             "get_kernelid_paths")
    with NsysReport(copy) as reader:
        return {name: len(list(getattr(reader, name)())) for name in names}


def pyprof(report, work, prof):
    """Its parser alone: the package imports PyTorch."""
    bare_package("pyprof", checkout("PyProf", "NVIDIA/PyProf") / "pyprof")
    sys.argv = ["parse", str(report)]
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()):
        runpy.run_module("pyprof.parse.parse", run_name="__main__")
    kernels = [line for line in output.getvalue().splitlines() if line.startswith("{")]
    unstable = re.compile(r"'(tid|pid)': \d+")
    return {"kernels": sorted(unstable.sub("", line) for line in kernels)}


def tables_of(report):
    with rows_of(report) as connection:
        known = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
    return [name for name in COLUMNS if name in known]


def tables_as(frames):
    """`frames`: a pandas-like frame for each table."""
    return {name: {"rows": len(frame), **{column: sorted(map(int, frame[column])) for column in COLUMNS[name]}}
            for name, frame in frames.items()}


def pandas(report, work, prof):
    import pandas as library
    with rows_of(report) as connection:
        return tables_as({name: library.read_sql(f"SELECT * FROM {name}", connection) for name in tables_of(report)})


def polars(report, work, prof):
    import polars as library
    with rows_of(report) as connection:
        return tables_as({name: library.read_database(f"SELECT * FROM {name}", connection, infer_schema_length=None)
                          for name in tables_of(report)})


def parquet(report, work, prof):
    folder = work / "parquet"
    subprocess.run([prof, "export", "-q", "-t", "parquetdir", "-o", folder, report], check=True,
                   env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"})
    return folder


def duckdb(report, work, prof):
    import duckdb as library
    folder = parquet(report, work, prof)
    return tables_as({name: library.sql(f"SELECT * FROM '{folder / name}.parquet'").df() for name in tables_of(report)})


def dask(report, work, prof):
    import dask.dataframe as library
    folder = parquet(report, work, prof)
    return tables_as({name: library.read_parquet(folder / f"{name}.parquet").compute() for name in tables_of(report)})


def sqlalchemy(report, work, prof):
    import sqlalchemy as library
    engine = library.create_engine(f"sqlite:///{report}")
    known = library.MetaData()
    known.reflect(engine)
    figures = {}
    with engine.connect() as connection:
        for name in tables_of(report):
            rows = connection.execute(library.select(known.tables[name])).mappings().all()
            figures[name] = {column: sorted(row[column] for row in rows) for column in COLUMNS[name]}
            figures[name]["columns"] = sorted(column.name for column in known.tables[name].columns
                                              if column.name not in ("graphId", "clusterX", "clusterY", "clusterZ", "isOpen"))
    return figures


READERS = {each.__name__: each for each in (
    nsys_ai, nsightful, nsys2json, nsys2prv, pipit, pipit_sqlite, extrap, pyprof, pandas, polars, duckdb, sqlalchemy,
    dask)}

if __name__ == "__main__":
    reader, report_path, folder_path, prof_path = sys.argv[1:]
    try:
        result = READERS[reader](Path(report_path), Path(folder_path), Path(prof_path))
    except MissingSource as missing:
        result = {"missing": str(missing)}
    print("\n" + json.dumps(result, sort_keys=True))
