"""-t mpi: programs of MPI that end badly, or begin in another way. The report has what each rank did until then."""
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from mpi_programs import KINDS, environment, mpirun
from profiling import Report, prof, program
from test_mpi import checked, options, recorded

RANKS = 3


def names(report, table):
    """{function: calls} of a table."""
    if table not in report.tables():
        return {}
    return {row["value"]: row["calls"] for row in report.query(
        f"SELECT value, count(*) AS calls FROM {table} JOIN StringIds ON id = textId GROUP BY 1")}


def worlds(report):
    return sorted(tuple(row) for row in report.query("SELECT size, rank FROM PROF_RANKS WHERE source = 'mpi'"))


def unfinished(report):
    return [text for text in report.diagnostics() if "without MPI_Finalize" in text]


@pytest.mark.parametrize("how", ["kill", "exit", "_exit"])
@pytest.mark.parametrize("kind", KINDS)
def test_ranks_that_do_not_call_finalize(tmp_path, kind, how):
    """The launcher of a rank that was killed kills the others. Some launchers say that such a program has failed."""
    path = tmp_path / "r.db"
    done = prof(*options(path), "--", mpirun(kind), "-n", RANKS, program(f"mpi_ends.{kind}"), how, env=environment())
    alone = subprocess.run([mpirun(kind), "-n", str(RANKS), program(f"mpi_ends.{kind}"), how], env=environment(),
                           check=False, timeout=120, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if kind == "mpich" and how != "kill":
        # Its launcher sometimes kills ranks that end after the first one, also without prof (6 of 45 runs here).
        assert {done.returncode, alone.returncode} <= {0, 9}
    else:
        assert done.returncode == alone.returncode
    report = checked(path, done)
    assert worlds(report) == [(RANKS, rank) for rank in range(RANKS)]
    assert names(report, "MPI_OTHER_EVENTS") == {"MPI_Init": RANKS}
    assert names(report, "MPI_P2P_EVENTS") == {"MPI_Sendrecv": 2 * RANKS}
    assert unfinished(report) == [f"{RANKS} MPI ranks ended without MPI_Finalize: 0, 1, 2."]


@pytest.mark.parametrize("kind", KINDS)
def test_a_line_of_ranks(tmp_path, kind):
    """Half of an exchange with MPI_PROC_NULL has a row without a rank, of no bytes."""
    report = recorded(tmp_path, kind, RANKS, program(f"mpi_ends.{kind}"), "line")
    found = {row["rank"]: [] for row in report.query("SELECT rank FROM MPI_RANKS")}
    for row in report.query("SELECT rank, remoteRank, tag, size, start = end AS sends FROM MPI_P2P_EVENTS"
                            " JOIN MPI_RANKS USING (globalTid) WHERE tag = 9 ORDER BY rank, start, end"):
        found[row["rank"]].append((bool(row["sends"]), row["remoteRank"], row["tag"], row["size"]))
    assert found == {0: [(True, 1, 9, 4), (False, None, 9, 0)], 1: [(True, 2, 9, 4), (False, 0, 9, 4)],
                     2: [(True, None, 9, 0), (False, 1, 9, 4)]}
    assert not unfinished(report)


@pytest.mark.parametrize("kind", KINDS)
def test_a_second_thread_that_was_not_asked_for(tmp_path, kind):
    report = recorded(tmp_path, kind, 2, program(f"mpi_ends.{kind}"), "level")
    assert names(report, "MPI_COLLECTIVES_EVENTS") == {"MPI_Barrier": 2}
    assert report.value("SELECT count(*) FROM MPI_COLLECTIVES_EVENTS WHERE globalTid IN"
                        " (SELECT globalTid FROM MPI_RANKS)") == 0


def spawns(kind):
    """Some builds of MPICH refuse MPI_Comm_spawn."""
    return subprocess.run([mpirun(kind), "-n", "2", program(f"mpi_ends.{kind}"), "spawn"], env=environment(), check=False,
                          timeout=120, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


@pytest.mark.parametrize("kind", KINDS)
def test_processes_that_a_program_spawns(tmp_path, kind):
    """They have another world."""
    if not spawns(kind):
        pytest.skip(f"{kind} spawns no processes here, without prof either")
    report = recorded(tmp_path, kind, RANKS, program(f"mpi_ends.{kind}"), "spawn")
    assert worlds(report) == [(2, 0), (2, 1), *[(RANKS, rank) for rank in range(RANKS)]]
    assert names(report, "PROF_MPI_CALLS") == {"MPI_Comm_spawn": RANKS, "MPI_Comm_get_parent": 2,
                                               "MPI_Comm_disconnect": RANKS + 2}
    assert names(report, "MPI_COLLECTIVES_EVENTS") == {"MPI_Bcast": RANKS + 2}
    assert not unfinished(report)


@pytest.mark.parametrize("kind", KINDS)
def test_two_programs_of_one_job(tmp_path, kind):
    first, second = program(f"mpi_ends.{kind}"), tmp_path / "second"
    shutil.copy(first, second)
    report = recorded(tmp_path, kind, 1, first, "first", ":", "-n", 2, second, "second")
    assert worlds(report) == [(3, rank) for rank in range(3)]
    assert names(report, "MPI_P2P_EVENTS") == {"MPI_Sendrecv": 6}
    programs = [row["name"] for row in report.query(
        "SELECT name FROM PROCESSES JOIN MPI_RANKS ON globalPid = globalTid / 16777216 * 16777216 ORDER BY rank")]
    assert [Path(name).name for name in programs] == [Path(first).name, "second", "second"]


def test_mpi_within_the_program(tmp_path):
    """Its calls are not seen. The report says why it has none."""
    archive = Path(f"/usr/lib/{os.uname().machine}-linux-gnu/libmpich.a")
    source = Path(__file__).parents[1] / "programs" / "mpi" / "mpi_ends.c"
    if not archive.exists():
        pytest.skip("no MPI here can be linked statically")
    # What the archive itself needs is what Debian's libmpich.so needs.
    shared = subprocess.run(["readelf", "-d", archive.with_suffix(".so")], check=True, stdout=subprocess.PIPE, text=True)
    needed = [f"-l:{line.split('[')[1].rstrip(']')}" for line in shared.stdout.splitlines() if "NEEDED" in line]
    built = subprocess.run(["gcc", "-w", "-I/usr/include/x86_64-linux-gnu/mpich", source, archive, *needed, "-o",
                            tmp_path / "linked"], check=False, stderr=subprocess.PIPE, text=True)
    if built.returncode != 0:
        pytest.skip(f"no MPI here can be linked statically: {built.stderr[-200:]}")
    done = prof(*options(tmp_path / "r.db"), "--", mpirun("mpich"), "-n", 2, tmp_path / "linked", "none",
                env=environment())
    assert done.returncode == 0, done
    report = Report(tmp_path / "r.db", done)
    assert not [table for table in report.tables() if table.startswith("MPI_")]
    assert "MPI was traced, but no process called a function of it that is linked dynamically." in report.diagnostics()
