"""Functions of MPI 4 that not every MPI has, so that libprof_mpi.so must not export them: with the MPI that has them."""
import os
import sys
from pathlib import Path

import pytest
from mpi_programs import KINDS, environment
from profiling import prof, program
from test_mpi import all_rows, recorded


@pytest.mark.parametrize("kind", KINDS)
def test_programs_find_the_functions_that_their_mpi_has(tmp_path, kind):
    probe = program(f"mpi_probe.{kind}")
    alone = prof("profile", "-t", "none", "-s", "none", "--cpuctxsw=none", "-o", tmp_path / "none.db", "--", probe,
                 env=environment())
    report = recorded(tmp_path, kind, 1, probe)
    assert alone.stdout.count("MPI_") == 3 and report.done.stdout == alone.stdout


@pytest.mark.parametrize("kind", KINDS)
def test_program_of_the_benchmark(tmp_path, kind):
    """tests/bench/parallel_calls.py reads its lines."""
    report = recorded(tmp_path, kind, 1, program(f"mpi_price.{kind}"))
    assert [line.split()[0] for line in report.done.stdout.splitlines()] == [
        "MPI_Barrier", "MPI_Allreduce/self", "MPI_Allreduce/world", "MPI_Iprobe", "Irecv+Isend+Waitall"]


@pytest.fixture(scope="module")
def ranks(tmp_path_factory):
    """The rows of both ranks of mpi_four."""
    for kind in KINDS:
        try:
            path = program(f"mpi_four.{kind}")
        except pytest.skip.Exception:
            continue
        report = recorded(tmp_path_factory.mktemp("four"), kind, 2, path)
        return [all_rows(report, rank) for rank in (0, 1)]
    return pytest.skip("no MPI here has the functions of MPI 4")


def test_messages(ranks):
    sender, receiver = (of["MPI_P2P_EVENTS"] for of in ranks)
    assert sender == [("MPI_Send_c", 1, 1, 64, 0), ("MPI_Isendrecv", 2, 1, 32, 1), ("MPI_Isendrecv", 2, 1, 40, 1),
                      ("MPI_Psend_init", 3, 1, 48, 1)]
    assert receiver == [("MPI_Recv_c", 1, 0, 64, 0), ("MPI_Isendrecv", 2, 0, 32, 1), ("MPI_Isendrecv", 2, 0, 40, 1),
                        ("MPI_Precv_init", 3, 0, 48, 1)]


def test_collective_calls(ranks):
    sender, receiver = (of["MPI_COLLECTIVES_EVENTS"] for of in ranks)
    assert sender == [("MPI_Allgatherv_c", None, 16, 20, 0), ("MPI_Bcast_c", 0, 40, 20, 0),
                      ("MPI_Allreduce_init", None, 32, 32, 1), ("MPI_Barrier_init", None, None, None, 1)]
    assert receiver[:2] == [("MPI_Allgatherv_c", None, 24, 20, 0), ("MPI_Bcast_c", 0, None, 20, 0)]


def test_waits_and_partitions(ranks):
    waits = [name for name, in ranks[0]["MPI_START_WAIT_EVENTS"]]
    assert waits == ["MPI_Wait", "MPI_Start", "MPI_Wait", *(["MPI_Startall"] * 2 + ["MPI_Waitall"] * 2) * 2]
    assert [name for name, in ranks[0]["PROF_MPI_CALLS"]] == ["MPI_Pready_range", "MPI_Pready", *["MPI_Request_free"] * 3]
    assert [name for name, in ranks[1]["PROF_MPI_CALLS"]] == ["MPI_Parrived", *["MPI_Request_free"] * 3]


def test_a_program_with_a_session_alone(tmp_path):
    """It has no MPI_COMM_WORLD. Its sizes are known nevertheless."""
    report = recorded(tmp_path, "mpich", 2, program("mpi_sessions.mpich"))
    assert report.done.stdout == "2\n2\n"
    assert [tuple(row) for row in report.query("SELECT size, recvSize FROM MPI_COLLECTIVES_EVENTS")] == [(8, 8)] * 2
    assert "MPI_RANKS" not in report.tables()
    assert [tuple(row) for row in report.query("SELECT rank, size, groupRoot FROM MPI_COMMUNICATORS")] == [(None, 2, None)] * 2
    assert {row["rank"] for row in report.query("SELECT rank FROM PROF_RANKS")} == {0, 1}
    names = [row["value"] for row in report.query(
        "SELECT value FROM PROF_MPI_CALLS JOIN StringIds ON id = textId ORDER BY globalTid, start")]
    assert names == ["MPI_Session_init", "MPI_Comm_create_from_group", "MPI_Comm_free", "MPI_Session_finalize"] * 2


def test_python(tmp_path):
    """mpi4py calls functions with large counts where the MPI has them. Its object is loaded after the program has begun."""
    pytest.importorskip("mpi4py")
    library = Path(f"/usr/lib/{os.uname().machine}-linux-gnu/libmpich.so.12")
    if not library.exists():
        pytest.skip("Debian's MPICH is not installed")
    (tmp_path / "libmpi.so.12").symlink_to(library)  # its name everywhere else
    script = tmp_path / "script.py"
    script.write_text("from mpi4py import MPI\nimport array\nworld = MPI.COMM_WORLD\n"
                      "here, there = array.array('i', [1] * 5), array.array('i', [0] * 5)\n"
                      "world.Sendrecv([here, MPI.INT], 1 - world.rank, 4, [there, MPI.INT], 1 - world.rank, 4)\n"
                      "world.Allreduce([here, MPI.INT], [there, MPI.INT])\nassert there[0] == 2\n")
    report = recorded(tmp_path, "mpich", 2, "env", f"LD_LIBRARY_PATH={tmp_path}", "MPI4PY_MPIABI=mpich", sys.executable, script)
    for rank in (0, 1):
        found = all_rows(report, rank)
        assert found["MPI_P2P_EVENTS"] == [("MPI_Sendrecv_c", 4, 1 - rank, 20, 0)]
        assert ("MPI_Allreduce_c", None, 40, 40, 0) in found["MPI_COLLECTIVES_EVENTS"]
