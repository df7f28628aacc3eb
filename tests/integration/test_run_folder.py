"""prof export --type=run writes the reports of a job as Hive-partitioned Parquet and run.db. DuckDB, Polars and pandas
read it, and have the figures of prof stats."""
import csv
import io
import json
import os
import shutil
import sqlite3
import sys

import pytest
from arrow_tables import needs_package
from made_run import make_run
from profiling import prof

pytestmark = needs_package
pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
KERNELS = "CUPTI_ACTIVITY_KIND_KERNEL"


@pytest.fixture(scope="module", name="run")
def fixture_run(tmp_path_factory):
    """Reports of the ranks 0 to 3 of 4 on two nodes."""
    folder = tmp_path_factory.mktemp("made") / "run"
    make_run(folder, 4, 1200, "--gpus-per-node", "2")
    return folder


def export(reports, output, *options):
    environment = {**os.environ, "PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"}
    return prof("export", "-t", "run", "-o", output, *options, *reports, env=environment)


@pytest.fixture(scope="module", name="out")
def fixture_out(run, tmp_path_factory):
    output = tmp_path_factory.mktemp("exported") / "out"
    done = export([run], output)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return output


def sums_of(run):
    done = prof("stats", "-f", "csv", "-r", "cuda_gpu_kern_sum", run)
    rows = csv.DictReader(io.StringIO(done.stdout.strip()))
    return {row["Name"]: (int(row["Instances"]), int(row["Total Time (ns)"]), float(row["Med (ns)"])) for row in rows}


def test_the_layout(out):
    files = sorted(str(path.relative_to(out)) for path in out.glob(f"tables/{KERNELS}/**/*.parquet"))
    assert files == [f"tables/{KERNELS}/node=node000{rank // 2}/rank={rank}/part.parquet" for rank in range(4)]
    assert not [path for path in out.rglob("*") if "tmp-prof" in path.name]
    for path in out.glob("tables/*/*/*/*.parquet"):
        facts = parquet.ParquetFile(path)
        assert facts.metadata.row_group(0).column(0).compression == "ZSTD"
        assert facts.metadata.num_row_groups == 1
        names = facts.schema_arrow.names
        if "start" in names:
            starts = facts.read(["start"]).column(0).to_pylist()
            assert starts == sorted(starts)


def test_duckdb(out, run):
    duckdb = pytest.importorskip("duckdb")
    rows = duckdb.sql(f"""SELECT demangledName::VARCHAR, count(*), sum("end" - start), quantile_cont("end" - start, 0.5)
        FROM read_parquet('{out}/tables/{KERNELS}/*/*/*.parquet', hive_partitioning=true) GROUP BY 1""").fetchall()
    assert {name: (count, int(total), median) for name, count, total, median in rows} == sums_of(run)
    (ranks,) = duckdb.sql(f"""SELECT list_sort(list(DISTINCT rank)) FROM
        read_parquet('{out}/tables/*/*/*/*.parquet', hive_partitioning=true, union_by_name=true)""").fetchall()
    assert ranks == ([0, 1, 2, 3],)


def test_polars(out, run):
    polars = pytest.importorskip("polars")
    frame = polars.scan_parquet(f"{out}/tables/{KERNELS}/*/*/*.parquet", hive_partitioning=True)
    length = polars.col("end") - polars.col("start")
    found = frame.group_by(polars.col("demangledName").cast(polars.String)).agg(
        length.len().alias("n"), length.sum().alias("sum"), length.median().alias("median")).collect()
    assert {row[0]: (row[1], row[2], row[3]) for row in found.rows()} == sums_of(run)


def test_pandas(out, run):
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_parquet(out / "tables" / KERNELS)
    length = (frame["end"] - frame["start"]).groupby(frame["demangledName"].astype(str))
    found = length.agg(["count", "sum", "median"])
    assert {name: (row["count"], row["sum"], row["median"]) for name, row in found.iterrows()} == sums_of(run)
    assert sorted(set(frame["rank"].astype(int))) == [0, 1, 2, 3]
    assert set(frame["node"].astype(str)) == {"node0000", "node0001"}


def test_the_database(out, run):
    database = sqlite3.connect(out / "run.db")
    assert database.execute("SELECT job, rank, size, node FROM RANKS ORDER BY rank").fetchall() == [
        ("4711", rank, 4, f"node000{rank // 2}") for rank in range(4)]
    rows = database.execute('SELECT Name, Instances, "Total Time (ns)", "Med (ns)" FROM cuda_gpu_kern_sum').fetchall()
    assert {name: rest for name, *rest in rows} == {name: list(rest) for name, rest in sums_of(run).items()}
    for path, size, rows_in in database.execute("SELECT path, bytes, rows FROM FILES"):
        assert (out / path).stat().st_size == size and parquet.read_metadata(out / path).num_rows == rows_in
    assert not database.execute("SELECT * FROM LEFT_OUT").fetchall()


def test_it_goes_on_where_it_was(run, tmp_path):
    """Only what is missing or has changed is written again."""
    mine, output = tmp_path / "run", tmp_path / "out"
    shutil.copytree(run, mine)
    assert export([mine], output).returncode == 0
    states = {path: path.stat().st_mtime_ns for path in output.rglob("*.parquet")}
    gone = output / "tables" / KERNELS / "node=node0000" / "rank=1" / "part.parquet"
    gone.unlink()
    os.utime(mine / "rank_2.db", ns=(1, 1))
    (mine / "rank_3.db").unlink()
    done = export([mine], output)
    assert done.returncode == 0 and done.stderr == "prof: without a report: 1 of 4 ranks: 3\n", done.stderr
    changed = {path for path, state in states.items() if not path.exists() or path.stat().st_mtime_ns != state}
    assert {path.parent.name for path in changed} == {"rank=1", "rank=2", "rank=3"} and gone.exists()
    assert not list(output.glob("tables/*/*/rank=3/*.parquet"))
    assert export([mine], output, "-f", "true").returncode == 0
    assert all(path.stat().st_mtime_ns != states[path] for path in output.rglob("*.parquet"))


def test_what_does_not_count_is_named(run, tmp_path):
    mine, output = tmp_path / "run", tmp_path / "out"
    shutil.copytree(run, mine)
    (mine / "foreign.db").write_text("this is a text")
    shutil.copy(mine / "rank_1.db", mine / "rank_1b.db")
    (mine / "rank_9.db.spool").write_text("")
    whole = (mine / "rank_2.db").read_bytes()
    (mine / "rank_2.db").write_bytes(whole[:len(whole) // 2])
    done = export([mine], output)
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert all(line.startswith("prof: ") for line in lines)
    for text in ("foreign.db", "rank_1.db has it, too", "rank_9.db.spool is a recording that has not ended", "rank_2.db"):
        assert any("left out: " in line and text in line for line in lines), (text, lines)
    left_out = sqlite3.connect(output / "run.db").execute("SELECT count(*) FROM LEFT_OUT").fetchone()
    assert left_out == (4,)
    assert {path.name for path in output.glob(f"tables/{KERNELS}/*/*")} == {"rank=0", "rank=1", "rank=3"}


def test_a_report_of_several_ranks(run, tmp_path):
    """Rows go to the ranks of their processes; what belongs to the report has no rank."""
    path = tmp_path / "node.db"
    shutil.copy(run / "rank_0.db", path)
    database = sqlite3.connect(path)
    (own,) = database.execute("SELECT DISTINCT globalPid >> 24 FROM PROF_RANKS").fetchone()
    columns = [row[1] for row in database.execute("PRAGMA table_info(PROF_RANKS)")]
    chosen = ", ".join({"globalPid": "globalPid + (1 << 24)", "rank": "1"}.get(name, name) for name in columns)
    database.execute(f"INSERT INTO PROF_RANKS SELECT {chosen} FROM PROF_RANKS")
    database.execute(f"UPDATE {KERNELS} SET globalPid = globalPid + (1 << 24) WHERE rowid % 3 = 0")
    database.execute("UPDATE OSRT_API SET globalTid = globalTid + (9 << 24) WHERE rowid % 2 = 0")
    database.commit()
    counts = dict(database.execute(f"SELECT (globalPid >> 24) - {own}, count(*) FROM {KERNELS} GROUP BY 1").fetchall())
    calls = dict(database.execute(f"SELECT (globalTid >> 24) - {own}, count(*) FROM OSRT_API GROUP BY 1").fetchall())
    database.close()
    assert export([path], tmp_path / "out").returncode in (0, 1)

    def rows(table, rank):
        return parquet.read_metadata(tmp_path / "out" / "tables" / table / "node=node0000" / f"rank={rank}" /
                                     "part.parquet").num_rows

    assert {0: rows(KERNELS, 0), 1: rows(KERNELS, 1)} == counts
    assert {0: rows("OSRT_API", 0), 9: rows("OSRT_API", "__HIVE_DEFAULT_PARTITION__")} == calls
    assert rows("ANALYSIS_DETAILS", "__HIVE_DEFAULT_PARTITION__") == 1


def test_errors(run, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes").write_text("")
    wrong = [((run,), tmp_path / "mine", (), "is not empty"), ((tmp_path / "mine",), tmp_path / "o", (), "has no report"),
             ((run,), tmp_path / "o", ("--times=1s/2s",), "--type=run writes all events"),
             ((run,), tmp_path / "o", ("--append=true",), "--type=run takes -o, -f, -q and --tables")]
    for reports, output, options, text in wrong:
        done = export(reports, output, *options)
        assert done.returncode in (1, 2) and text in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert "give it with -o" in prof("export", "-t", "run", run).stderr
    assert (tmp_path / "mine" / "notes").exists()
    done = export([run], tmp_path / "o", "--tables", "nvtx.*")
    assert done.returncode == 0 and [path.name for path in (tmp_path / "o" / "tables").iterdir()] == ["NVTX_EVENTS"]
    assert json.loads((run / "ledger.json").read_text())
