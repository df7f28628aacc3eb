"""prof recipe with Dask on four machines (network and mount namespaces), each of which has reports that no other one
sees."""
import os
import shutil
import signal
import sqlite3
import sys
import time
from pathlib import Path

import pytest
from arrow_tables import needs_package
from namespaces import Cluster, can_make_machines
from profiling import prof, unpacked

pytest.importorskip("distributed")
pandas = pytest.importorskip("pandas")
pytestmark = [needs_package, pytest.mark.skipif(not can_make_machines(), reason="needs root and namespaces")]

RANKS_OF_A_MACHINE = 2
WAITS = """
from prof_report import Option, Recipe
import os, pandas, time
class Waits(Recipe):
    options = [Option("--flag", default="")]
    def map(self, report, args):
        if "rank_4" in report.path:
            open(args.flag, "a").write(f"{os.getpid()}\\n")
            end = time.monotonic() + 120
            while not os.path.exists(args.flag + ".go") and time.monotonic() < end:
                time.sleep(0.05)
        return pandas.DataFrame({"tables": [len(report.tables)]})
    def reduce(self, parts, args):
        return {"counts": self.by_rank(parts)}
"""


@pytest.fixture(scope="module", name="cluster")
def fixture_cluster(tmp_path_factory):
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    (cluster.root / "waits.py").write_text(WAITS)
    cluster.environment["PROF_RECIPE_PATH"] = str(cluster.root)
    try:
        cluster.start_dask()
        yield cluster
    finally:
        cluster.close()


@pytest.fixture(name="reports")
def fixture_reports(cluster, tmp_path):
    """Fills the folders of the machines: ranks 0 and 1 on the first one, and so on. Returns a folder with all."""
    everything = tmp_path / "all"
    everything.mkdir()
    original = unpacked(tmp_path / "one.sqlite")
    for machine in cluster.machines:
        for old in machine.folder.iterdir():
            old.unlink()
        for each in range(RANKS_OF_A_MACHINE):
            rank = machine.number * RANKS_OF_A_MACHINE + each
            path = shutil.copy(original, machine.folder / f"rank_{rank}.sqlite")
            with sqlite3.connect(path) as database:
                database.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = end + ?", (rank,))
            database.close()
            shutil.copy(path, everything)
    return everything


def result(process):
    out, err = process.communicate(timeout=200)
    return process.returncode, out, err.splitlines()


def recipe(cluster, name, folder, *words, **variables):
    return cluster.recipe(name, "--input", cluster.shared, "--mode=dask-futures", "--output", folder, *words,
                          variables=variables)


def read_ranks(folder):
    return [int(name[5:]) for name in pandas.read_parquet(folder / "files.parquet")["File"]]


def waits_at(flag, count=1):
    """Waits until a worker is in the recipe's map() of rank 4; returns the pid of the last one."""
    deadline = time.monotonic() + 60
    while not flag.exists() or len(flag.read_text().splitlines()) < count:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return int(flag.read_text().splitlines()[-1])


def test_the_same_bytes_as_mode_none(cluster, reports, tmp_path):
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    for name in ("cuda_gpu_kern_sum", "nvtx_gpu_proj_trace"):
        ours = tmp_path / name
        status, _, err = result(recipe(cluster, name, ours))
        assert (status, err) == (0, [])
        done = prof("recipe", name, "--input", reports, "--mode=none", "--output", tmp_path / f"{name}-none", env=environment)
        assert done.returncode == 0, done.stderr
        tables = sorted(path.name for path in ours.glob("*.parquet"))
        assert tables and read_ranks(ours) == list(range(8))
        for table in tables:
            assert (ours / table).read_bytes() == (tmp_path / f"{name}-none" / table).read_bytes(), table


def test_reports_that_are_gone_truncated_foreign_or_locked(cluster, reports, tmp_path):
    first, second, third, fourth = (machine.folder for machine in cluster.machines)
    data = (second / "rank_2.sqlite").read_bytes()
    (second / "rank_2.sqlite").write_bytes(data[:len(data) // 2])
    (second / "rank_3.sqlite").write_text("a letter")
    for path in third.iterdir():
        path.unlink()
    locked = sqlite3.connect(fourth / "rank_6.sqlite")
    locked.execute("BEGIN EXCLUSIVE")
    status, _, err = result(recipe(cluster, "osrt_sum", tmp_path / "out"))
    locked.rollback()
    locked.close()
    assert status == 1 and len(err) == 4 and all(line.startswith("prof: left out ") for line in err), err
    text = "\n".join(sorted(err))
    for name, reason in (("reports on 10.213.7.3", "it has no reports"), ("rank_2.sqlite", "truncated"),
                         ("rank_3.sqlite", "not an SQLite database"), ("rank_6.sqlite", "locked")):
        assert any(name in line and reason in line for line in err), text
    assert read_ranks(tmp_path / "out") == [0, 1, 7] and first.exists()


def test_two_machines_with_different_files_of_one_name(cluster, reports, tmp_path):
    shutil.copy(cluster.machines[0].folder / "rank_0.sqlite", cluster.machines[1].folder / "rank_0.sqlite")
    with sqlite3.connect(cluster.machines[1].folder / "rank_0.sqlite") as database:
        database.execute("CREATE TABLE more (number)")
    database.close()
    status, _, err = result(recipe(cluster, "osrt_sum", tmp_path / "out"))
    assert status == 1 and len(err) == 1 and "it is another file on each of 10.213.7.1 and 10.213.7.2" in err[0]
    assert read_ranks(tmp_path / "out") == [1, 2, 3, 4, 5, 6, 7] and reports.exists()


def test_a_killed_worker_is_replaced(cluster, reports, tmp_path):
    """Dask starts the worker again, with another port."""
    flag = tmp_path / "flag"
    process = recipe(cluster, "waits", tmp_path / "out", f"--flag={flag}")
    os.kill(waits_at(flag), signal.SIGKILL)
    waits_at(flag, 2)
    Path(f"{flag}.go").touch()
    assert result(process)[::2] == (0, [])
    assert read_ranks(tmp_path / "out") == list(range(8)) and reports.exists()


def test_a_machine_that_is_cut_off_for_five_seconds(cluster, reports, tmp_path):
    flag = tmp_path / "flag"
    process = recipe(cluster, "waits", tmp_path / "out", f"--flag={flag}")
    waits_at(flag)
    cluster.machines[2].connect(False)
    Path(f"{flag}.go").touch()
    time.sleep(5)
    cluster.machines[2].connect(True)
    assert result(process)[::2] == (0, [])
    assert read_ranks(tmp_path / "out") == list(range(8)) and reports.exists()


def test_a_machine_that_does_not_come_back(cluster, reports, tmp_path):
    flag = tmp_path / "flag"
    process = recipe(cluster, "waits", tmp_path / "out", f"--flag={flag}", PROF_DASK_TIMEOUT="4")
    waits_at(flag)
    worker = cluster.machines[2].processes.pop()
    os.killpg(worker.pid, signal.SIGKILL)
    worker.wait()
    status, _, err = result(process)
    assert status == 1 and len(err) == 2, err
    for line, rank in zip(err, (4, 5)):
        assert f"rank_{rank}.sqlite: the worker on 10.213.7.3 is gone" in line
    assert read_ranks(tmp_path / "out") == [0, 1, 2, 3, 6, 7] and reports.exists()
