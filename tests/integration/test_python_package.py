"""The Python package reads what SQLite has, and gives the statistics and findings of prof's verbs."""
import csv
import io
import json
import os
import sqlite3
import subprocess
import sys
import tarfile

import pytest
from arrow_tables import assert_equals_sqlite, environment, needs_package, package, rows_of, truth_archives
from profiling import MORE_TRUTH, SOURCE, Report, prof, profile, program, unpacked

pytestmark = needs_package
pa = pytest.importorskip("pyarrow")
EXPORTS = MORE_TRUTH / "exports"
needs_exports = pytest.mark.skipif(not EXPORTS.exists(), reason=f"no exports of nsys in {EXPORTS}")
KERNELS = "CUPTI_ACTIVITY_KIND_KERNEL"
ARCHIVES = truth_archives()


@pytest.fixture(scope="module")
def pr():
    return package()


@pytest.fixture(scope="module")
def zoo(tmp_path_factory):
    return unpacked(tmp_path_factory.mktemp("zoo") / "zoo.sqlite")


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A report of prof with ranges, calls and samples."""
    return profile(tmp_path_factory.mktemp("own"), program("nvtx_zoo"), defaults=True)


# --- tables

@pytest.mark.parametrize("name", ARCHIVES)
def test_tables_of_nsys_equal_sqlite(pr, tmp_path, name):
    path = unpacked(tmp_path / "report.sqlite", ARCHIVES[name])
    report = pr.open(path)
    assert report.tables == [row[0] for row in Report(path).query(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid")]
    for table in report.tables:
        read = report.table(table).arrow()
        read.validate(full=True)
        assert_equals_sqlite(read, path, table)
        # The filter selects all, and makes SQLite read the rows.
        assert report.table(table, start=-2**62).arrow().equals(read), table


def test_tables_of_prof_equal_sqlite(pr, own):
    report = pr.open(own.path)
    assert {"OSRT_API", "NVTX_EVENTS", "StringIds", "PROCESSES"} <= set(report.tables)
    for table in report.tables:
        assert_equals_sqlite(report.table(table).arrow(), own.path, table)


def nsys_types():
    for line in (EXPORTS / "columns.tsv").read_text().splitlines()[1:]:
        table, column, _, kind, nullable, _ = line.split("\t")
        yield table, column, kind, nullable == "yes"


@needs_exports
def test_types_are_those_of_nsys(pr, tmp_path):
    report = pr.open(unpacked(tmp_path / "all.sqlite", EXPORTS / "zoo-all-tables.sqlite.gz"))
    schemas = {table: report.table(table).schema for table in report.tables}
    compared = 0
    for table, column, kind, nullable in nsys_types():
        if table not in schemas:
            continue
        field = schemas[table].field(column)
        assert (str(field.type), field.nullable) == (kind, nullable), (table, column)
        compared += 1
    assert compared > 300


@needs_exports
def test_descriptions_are_those_of_nsys(pr, tmp_path):
    report = pr.open(unpacked(tmp_path / "zoo.sqlite", EXPORTS / "zoo.sqlite.gz"))
    with tarfile.open(EXPORTS / "files.tar.gz") as files:
        members = [each for each in files.getmembers() if each.name.endswith(".arrow")]
        assert members
        for member in members:
            theirs = pa.ipc.open_stream(files.extractfile(member)).schema
            schema = report.table(theirs.metadata[b"table_name"].decode()).schema
            assert schema.metadata == theirs.metadata
            for field in theirs:
                assert schema.field(field.name).metadata[b"field_desc"] == field.metadata[b"field_desc"], field


def test_columns_can_be_chosen(pr, zoo):
    table = pr.open(zoo).table(KERNELS, ["end", "start"]).arrow()
    columns, rows = rows_of(zoo, KERNELS)
    assert table.column_names == ["end", "start"]
    assert table.column("start").to_pylist() == [row[columns.index("start")] for row in rows]


def test_filters_are_those_of_prof_stats(pr, zoo):
    start, end = Report(zoo).query(f"SELECT min(start), avg(start) FROM {KERNELS}")[0]
    report = pr.open(zoo)
    found = report.table(KERNELS, start=int(start), end=int(end)).arrow()
    assert 0 < found.num_rows < report.table(KERNELS).arrow().num_rows
    listed = prof("stats", "-q", "-r", "cuda_gpu_trace", "-f", "json", f"--filter-time={int(start)}/{int(end)}", zoo)
    kernels = [row for row in json.loads(listed.stdout) if row["GrdX"] is not None]
    assert sorted(found.column("start").to_pylist()) == [row["Start (ns)"] for row in kernels]


def test_names_are_resolved(pr, own):
    calls = pr.open(own.path).table("OSRT_API", names=True).to_pandas()
    assert calls["name"].value_counts().to_dict() == dict(own.calls())


def test_a_number_that_does_not_fit_gets_64_bits(pr, own, tmp_path):
    path = tmp_path / "copy.db"
    path.write_bytes(own.path.read_bytes())
    with sqlite3.connect(path) as database:
        database.execute("UPDATE OSRT_API SET nestingLevel = -7 WHERE rowid = 1")
    table = pr.open(path).table("OSRT_API")
    assert table.arrow().column("nestingLevel")[0].as_py() == -7
    assert str(table.arrow().schema.field("nestingLevel").type) == "int64"
    with pytest.raises(OSError, match="does not fit"):
        list(table.reader())


def test_other_libraries_take_tables(pr, own):
    polars = pytest.importorskip("polars")
    table = pr.open(own.path).table("OSRT_API")
    rows = table.arrow().num_rows
    assert polars.DataFrame(table).height == table.to_polars().height == rows > 0
    assert pa.table(table).num_rows == rows


def test_a_stream_needs_memory_for_a_batch(own, tmp_path):
    """A table of 50 MB is read while the process may grow by less."""
    path = tmp_path / "large.db"
    path.write_bytes(own.path.read_bytes())
    with sqlite3.connect(path) as database:
        database.execute("""CREATE TABLE LARGE AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
                            WHERE i < 1000000) SELECT i AS a, i * 2 AS b, 'a text for row number ' || i AS c FROM n""")
    code = ("import sys, resource, prof_report as pr\n"
            "table = pr.open(sys.argv[1]).table('LARGE')\n"
            "table.head(1)\n"
            "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
            "rows = sum(batch.num_rows for batch in table.reader())\n"
            "print(rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)")
    done = subprocess.run([sys.executable, "-c", code, path], env=environment(), stdout=subprocess.PIPE, text=True,
                          check=True)
    rows, grown = map(int, done.stdout.split())
    assert rows == 1_000_000 and grown < 30_000  # KiB


# --- statistics, findings, iterations, kernels

def printed(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_statistics_are_those_of_prof_stats(pr, zoo):
    report = pr.open(zoo)
    compared = 0
    for name in report.statistics:
        expected = prof("stats", "-q", "-r", name, "-f", "json", zoo).stdout
        rows = report.stats(name).arrow().to_pylist()
        assert len(rows) == len(json.loads(expected) if expected else []), name
        for row, other in zip(rows, json.loads(expected) if expected else []):
            assert list(row) == list(other)
            for column, value in row.items():
                assert value == pytest.approx(other[column], abs=0.051) if isinstance(value, float) \
                    else value == other[column], (name, column)
        compared += len(rows)
    assert compared > 100


def test_arguments_of_statistics(pr, zoo):
    base = pr.open(zoo).stats("cuda_gpu_kern_sum:base").arrow().column("Name").to_pylist()
    assert all("(" not in name for name in base)
    with pytest.raises(pr.ReportError, match="cuda_gpu_kern_sum:bse"):
        pr.open(zoo).stats("cuda_gpu_kern_sum:bse")


@pytest.mark.parametrize("name", ARCHIVES)
def test_findings_are_those_of_prof_analyze(pr, tmp_path, name):
    path = unpacked(tmp_path / "report.sqlite", ARCHIVES[name])
    rows = pr.open(path).findings().arrow().to_pylist()
    expected = printed(prof("analyze", "-q", "-f", "csv", path).stdout)
    assert [row["Finding"] for row in rows] == [row["Finding"] for row in expected]
    assert [str(row["At Stake (ns)"]) for row in rows] == [row["At Stake (ns)"] for row in expected]


@needs_exports
def test_iterations_are_those_of_iteration_sum(pr, tmp_path):
    report = pr.open(unpacked(tmp_path / "rank_0.sqlite", MORE_TRUTH / "recipes" / "rank_0.sqlite.gz"))
    sums = report.stats("iteration_sum").arrow().to_pylist()
    durations = report.iterations().to_pandas().groupby("Device")["Duration (ns)"]
    assert [row["Iterations"] for row in sums] == list(durations.count()) != []
    assert [row["Max (ns)"] for row in sums] == list(durations.max())


def test_kernels_of_a_range(pr, zoo):
    """The zoo launches some kernels in ranges; nvtx_kern_sum counts them by range."""
    report = pr.open(zoo)
    counts = {}
    for row in report.stats("nvtx_kern_sum").arrow().to_pylist():
        if row["NVTX Range"]:
            counts[row["NVTX Range"]] = counts.get(row["NVTX Range"], 0) + row["Kern Inst"]
    assert counts
    for name, kernels in counts.items():
        domain, _, text = name.partition(":")
        found = report.kernels(nvtx=f"{text}@{domain}" if domain else text).to_pandas()
        assert len(found) >= kernels > 0, name
        assert found["demangledName"].str.len().min() > 0


# --- bad input

def error_of(pr, call):
    with pytest.raises(pr.ReportError) as caught:
        call()
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_unknown_names_have_suggestions(pr, zoo):
    report = pr.open(zoo)
    assert "did you mean " + KERNELS in error_of(pr, lambda: report.table(KERNELS[:-1]))
    assert "did you mean nvtx_sum" in error_of(pr, lambda: report.stats("nvtx_su"))
    assert "it has: start" in error_of(pr, lambda: report.table(KERNELS, ["begin"]))
    assert "no NVTX range matches" in error_of(pr, lambda: report.table(KERNELS, nvtx="none at all"))
    assert "no process" in error_of(pr, lambda: report.table(KERNELS, processes=999999)).lower()


def test_an_open_report_has_no_filters(pr, zoo):
    library = pr._library
    report = library.OpenReport(str(zoo))
    library.Stream("prof_report_table_of", (report, KERNELS), {"columns": ["start"]})
    assert "has no filters" in error_of(
        pr, lambda: library.Stream("prof_report_table_of", (report, KERNELS), {"start": 1}))


def test_files_that_are_not_reports(pr, tmp_path):
    other = tmp_path / "other.db"
    other.write_text("no database")
    assert "not a report" in error_of(pr, lambda: pr.open(other))
    assert "No such file" in error_of(pr, lambda: pr.open(tmp_path / "none.db"))


def test_damaged_reports_are_errors_or_other_values(pr, own, tmp_path):
    """Pages with other bytes in them."""
    whole = own.path.read_bytes()
    errors = 0
    for seed in range(25):
        data = bytearray(whole)
        for at in range(8192 + seed * 97, len(data), 2011):
            data[at] = (data[at] + seed + 1) % 256
        path = tmp_path / "damaged.db"
        path.write_bytes(data)
        try:
            report = pr.open(path)
            for table in report.tables:
                report.table(table).arrow()
        except pr.ReportError as error:
            assert "\n" not in str(error)
            errors += 1
    assert errors > 0


def test_a_report_is_not_written_to(pr, own):
    before = own.path.stat()
    os.chmod(own.path, 0o444)
    pr.open(own.path).table("StringIds").arrow()
    after = own.path.stat()
    assert (before.st_mtime_ns, before.st_size) == (after.st_mtime_ns, after.st_size)
    assert not list(own.path.parent.glob("*-wal")) and not list(own.path.parent.glob("*-journal"))


# --- the package

def test_notebooks_show_tables(pr, own):
    report = pr.open(own.path)
    assert "OSRT_API" in report._repr_html_()
    assert "<table" in report.table("OSRT_API")._repr_html_()


def test_the_tutorial_runs(own, tmp_path):
    notebook = json.loads((SOURCE / "exporters/python/tutorial.ipynb").read_text())
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    code = "\n".join(cells).replace('"report.db"', repr(str(own.path)))
    done = subprocess.run([sys.executable, "-c", code], env=environment(), cwd=tmp_path, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_names_of_nsyss_reports(pr, tmp_path):
    """As in prof's verbs (test_nsys_scripts.py)."""
    report = unpacked(tmp_path / "r.db")
    for name in ("r", "r.nsys-rep", "r.qdrep"):
        assert pr.open(tmp_path / name).path == str(report)
    (tmp_path / "r.nsys-rep").write_bytes(b"\0" * 200)
    with pytest.raises(pr.ReportError):
        pr.open(tmp_path / "r.nsys-rep")
    report.rename(tmp_path / "r.sqlite")
    assert pr.open(tmp_path / "r.nsys-rep").path == str(tmp_path / "r.sqlite")
