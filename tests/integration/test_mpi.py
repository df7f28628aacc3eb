"""-t mpi: the rows of MPI programs, with each MPI that is installed."""
import re
import subprocess
import sys

import pytest
from mpi_programs import KINDS, environment, mpirun
from profiling import PROF, TRUTH, Report, prof, program

# What is compared of each table. Of handles only whether there is one.
COLUMNS = {"MPI_RANKS": ["rank"],
           "MPI_P2P_EVENTS": ["textId", "tag", "remoteRank", "size", "requestHandle"],
           "MPI_COLLECTIVES_EVENTS": ["textId", "rootRank", "size", "recvSize", "requestHandle"],
           "MPI_START_WAIT_EVENTS": ["textId"],
           "MPI_OTHER_EVENTS": ["textId"],
           "MPI_COMMUNICATORS": ["rank", "localRank", "size", "groupRoot", "groupRootUid", "members", "parentHandle"],
           "PROF_MPI_CALLS": ["textId"]}


def options(path):
    return ["profile", "-t", "mpi", "-s", "none", "--cpuctxsw=none", "-f", "true", "-o", path]


def checked(path, done):
    report = Report(path, done)
    assert report.value("PRAGMA integrity_check") == "ok"
    assert not [text for text in report.diagnostics() if "dropped" in text or "amaged" in text]
    return report


def recorded(tmp_path, kind, ranks, *command, status=0):
    """The report of `mpirun -n RANKS COMMAND`."""
    path = tmp_path / f"{kind}.db"
    done = prof(*options(path), "--", mpirun(kind), "-n", ranks, *command, env=environment())
    assert (done.returncode == 0) == (status == 0), done
    return checked(path, done)


def value_of(report, row, column):
    value = row[column]
    if column.endswith("Handle"):
        return int(bool(value))
    return report.value("SELECT value FROM StringIds WHERE id = ?", value) if column == "textId" else value


def rows(report, rank, table):
    """The rows of a rank in the order of their times."""
    if table not in report.tables():
        return []
    tid = report.value("SELECT globalTid FROM MPI_RANKS WHERE rank = ?", rank)
    owner, order = ("rank", "timestamp") if table == "MPI_COMMUNICATORS" else ("globalTid", "start, end")
    found = report.query(f"SELECT * FROM {table} WHERE {owner} = ? ORDER BY {'rowid' if table == 'MPI_RANKS' else order}",
                         rank if owner == "rank" else tid)
    return [tuple(value_of(report, row, column) for column in COLUMNS[table]) for row in found]


def all_rows(report, rank):
    return {table: rows(report, rank, table) for table in COLUMNS}


def truth(name, *run):
    """nsys's rows of a program. `run`: the columns after the table, which say of which process they are."""
    found = {}
    for line in (TRUTH / name).read_text().splitlines()[1:]:
        table, *values = line.split("\t")
        values = [None if value == "" else int(value) if re.fullmatch(r"-?\d+", value) else value for value in values]
        if values[:len(run)] == list(run):
            found.setdefault(table, []).append(tuple(values[len(run):]))
    return found


def like_nsys(report, rank, without=()):
    found = all_rows(report, rank)
    own = [name for name, in found.pop("PROF_MPI_CALLS")]
    assert own == ["MPI_Comm_split", "MPI_Comm_dup", "MPI_Iprobe", "MPI_Request_free"]
    wanted = {table: [row for row in of if row[0] not in without] for table, of in truth("mpi_zoo.tsv", rank).items()}
    assert found == wanted


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_rows_as_nsys(tmp_path, kind):
    report = recorded(tmp_path, kind, 4, program(f"mpi_zoo.{kind}"), tmp_path / "file")
    for rank in (0, 1):
        like_nsys(report, rank)
    ranks = [tuple(row) for row in report.query("SELECT rank, size, source, precedence FROM PROF_RANKS ORDER BY rank")]
    assert ranks == [(rank, 4, "mpi", 0) for rank in range(4)]
    stats = prof("stats", "-r", "mpi_event_sum,mpi_event_trace,mpi_msg_size_sum", "-f", "csv", report.path)
    assert stats.returncode == 0 and "SKIPPED" not in stats.stderr
    assert "524288" in stats.stdout and "MPI_Waitall" in stats.stdout


def with_differences(wanted, ranks, rank):
    """nsys's rows of mpi_zoo2 with what prof does in another way (docs/mpi.md)."""
    calls = wanted["MPI_COLLECTIVES_EVENTS"]
    changes = {0: [(("MPI_Bcast", -4, None, 16, 0), ("MPI_Bcast", -4, 16 * (ranks - 1), None, 0)),
                   (("MPI_Gather", -4, 24, None, 0), ("MPI_Gather", -4, None, 24 * (ranks - 1), 0))],
               1: [(("MPI_Bcast", 0, 16 * (ranks - 1), 16, 0), ("MPI_Bcast", 0, None, 16, 0)),
                   (("MPI_Gather", 0, 24, 24 * (ranks - 1), 0), ("MPI_Gather", 0, 24, None, 0))]}
    for nsyss, own in changes.get(rank, []):
        assert calls.count(nsyss) == 1
        calls[calls.index(nsyss)] = own
    others = (0, 1) if rank == 0 else (rank - 1, ranks - 1)  # own rank in the group, and its size
    wanted["MPI_COMMUNICATORS"][5:5] = [(rank, *others, None, None, None, 1), (rank, rank, ranks, 0, 5, None, 1)]
    return wanted


@pytest.mark.parametrize("ranks", [2, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_rows_as_nsys_of_every_kind_of_call(tmp_path, kind, ranks):
    report = recorded(tmp_path, kind, ranks, program(f"mpi_zoo2.{kind}"))
    for rank in range(ranks):
        found = all_rows(report, rank)
        own = {name for name, in found.pop("PROF_MPI_CALLS")}
        assert {"MPI_Cart_create", "MPI_Intercomm_merge", "MPI_Cancel", "MPI_Request_free"} <= own
        neighbours = [row for row in found["MPI_COLLECTIVES_EVENTS"] if "eighbor" in row[0]]
        assert len(neighbours) == 8 and all(row[1:4] == (None, None, None) for row in neighbours)
        found["MPI_COLLECTIVES_EVENTS"] = [row for row in found["MPI_COLLECTIVES_EVENTS"] if row not in neighbours]
        assert found == with_differences(truth("mpi_zoo2.tsv", ranks, rank), ranks, rank)


@pytest.mark.parametrize("kind", KINDS)
def test_requests_with_wildcards(tmp_path, kind):
    """A request that is done does not take the sender of the next one with its handle; a cancelled one has none."""
    report = recorded(tmp_path, kind, 2, program(f"mpi_wildcards.{kind}"))
    assert rows(report, 1, "MPI_P2P_EVENTS") == [
        ("MPI_Irecv", 8, -1, 64, 1), ("MPI_Recv_init", 16, 0, 96, 1), ("MPI_Irecv", 9, 0, 64, 1),
        ("MPI_Send", 1, 0, 4, 0), ("MPI_Irecv", None, 0, 64, 1), ("MPI_Irecv", 11, 0, 64, 1), ("MPI_Irecv", 99, -1, 4, 1)]
    waits = [(name, bool(handle)) for name, handle in report.query(
        "SELECT value, requestHandle FROM MPI_START_WAIT_EVENTS JOIN StringIds ON id = textId JOIN MPI_RANKS USING (globalTid)"
        " WHERE rank = 1 AND value LIKE '%any' ORDER BY start")]
    assert waits == [("MPI_Testany", False), ("MPI_Waitany", True), ("MPI_Waitany", False)]


@pytest.mark.parametrize("kind", KINDS)
def test_one_rank_of_four(tmp_path, kind):
    """prof takes part in no communication: the other ranks do not know of it."""
    zoo, path = program(f"mpi_zoo.{kind}"), tmp_path / "r.db"
    script = tmp_path / "rank.sh"
    words = " ".join(f"'{word}'" for word in (PROF, *options(path), zoo, tmp_path / "file"))
    script.write_text("#!/bin/sh\n"
                      f'[ "${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" = 1 ] && exec {words}\n'
                      f"exec '{zoo}' '{tmp_path}/file'\n")
    script.chmod(0o755)
    run = subprocess.run([mpirun(kind), "-n", "4", script], env=environment(), check=False, timeout=120,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert run.returncode == 0, run.stdout
    like_nsys(checked(path, run), 1)


EXPECTED = {
    "MPI_P2P_EVENTS": [("MPI_Irecv", 5, 1, 32, 1), ("MPI_Isend", 5, 1, 32, 1), ("MPI_Send", 6, None, 0, 0),
                       ("MPI_Sendrecv", 7, 1, 8, 0)],
    "MPI_COLLECTIVES_EVENTS": [("MPI_Allreduce", None, 16, 16, 0), ("MPI_Bcast", 0, 16, 8, 0),
                               ("MPI_Gather", 0, None, 4, 0), ("MPI_Barrier", None, None, None, 0)],
    "MPI_START_WAIT_EVENTS": [("MPI_Waitall",)] * 2,
    "MPI_OTHER_EVENTS": [("MPI_Init",), ("MPI_Finalize",)],
    "MPI_COMMUNICATORS": [(0, 0, 2, None, None, None, 0), (0, 0, 1, 0, 0, None, 1)],
    "PROF_MPI_CALLS": [("MPI_Comm_split",), ("MPI_Comm_free",)],
    "MPI_RANKS": [(0,)]}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("binding", ["", ".MPIF", ".MPI", ".F08"])
def test_languages(tmp_path, kind, binding):
    """Each call counts once, with handles, MPI_IN_PLACE, wildcards and null types, in C and Fortran."""
    report = recorded(tmp_path, kind, 2, program(f"mpi_rows.{kind}{binding}"))
    assert all_rows(report, 0) == EXPECTED
    other = all_rows(report, 1)
    assert other["MPI_COLLECTIVES_EVENTS"][1:3] == [("MPI_Bcast", 0, None, 8, 0), ("MPI_Gather", 0, 4, None, 0)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_rank_that_aborts(tmp_path, kind):
    """What it did until then is in the report. Its launcher kills the other ranks."""
    report = recorded(tmp_path, kind, 4, program(f"mpi_zoo.{kind}"), tmp_path / "file", "abort", status=1)
    like_nsys(report, 1, without=["MPI_Finalize"])


def test_a_program_without_mpi(tmp_path):
    done = prof(*options(tmp_path / "r.db"), "--mpi-impl=openmpi", "/bin/true")
    assert done.returncode == 0 and "prof: " not in done.stderr, done
    assert not [table for table in Report(tmp_path / "r.db").tables() if "MPI" in table]


@pytest.mark.parametrize("traces, is_loaded", [("mpi", True), ("osrt,nccl", False)])
def test_the_library_is_loaded_if_mpi_is_traced(tmp_path, traces, is_loaded):
    done = prof("profile", "-t", traces, "-f", "true", "-o", tmp_path / "r.db", "sh", "-c", "echo $LD_PRELOAD")
    assert ("libprof_mpi.so" in done.stdout) == is_loaded


def test_python(tmp_path):
    """mpi4py opens its MPI library itself, and looks for functions that the library may lack."""
    pytest.importorskip("mpi4py")
    mpirun("openmpi")
    script = tmp_path / "script.py"
    script.write_text("from mpi4py import MPI\nimport array\nworld = MPI.COMM_WORLD\n"
                      "here, there = array.array('i', [1] * 5), array.array('i', [0] * 5)\n"
                      "request = world.Irecv([there, MPI.INT], source=1 - world.rank, tag=4)\n"
                      "world.Send([here, MPI.INT], dest=1 - world.rank, tag=4)\nrequest.Wait()\nworld.Barrier()\n")
    report = recorded(tmp_path, "openmpi", 2, sys.executable, script)
    assert rows(report, 0, "MPI_P2P_EVENTS") == [("MPI_Irecv", 4, 1, 20, 1), ("MPI_Send", 4, 1, 20, 0)]
    assert ("MPI_Wait",) in rows(report, 0, "MPI_START_WAIT_EVENTS")
    assert ("MPI_Barrier", None, None, None, 0) in rows(report, 0, "MPI_COLLECTIVES_EVENTS")
