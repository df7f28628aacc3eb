"""Parquet, Arrow and HDF5 files have the rows of the report, in nsys's layouts."""
import importlib
import os
import re
import resource
import sqlite3
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from arrow_tables import (assert_equals_sqlite, environment, needs_package, package, rows_of, truth_archives,
                          values_of)
from profiling import MORE_TRUTH, PROF, prof, profile, program, unpacked

pytestmark = needs_package
pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
h5py = pytest.importorskip("h5py")
EXPORTS = MORE_TRUTH / "exports"
needs_exports = pytest.mark.skipif(not EXPORTS.exists(), reason=f"no exports of nsys in {EXPORTS}")
TYPES = ("arrow", "arrowdir", "hdf", "parquetdir")
ARCHIVES = truth_archives()


def export(report, kind, output, *options, **run_options):
    return subprocess.run([sys.executable, "-m", "prof_report", "--type", kind, "--output", output, *options, report],
                          env=run_options.pop("env", environment()), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False, **run_options)


def exported(report, kind, output, *options):
    done = export(report, kind, output, *options)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return output


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    return profile(tmp_path_factory.mktemp("own"), program("nvtx_zoo"), defaults=True).path


@pytest.fixture(scope="module")
def zoo(tmp_path_factory):
    return unpacked(tmp_path_factory.mktemp("zoo") / "zoo.sqlite")


@pytest.fixture(scope="module", params=[*ARCHIVES, "own"])
def report(request, own, tmp_path_factory):
    """Each report in turn, for all tests of it, so that it is read once."""
    if request.param == "own":
        return own
    return unpacked(tmp_path_factory.mktemp("report") / "report.sqlite", ARCHIVES[request.param])


# --- the files, read back

def arrow_tables(path):
    """The tables of an arrow file: streams one after another."""
    with pa.OSFile(str(path)) as source:
        while source.tell() < source.size():
            table = pa.ipc.open_stream(source).read_all()
            yield table.schema.metadata[b"table_name"].decode(), table


def tables_of(path, kind):
    if kind == "arrow":
        return dict(arrow_tables(path))
    if kind == "arrowdir":
        return {each.stem: pa.ipc.open_stream(each).read_all() for each in path.glob("*.arrow")}
    return {each.stem: parquet.read_table(each) for each in path.glob("*.parquet")}


def assert_equals_hdf(dataset, report, name):
    """HDF5 has 0 or an empty text in place of NULL."""
    columns, rows = rows_of(report, name)
    assert list(dataset.dtype.names) == columns
    read = dataset[:]
    assert len(read) == len(rows)
    for column, values in zip(columns, zip(*rows)):
        if h5py.check_string_dtype(dataset.dtype[column]):
            expected = [(value or "").replace("\0", "\\x00").encode() for value in values]
        else:
            kind = {"u8": "uint64", "f4": "float"}.get(dataset.dtype[column].str[1:], "")
            expected = values_of([value or 0 for value in values], kind)
        assert read[column].tolist() == expected, (name, column)


def names_with_rows(report):
    reader = package().open(report)
    return {name for name in reader.tables if rows_of(report, name)[1]}


@pytest.mark.parametrize("kind", TYPES)
def test_exports_equal_sqlite(report, tmp_path, kind):
    output = tmp_path / "out"
    reader = package()
    importlib.import_module("prof_report._export").export(reader.open(report), kind, output)
    if kind == "hdf":
        with h5py.File(output) as file:
            assert set(file) == names_with_rows(report)
            for table, dataset in file.items():
                assert_equals_hdf(dataset, report, table)
        return
    tables = tables_of(output, kind)
    assert set(tables) == names_with_rows(report)
    for table, read in tables.items():
        assert_equals_sqlite(read, report, table)


@needs_exports
@pytest.mark.parametrize("kind, ending", [("arrowdir", ".arrow"), ("parquetdir", ".parquet")])
def test_folders_equal_those_of_nsys(tmp_path, kind, ending):
    """Rows, types, nullability and all metadata."""
    with tarfile.open(EXPORTS / "files.tar.gz") as files:
        files.extractall(tmp_path, [each for each in files.getmembers() if each.name.startswith(kind)])
    ours = exported(unpacked(tmp_path / "zoo.sqlite", EXPORTS / "zoo.sqlite.gz"), kind, tmp_path / "ours")
    compared = 0
    for path in (tmp_path / kind).glob("*" + ending):
        read = parquet.read_table if kind == "parquetdir" else lambda each: pa.ipc.open_stream(each).read_all()
        theirs, table = read(path), read(ours / path.name)
        assert table.schema.equals(theirs.schema, check_metadata=True), path.name
        assert table.equals(theirs), path.name
        compared += 1
        if kind == "parquetdir":
            their_file, our_file = parquet.ParquetFile(path).metadata, parquet.ParquetFile(ours / path.name).metadata
            for file in (their_file, our_file):
                column = file.row_group(0).column(0)
                assert (file.num_row_groups, file.format_version, column.compression) == (1, "2.6", "SNAPPY")
            with_dictionary = {field.name for i, field in enumerate(table.schema)
                               if our_file.row_group(0).column(i).has_dictionary_page}
            different = {field.name for field in table.schema
                         if b"UNIQUE" in (field.metadata or {}).get(b"schema_info", b"")}
            assert with_dictionary and not with_dictionary & different
    assert compared == 13


@needs_exports
def test_hdf_equals_that_of_nsys(tmp_path):
    with tarfile.open(EXPORTS / "files.tar.gz") as files:
        files.extract("cupti-tables.hdf5", tmp_path)
    ours = exported(unpacked(tmp_path / "zoo.sqlite", EXPORTS / "zoo.sqlite.gz"), "hdf", tmp_path / "ours")
    layout = ("dtype", "chunks", "compression", "compression_opts", "shuffle", "maxshape")
    with h5py.File(tmp_path / "cupti-tables.hdf5") as theirs, h5py.File(ours) as file:
        for name, dataset in theirs.items():
            assert [getattr(file[name], each) for each in layout] == [getattr(dataset, each) for each in layout]
            assert (file[name][:] == dataset[:]).all(), name


@pytest.mark.parametrize("rows_at_once", [1 << 21, 1000])
def test_the_facts_about_numbers(tmp_path, zoo, monkeypatch, rows_at_once):
    """UNIQUE and ORDERED are true of all rows, not only of those in one batch."""
    reader = package()
    exporter = importlib.import_module("prof_report._export")
    monkeypatch.setattr(exporter, "_PART_ROWS", rows_at_once)
    report = tmp_path / "copy.sqlite"
    report.write_bytes(zoo.read_bytes())
    with sqlite3.connect(report) as database:
        names = ("rising", "falling", "negative", "repeated", "doubled", "once")
        database.execute(f"CREATE TABLE NUMBERS ({', '.join(f'{name} INTEGER' for name in names)})")
        database.execute("""WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99999) INSERT INTO
                            NUMBERS SELECT i, 99999 - i, -1024 * i, i % 50000, i / 2,
                            CASE i WHEN 99999 THEN 0 ELSE i END FROM n""")
    exporter.export(reader.open(report), "arrowdir", tmp_path / "out", tables=["NUMBERS"])
    schema = pa.ipc.open_stream(tmp_path / "out" / "NUMBERS.arrow").schema
    facts = {field.name: (field.metadata or {}).get(b"schema_info") for field in schema}
    assert facts == {"rising": b"UNIQUE,ORDERED", "falling": b"UNIQUE", "negative": b"UNIQUE", "repeated": None,
                     "doubled": None, "once": None}


# --- prof export

def prof_export(*arguments, **options):
    return prof("export", *arguments, env={**os.environ, "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}, **options)


@pytest.mark.parametrize("kind, name", [("arrow", "zoo.arrows"), ("arrowdir", "zoo_arwdir"), ("hdf", "zoo.h5"),
                                        ("parquetdir", "zoo_pqtdir")])
def test_prof_export_names_files_as_nsys(zoo, kind, name):
    done = prof_export("-t", kind, zoo)
    output = zoo.parent / name
    assert (done.returncode, done.stdout, done.stderr) == (0, "", f"prof: wrote {output}\n")
    if kind != "hdf":
        assert_equals_sqlite(tables_of(output, kind)["OSRT_API"], zoo, "OSRT_API")
    done = prof_export("-t", kind, zoo)
    assert done.returncode == 1 and done.stderr == f"prof: {output} exists; use -f true to replace it\n"


def test_prof_export_selects_rows(zoo, tmp_path):
    start = 470_000_000
    done = prof_export("-t", "parquetdir", "-o", tmp_path / "out", "--tables", "CUPTI.*KERNEL", "--times", f"{start}/",
                       "--ts-shift", "1000", zoo)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    read = parquet.read_table(tmp_path / "out/CUPTI_ACTIVITY_KIND_KERNEL.parquet").column("start").to_pylist()
    columns, rows = rows_of(zoo, "CUPTI_ACTIVITY_KIND_KERNEL")
    assert read == [row[columns.index("start")] + 1000 for row in rows if row[columns.index("start")] >= start] != []
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["CUPTI_ACTIVITY_KIND_KERNEL.parquet"]
    done = prof_export("-t", "arrow", "-o", tmp_path / "none", "--tables", "CUPTI.*KERNEL", "--times", "900s/", zoo)
    assert (done.returncode, done.stderr) == (1, "prof: no row of these tables is selected\n")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_prof_export_says_what_is_missing(zoo, tmp_path):
    done = prof_export("-t", "arrow", "-o", "-", zoo)
    assert done.returncode == 2 and "cannot be written to stdout" in done.stderr
    done = prof("export", "-t", "arrow", "-o", tmp_path / "out", zoo, env={"PATH": str(tmp_path)})
    assert done.returncode == 1 and "needs Python" in done.stderr
    python = tmp_path / "python3"
    python.write_text("#!/bin/sh\necho prof: no >&2\nexit 1\n")
    python.chmod(0o755)
    done = prof("export", "-t", "arrow", "-o", tmp_path / "out", zoo, env={"PATH": str(tmp_path)})
    assert (done.returncode, done.stderr) == (1, "prof: no\n")


# --- what is exported, and where to

def test_only_some_tables_and_empty_ones(zoo, tmp_path):
    exported(zoo, "arrowdir", tmp_path / "some", "--table", "StringIds", "--table", "NVTX_EVENTS")
    assert {path.name for path in (tmp_path / "some").iterdir()} == {"StringIds.arrow", "NVTX_EVENTS.arrow"}
    exported(zoo, "parquetdir", tmp_path / "all", "--all-tables")
    assert {path.stem for path in (tmp_path / "all").iterdir()} == set(package().open(zoo).tables)
    exported(zoo, "arrowdir", tmp_path / "some", "--append", "--table", "ThreadNames")
    assert len(list((tmp_path / "some").iterdir())) == 3
    exported(zoo, "parquetdir", tmp_path / "null", "--table", "NVTX_EVENTS", "--empty-column", "text")
    assert parquet.read_table(tmp_path / "null/NVTX_EVENTS.parquet").column("text").null_count > 0


def error_of(done):
    assert done.returncode == 1 and done.stdout == ""
    line, = done.stderr.splitlines()
    return line


@pytest.mark.parametrize("kind", TYPES)
def test_what_exists_stays(zoo, tmp_path, kind):
    output = tmp_path / "out"
    exported(zoo, kind, output, "--table", "StringIds")
    before = {path: path.stat().st_mtime_ns for path in [output, *tmp_path.glob("out/*")]}
    assert "exists; use -f true to replace it" in error_of(export(zoo, kind, output))
    assert {path: path.stat().st_mtime_ns for path in before} == before
    exported(zoo, kind, output, "--force-overwrite", "--table", "StringIds")
    assert not list(tmp_path.glob("*.tmp*"))


def test_other_files_of_a_folder_stay(zoo, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/mine.txt").write_text("mine")
    exported(zoo, "parquetdir", tmp_path / "out", "--force-overwrite", "--table", "StringIds")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"mine.txt", "StringIds.parquet"}
    assert "is a folder" in error_of(export(zoo, "hdf", tmp_path / "out", "--force-overwrite"))


@pytest.mark.parametrize("kind", TYPES)
def test_a_full_disk_leaves_nothing(own, tmp_path, kind):
    limit = 4000  # bytes of a file
    done = export(own, kind, tmp_path / "out", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    assert error_of(done).startswith(f"prof: cannot write {tmp_path / 'out'}: ")
    assert not list(tmp_path.iterdir())


def test_bad_input_is_one_line(zoo, tmp_path):
    assert "did you mean StringIds" in error_of(export(zoo, "arrow", tmp_path / "out", "--table", "StringId"))
    assert "No such file" in error_of(export(tmp_path / "none.db", "arrow", tmp_path / "out"))
    assert "cannot write" in error_of(export(zoo, "arrow", tmp_path / "none" / "out"))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind, missing", [("hdf", "h5py"), ("parquetdir", "pyarrow"), ("arrow", "pyarrow")])
def test_a_missing_package_is_named(zoo, tmp_path, kind, missing):
    (tmp_path / missing).mkdir()
    (tmp_path / missing / "__init__.py").write_text("raise ImportError")
    hidden = {**environment(), "PYTHONPATH": f"{tmp_path}{os.pathsep}{environment()['PYTHONPATH']}"}
    done = export(zoo, kind, tmp_path / "out", env=hidden)
    assert re.search(rf"needs the package {missing}, which (\S+) does not have: \1 -m pip install {missing}$",
                     error_of(done))


def test_a_damaged_report_is_an_error_and_leaves_nothing(own, tmp_path):
    data = bytearray(own.read_bytes())
    for at in range(8192, len(data), 512):
        data[at] ^= 0xff
    damaged = tmp_path / "damaged.db"
    damaged.write_bytes(data)
    for kind in TYPES:
        assert "damaged" in error_of(export(damaged, kind, tmp_path / "out"))
    assert [path.name for path in tmp_path.iterdir()] == ["damaged.db"]


@pytest.mark.parametrize("kind", TYPES)
def test_only_the_user_can_read_what_prof_export_writes(own, tmp_path, kind):
    output = tmp_path / "out"
    done = prof_export("-t", kind, "-o", output, own, preexec_fn=lambda: os.umask(0))
    assert done.returncode == 0, done.stderr
    files = [output] if output.is_file() else list(output.iterdir())
    assert files and all(path.stat().st_mode & 0o777 == 0o600 for path in files)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_what_a_killed_export_leaves_is_removed_by_prof(tmp_path):
    """It is held as long as it is written."""
    script = f"""
import os, signal, subprocess, prof_report._export as export
with export._temporary(__import__("pathlib").Path("out.arrow"), False) as path:
    subprocess.run(["{PROF}", "stats", "no.db"], stderr=subprocess.DEVNULL)
    print(path.exists(), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=environment(), stdout=subprocess.PIPE,
                          text=True, check=False)
    assert done.stdout == "True\n" and len(list(tmp_path.iterdir())) == 1
    prof("stats", "no.db", cwd=tmp_path)
    assert not list(tmp_path.iterdir())
