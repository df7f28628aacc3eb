"""prof recipe makes what nsys's recipes make of the same reports, in each mode, and names reports that it cannot read."""
import importlib
import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from arrow_tables import needs_package, package
from profiling import MORE_TRUTH, PROF, SOURCE, profile, prof, program, unpacked

pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
pytestmark = needs_package

RECIPES = MORE_TRUTH / "recipes"
needs_truth = pytest.mark.skipif(not RECIPES.exists(), reason=f"no recipes of nsys in {RECIPES}")
ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"
OPTIONS = {"cuda_gpu_kern_pace": ["--name", ALL_REDUCE], "nvtx_pace": ["--name", "step"]}
SUM_OF_REPORT = """
from prof_report import Option, Recipe
import pandas, os, signal
class Counts(Recipe):
    options = [Option("--kill", default="")]
    def map(self, report, args):
        if args.kill and args.kill in report.path:
            os.kill(os.getpid(), signal.SIGKILL)
        return pandas.DataFrame({"tables": [len(report.tables)]})
    def reduce(self, parts, args):
        return {"counts": self.by_rank(parts)}
"""
OF_NSYS = """
from prof_report.recipes.compat import DataService, Option, data_utils, helpers, pace, recipe
import pandas as pd
class Firsts(recipe.Recipe):
    @staticmethod
    def mapper_func(report_path, parsed_args):
        frames = DataService(report_path).read_tables({"NVTX_EVENTS": ["start", "end", "text"], "StringIds": None,
                                                       "TARGET_INFO_SESSION_START_TIME": None})
        if frames is None:
            return None
        events = frames["NVTX_EVENTS"]
        data_utils.filter_by_time_range(events, parsed_args.start, parsed_args.end)
        begin = pace.get_session_start_time(frames["TARGET_INFO_SESSION_START_TIME"])
        return pace.PaceInfo(report_path, events.head(3), None, begin)
    def reducer_func(self, mapper_res):
        infos = helpers.filter_none(mapper_res)
        names, frames, _, begins = zip(*infos)
        pace.apply_time_offset(begins, frames)
        pd.concat(frames).to_parquet(self.add_output_file("firsts.parquet"))
    def run(self, context):
        super().run(context)
        self.reducer_func(context.wait(context.map(self.mapper_func, self._parsed_args.input,
                                                   parsed_args=self._parsed_args)))
        self.create_notebook("firsts.ipynb")
        self.create_analysis_file()
    @classmethod
    def get_argument_parser(cls):
        parser = super().get_argument_parser()
        parser.add_recipe_argument(Option.INPUT, required=True)
        parser.add_recipe_argument(Option.START)
        parser.add_recipe_argument(Option.END)
        return parser
"""


def recipe(*words, **variables):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return prof("recipe", *words, env={**os.environ, "PATH": path, **{name: str(value) for name, value in variables.items()}},
                cwd=variables.pop("PWD", None))


def made(folder, *words, **variables):
    done = recipe(*words, "--output", folder, "--force-overwrite", **variables)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(folder) and done.stderr == ""
    return folder


def made_here(folder, *words):
    """The same in this process, which has pandas already."""
    package()
    command = importlib.import_module("prof_report.recipes.command")
    assert command.main([*map(str, words), "--mode=none", "--output", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def ranks(tmp_path_factory):
    """The reports of nsys that the recipes of nsys read."""
    folder = tmp_path_factory.mktemp("ranks")
    for archive in sorted(RECIPES.glob("rank_*.sqlite.gz")):
        unpacked(folder / archive.stem, archive)
    return folder


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Four copies of a small report of nsys."""
    folder = tmp_path_factory.mktemp("small")
    first = unpacked(folder / "rank_0.sqlite")
    for rank in range(1, 4):
        shutil.copy(first, folder / f"rank_{rank}.sqlite")
    return folder


def truth():
    with tarfile.open(RECIPES / "outputs.tar.gz") as archive:
        return sorted({Path(name).parts[0] for name in archive.getnames() if name.endswith(".parquet")})


def assert_same(ours, theirs):
    """Columns, types, index, order and values are equal."""
    mine, expected = parquet.read_table(ours), parquet.read_table(theirs)
    assert mine.schema.equals(expected.schema, check_metadata=False), ours.name
    facts = [json.loads(table.schema.metadata[b"pandas"])["index_columns"] for table in (mine, expected)]
    assert facts[0] == facts[1], ours.name
    pandas.testing.assert_frame_equal(mine.to_pandas(), expected.to_pandas(), check_exact=True, obj=ours.name)


# --- nsys's recipes

@needs_truth
@pytest.mark.parametrize("name", truth() if RECIPES.exists() else [])
def test_equals_nsys(ranks, tmp_path, name):
    theirs = tmp_path / "nsys"
    theirs.mkdir()
    with tarfile.open(RECIPES / "outputs.tar.gz") as archive:
        for member in archive.getmembers():
            if Path(member.name).parts[:1] == (name,) and member.isfile():
                (theirs / Path(member.name).name).write_bytes(archive.extractfile(member).read())
    inputs = [ranks]
    if name == "diff":
        inputs = [made_here(tmp_path / f"kernels_{number}", "cuda_gpu_kern_sum", "--input", ranks) for number in (1, 2)]
    ours = made_here(tmp_path / name, name, "--input", *inputs, "--csv", *OPTIONS.get(name, []))
    tables = sorted(path.name for path in theirs.glob("*.parquet"))
    assert sorted(path.name for path in ours.glob("*.parquet")) == tables and tables
    for table in tables:
        assert_same(ours / table, theirs / table)
        frame = pandas.read_parquet(theirs / table)
        if "Range Stack" in frame:
            frame["Range Stack"] = frame["Range Stack"].map(lambda stack: stack.tolist())
        text = frame.to_csv(index=not (isinstance(frame.index, pandas.RangeIndex) and frame.index.name is None))
        assert (ours / table).with_suffix(".csv").read_text() == text, table


@needs_truth
def test_exact_quantiles_are_those_of_all_events(ranks, tmp_path):
    plain = pandas.read_parquet(made(tmp_path / "a", "cuda_gpu_kern_sum", "--input", ranks) / "all_stats.parquet")
    exact = pandas.read_parquet(made(tmp_path / "b", "cuda_gpu_kern_sum", "--input", ranks, "--exact") / "all_stats.parquet")
    pandas.testing.assert_frame_equal(plain, exact[plain.columns])
    durations = pandas.concat(
        pandas.read_sql("SELECT value AS name, end - start AS time FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds "
                        "ON id = shortName", sqlite3.connect(path)) for path in sorted(ranks.iterdir()))
    groups = durations.groupby("name")["time"]
    for column, expected in (("Std", groups.std()), ("Q1", groups.quantile(0.25)), ("Median", groups.median()),
                             ("Q3", groups.quantile(0.75))):
        pandas.testing.assert_series_equal(exact[column], expected.round(1), check_names=False, atol=0.1)
    assert exact.loc[ALL_REDUCE, "Median"] == 150367.5


def test_the_analysis_file_and_the_notebook_name_the_tables(small, tmp_path):
    folder = made(tmp_path / "sums", "osrt_sum", "--input", small, "--csv")
    facts = json.loads((folder / "sums.nsys-analysis").read_text())
    assert set(facts) == {"RecipeVersion", "RecipeName", "DisplayName", "Options", "StartTime", "EndTime", "Outputs"}
    assert facts["RecipeName"] == "osrt_sum" and facts["Options"]["csv"] is True
    assert {each["Name"] for each in facts["Outputs"]} == {path.name for path in folder.iterdir()} - {"sums.nsys-analysis"}
    code = "\n".join(cell["source"] for cell in json.loads((folder / "analysis.ipynb").read_text())["cells"][1:])
    compile(code, "notebook", "exec")
    assert "all_stats.parquet" in code and oct(folder.stat().st_mode & 0o777) == "0o700"


def test_reports_of_prof(tmp_path):
    own = profile(tmp_path, program("nvtx_zoo"), defaults=True)
    stats = pandas.read_parquet(made(tmp_path / "calls", "osrt_sum", "--input", own.path) / "all_stats.parquet")
    assert stats["Count"].to_dict() == dict(own.calls())
    ranges = pandas.read_parquet(made(tmp_path / "ranges", "nvtx_sum", "--input", own.path) / "all_stats.parquet")
    assert ranges["Count"].sum() > 0 and (ranges["Sum"] >= ranges["Max"]).all()


def test_differences(small, tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    made(one, "cuda_gpu_mem_size_sum", "--input", f"{small}:1")
    made(two, "cuda_gpu_mem_size_sum", "--input", small)
    table = pandas.read_parquet(made(tmp_path / "diff", "diff", "--input", two, one) / "all_stats.parquet")
    before, after = (pandas.read_parquet(folder / "all_stats.parquet") for folder in (two, one))
    assert (table["Sum"] == after["Sum"].astype("int64") - before["Sum"].astype("int64")).all() and (table["Sum"] < 0).any()
    same = pandas.read_parquet(made(tmp_path / "same", "diff", "--input", one, one, "--drop") / "all_stats.parquet")
    assert same.empty
    other = made(tmp_path / "other", "osrt_sum", "--input", small)
    done = recipe("diff", "--input", one, other, "--output", tmp_path / "x")
    assert done.returncode == 1 and "are not outputs of one recipe" in done.stderr


def test_filters(small, tmp_path):
    path = small / "rank_0.sqlite"
    first, last = sqlite3.connect(path).execute("SELECT min(start), avg(start) FROM CUPTI_ACTIVITY_KIND_KERNEL").fetchone()
    stats = pandas.read_parquet(made(tmp_path / "part", "cuda_gpu_kern_sum", "--input", path,
                                     f"--filter-time={first}/{int(last)}") / "all_stats.parquet")
    listed = prof("stats", "-q", "-r", "cuda_gpu_kern_sum:base", "-f", "json", f"--filter-time={first}/{int(last)}", path)
    counts = {row["Name"]: row["Instances"] for row in json.loads(listed.stdout)}
    assert stats["Count"].to_dict() == counts
    done = recipe("cuda_gpu_kern_sum", "--input", path, "--filter-time=1", "--output", tmp_path / "x")
    assert done.returncode == 2 and "1 is not START/END" in done.stderr


# --- recipes of users

def test_the_recipe_of_the_documentation(small, tmp_path):
    code, = re.findall(r"```python\n(.*?)```", (SOURCE / "docs/recipes.md").read_text(encoding="utf-8"), re.S)
    assert len(code.strip().splitlines()) <= 15
    name = re.search(r"# (\w+)\.py", code).group(1)
    (tmp_path / f"{name}.py").write_text(code)
    for variable in ("PROF_RECIPE_PATH", "NSYS_RECIPE_PATH"):
        folder = made(tmp_path / variable, name, "--input", small, "--csv", **{variable: tmp_path})
        assert len(pandas.read_parquet(folder / "analysis.parquet")) > 0 and (folder / "analysis.csv").exists()
    assert re.search(rf"^  {name} +{tmp_path}", recipe("--list", PROF_RECIPE_PATH=tmp_path).stdout, re.M)


def test_recipes_with_the_names_of_nsys(small, tmp_path):
    home = tmp_path / "recipes" / "firsts"
    home.mkdir(parents=True)
    (home / "code.py").write_text(OF_NSYS)
    (home / "metadata.json").write_text(json.dumps({"module_name": "code", "display_name": "First ranges"}))
    tables = [pandas.read_parquet(made(tmp_path / mode, "firsts", "--input", small, "--mode", mode,
                                       NSYS_RECIPE_PATH=home.parent) / "firsts.parquet")
              for mode in ("none", "concurrent")]
    assert len(tables[0]) == 12
    pandas.testing.assert_frame_equal(*tables)


def test_an_error_in_a_recipe_has_its_place(small, tmp_path):
    (tmp_path / "counts.py").write_text(SUM_OF_REPORT.replace("len(report.tables)", "1 // 0"))
    done = recipe("counts", "--input", small, "--output", tmp_path / "x", PROF_RECIPE_PATH=tmp_path)
    assert done.returncode == 1 and f"ZeroDivisionError: integer division or modulo by zero ({tmp_path}/counts.py:9)" in done.stderr
    assert not (tmp_path / "x").exists() and len(list(tmp_path.iterdir())) == 1


# --- recipes that nsys does not have

def changed(folder, rank, *statements):
    database = sqlite3.connect(folder / f"rank_{rank}.sqlite")
    for statement in statements:
        database.execute(statement)
    database.commit()
    database.close()


def test_a_slow_rank_has_a_low_speed(small, tmp_path):
    reports = shutil.copytree(small, tmp_path / "reports")
    changed(reports, 2, "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = start + 2 * (end - start)")
    folder = made(tmp_path / "speed", "rank_speed", "--input", reports)
    assert pandas.read_parquet(folder / "ranks.parquet")["Speed"].to_list() == [1, 1, 0.5, 1]
    kernels = pandas.read_parquet(folder / "kernels.parquet")
    assert (kernels.groupby("Rank")["Speed"].max() == [1, 1, 0.5, 1]).all()


def test_clocks_are_compared(small, tmp_path):
    reports = shutil.copytree(small, tmp_path / "reports")
    for rank in range(4):
        changed(reports, rank, "UPDATE StringIds SET value = 'ncclDevKernel_AllReduce_Sum' WHERE id IN "
                               "(SELECT shortName FROM CUPTI_ACTIVITY_KIND_KERNEL)")
    changed(reports, 1, "UPDATE TARGET_INFO_SESSION_START_TIME SET utcEpochNs = utcEpochNs + 1000000")
    changed(reports, 2, "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = end + 7")
    changed(reports, 3, "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid = 1")
    table = pandas.read_parquet(made(tmp_path / "clocks", "clock_map", "--input", reports) / "analysis.parquet")
    assert table["UTC Offset"].to_list() == [0, 1000000, 0, 0]
    assert table["End Difference"].to_list()[:3] == [0, 1000000, 7] and table["Collectives"].to_list()[3] == 0


def test_missing_ranks_are_listed(small, tmp_path):
    reports = shutil.copytree(small, tmp_path / "reports")
    for file, rank in ((0, 0), (1, 3), (2, 1)):
        changed(reports, file, "CREATE TABLE PROF_RANKS (rank INTEGER, size INTEGER, precedence INTEGER)",
                f"INSERT INTO PROF_RANKS VALUES ({rank}, 5, 0)")
    changed(reports, 2, "INSERT INTO DIAGNOSTIC_EVENT (timestamp, timestampType, source, severity, text) "
                        "VALUES (0, 1, 1, 2, '17 events were dropped')")
    (reports / "rank_3.sqlite").write_text("no report")
    done = recipe("missing", "--input", reports, "--output", tmp_path / "missing")
    assert done.returncode == 1 and done.stderr.count("left out") == 1
    table = pandas.read_parquet(tmp_path / "missing/analysis.parquet")
    assert table["Status"].to_list() == ["complete", "complete", "incomplete", "unreadable", "missing", "missing"]
    assert table["Job Rank"].to_list()[:3] + table["Job Rank"].to_list()[4:] == [0, 3, 1, 2, 4]
    assert table["Notes"][2] == "17 events were dropped"


# --- modes

def same_files(first, second):
    names = sorted(path.name for path in first.glob("*.parquet"))
    assert names == sorted(path.name for path in second.glob("*.parquet")) and names
    return all((first / name).read_bytes() == (second / name).read_bytes() for name in names)


def test_processes_give_the_same_bytes(small, tmp_path):
    serial = made(tmp_path / "none", "cuda_gpu_kern_sum", "--input", small, "--mode=none")
    parallel = made(tmp_path / "concurrent", "cuda_gpu_kern_sum", "--input", small, "--mode=concurrent",
                    NSYS_CONCURRENT_MAX_WORKERS=2)
    assert same_files(serial, parallel)


@pytest.mark.parametrize("mode", ["concurrent", "dask-futures"])
def test_a_killed_worker_costs_one_report(small, tmp_path, mode):
    if mode == "dask-futures":
        pytest.importorskip("distributed")
    (tmp_path / "counts.py").write_text(SUM_OF_REPORT)
    done = recipe("counts", "--input", small, "--kill=rank_2", "--mode", mode, "--output", tmp_path / "out",
                  PROF_RECIPE_PATH=tmp_path, PROF_CONCURRENT_MAX_WORKERS=2, DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES=0)
    assert done.returncode == 1
    assert re.fullmatch(r"prof: left out \S+/rank_2\.sqlite: the (process|workers) that read it (was|were) killed\n", done.stderr)
    assert pandas.read_parquet(tmp_path / "out/files.parquet")["File"].to_list() == ["rank_0", "rank_1", "rank_3"]


def test_dask_with_a_scheduler(small, tmp_path):
    distributed = pytest.importorskip("distributed")
    serial = made(tmp_path / "none", "nvtx_gpu_proj_trace", "--input", small, "--mode=none")
    package = PROF.parent.parent / "python"
    file = tmp_path / "scheduler.json"
    environment = {**os.environ, "PYTHONPATH": str(package)}
    with distributed.LocalCluster(n_workers=0, processes=True, dashboard_address=None) as cluster:
        client = distributed.Client(cluster)
        client.write_scheduler_file(str(file))
        worker = subprocess.Popen([sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", str(file),
                                   "--nthreads=1", "--no-dashboard"], env=environment,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            client.wait_for_workers(1, timeout=60)
            for variables in ({"NSYS_DASK_SCHEDULER_FILE": file}, {"DASK_SCHEDULER_ADDRESS": cluster.scheduler_address}):
                folder = made(tmp_path / "dask", "nvtx_gpu_proj_trace", "--input", small, "--mode=dask-futures", **variables)
                assert same_files(serial, folder)
        finally:
            client.close()
            worker.terminate()
            worker.wait()
    done = recipe("osrt_sum", "--input", small, "--mode=dask-futures", PROF_DASK_SCHEDULER_FILE=tmp_path / "none.json")
    assert done.returncode == 1 and "none.json, which does not exist" in done.stderr


def test_slurm(small, tmp_path):
    """The script runs with a stand-in for sbatch that runs each job at once."""
    sbatch = tmp_path / "sbatch"
    sbatch.write_text("""#!/bin/bash
for word; do case "$word" in --array=*) last=${word#--array=0-} ;; esac; done
for ((SLURM_ARRAY_TASK_ID = 0; SLURM_ARRAY_TASK_ID <= ${last:-0}; SLURM_ARRAY_TASK_ID++)); do
  export SLURM_ARRAY_TASK_ID; bash -c "${@: -1}" >&2 || exit
done
echo 4711
""")
    sbatch.chmod(0o755)
    serial = made(tmp_path / "none", "nvtx_sum", "--input", small, "--mode=none")
    words = ["nvtx_sum", "--input", small, "--output", tmp_path / "slurm"]
    script = recipe(*words, "--mode", "slurm", PWD=tmp_path)
    assert script.returncode == 0 and "--array=0-3" in script.stdout
    path = f"{tmp_path}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(["sh"], input=script.stdout, env={**os.environ, "PATH": path}, cwd=tmp_path, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 0 and same_files(serial, tmp_path / "slurm"), done.stderr


# --- what is wrong with the input

@pytest.mark.parametrize("mode", ["none", "concurrent"])
def test_reports_that_cannot_be_read_are_named(small, tmp_path, mode):
    reports = shutil.copytree(small, tmp_path / "reports")
    data = (reports / "rank_1.sqlite").read_bytes()
    (reports / "rank_1.sqlite").write_bytes(data[:len(data) // 2])
    (reports / "rank_2.db").write_text("not a report")
    (reports / "rank_2.sqlite").unlink()
    locked = sqlite3.connect(reports / "rank_3.sqlite")
    locked.execute("BEGIN EXCLUSIVE")
    done = recipe("osrt_sum", "--input", reports, "--output", tmp_path / "out", "--mode", mode)
    locked.rollback()
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert len(lines) == 3 and all(line.startswith("prof: left out ") for line in lines)
    assert ["truncated" in lines[0], "not an SQLite database" in lines[1], "locked" in lines[2]] == [True] * 3, lines
    assert pandas.read_parquet(tmp_path / "out/files.parquet")["File"].to_list() == ["rank_0"]


def with_rank(folder, file, rank, job, attempt=0):
    changed(folder, file, "CREATE TABLE PROF_RANKS (rank INTEGER, size INTEGER, jobId TEXT, attempt INTEGER, precedence INTEGER)",
            f"INSERT INTO PROF_RANKS VALUES ({rank}, 4, '{job}', {attempt}, 0)")


@pytest.mark.parametrize("mode", ["none", "concurrent", "dask-futures"])
def test_reports_that_do_not_belong_together_are_named(small, tmp_path, mode):
    if mode == "dask-futures":
        pytest.importorskip("distributed")
    reports = shutil.copytree(small, tmp_path / "reports")
    for file, (rank, job, attempt) in enumerate([(0, "a1", 0), (0, "a1", 0), (1, "a1", 0), (1, "a1", 1)]):
        with_rank(reports, file, rank, job, attempt)
    done = recipe("osrt_sum", "--input", reports, "--mode", mode, "--output", tmp_path / "out")
    assert done.returncode == 0
    assert done.stderr == "prof: rank 0 has 2 reports, which count as ranks each: rank_0.sqlite, rank_1.sqlite\n"
    changed(reports, 2, "UPDATE PROF_RANKS SET jobId = 'b2'")
    done = recipe("osrt_sum", "--input", reports, "--mode", mode, "--output", tmp_path / "more")
    assert done.returncode == 0 and done.stderr.splitlines()[0] == "prof: the reports are of 2 jobs: a1, b2"


@pytest.mark.parametrize("listens", [True, False])
def test_a_scheduler_that_does_not_answer(small, tmp_path, listens):
    pytest.importorskip("distributed")
    with socket.socket() as scheduler:
        scheduler.bind(("127.0.0.1", 0))
        if listens:
            scheduler.listen()
        address = f"tcp://127.0.0.1:{scheduler.getsockname()[1]}"
        done = recipe("osrt_sum", "--input", small, "--mode=dask-futures", PWD=tmp_path, PROF_DASK_TIMEOUT="2",
                      DASK_SCHEDULER_ADDRESS=address)
    assert done.returncode == 1 and done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith(
        "prof: Dask's scheduler does not answer, or has no worker, within 2 s (PROF_DASK_TIMEOUT): it has accepted" if listens
        else f"prof: cannot reach Dask's scheduler: Timed out trying to connect to {address}")
    assert not list(tmp_path.iterdir())


def test_refusals(small, tmp_path):
    folder = made(tmp_path / "sums", "osrt_sum", "--input", small)
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").touch()
    for words, status, text in (
            (["cuda_gpu_kern_sun", "--input", small], 2, "did you mean cuda_gpu_kern_sum?"),
            (["nvtx_cpu_topdown", "--input", small], 1, "needs counters of CPU cores, which prof does not record"),
            (["cuda_gpu_time_util_map"], 1, "use prof view"),
            (["osrt_sum"], 2, "required: --input"),
            (["osrt_sum", "--input", small, "--output", folder], 1, "sums exists: --force-overwrite replaces it"),
            (["osrt_sum", "--input", small, "--force-overwrite", "--output", precious], 1, "not the output of a recipe"),
            (["osrt_sum", "--input", precious], 1, "precious has no reports"),
            (["nvtx_pace", "--name=none", "--input", small], 1, "the reports have no data for this recipe"),
            (["osrt_sum", "--input", tmp_path / "none.db"], 1, "No such file"), ([], 2, "prof recipe --list")):
        done = recipe(*words, PWD=tmp_path)
        assert done.returncode == status and text in done.stderr, done
        assert "Traceback" not in done.stderr
    assert (precious / "file").exists() and (folder / "files.parquet").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["precious", "sums"]


def test_output_names_are_numbered(small, tmp_path):
    for number in (1, 2):
        done = recipe("osrt_sum", "--input", small / "rank_0.sqlite", PWD=tmp_path)
        assert done.stdout == f"osrt_sum-{number}\n" and (tmp_path / f"osrt_sum-{number}/all_stats.parquet").exists()
    done = recipe("osrt_sum", "--input", small / "rank_0.sqlite", "--output=%q{NAME}-%%", PWD=tmp_path, NAME="job")
    assert done.stdout == "job-%\n"
    assert recipe("-q", "osrt_sum", "--input", small / "rank_0.sqlite", PWD=tmp_path).stdout == ""


@pytest.mark.parametrize("package, words", [("pandas", []), ("distributed", ["--mode=dask-futures"])])
def test_missing_packages_are_named(small, tmp_path, package, words):
    (tmp_path / f"{package}.py").write_text("raise ImportError")
    done = recipe("osrt_sum", "--input", small, *words, PYTHONPATH=tmp_path, PWD=tmp_path)
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert f"-m pip install {package}" in done.stderr


def test_help_and_list():
    listed = recipe("--list").stdout
    for name in (*(truth() if RECIPES.exists() else ()), "nccl_straggler", "gpu_gaps"):
        assert re.search(rf"^  {name} ", listed, re.M), name
    assert "--filter-nvtx" in recipe("gpu_gaps", "--help").stdout
