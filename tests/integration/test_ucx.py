"""-t ucx: calls of UCX and its transfers, of a program that prints what it does. -t oshmem with a stand-in of OpenSHMEM."""
import os
import shutil

import pytest
from profiling import Report, prof, program

ON_ONE_HOST = os.environ | {"UCX_TLS": "self,sm,tcp", "UCX_WARN_UNUSED_ENV_VARS": "n"}


def recorded(tmp_path, *command, traces, environment=None):
    path = tmp_path / "r.db"
    done = prof("profile", "-t", traces, "-s", "none", "--cpuctxsw=none", "-f", "true", "-o", path, "--", *command,
                env=environment)
    assert done.returncode == 0, done
    report = Report(path, done)
    assert report.value("PRAGMA integrity_check") == "ok"
    return report


def rows(report, table, *columns):
    texts = {row["id"]: row["value"] for row in report.query("SELECT * FROM StringIds")}
    return [(texts[row["textId"]], *(row[column] for column in columns))
            for row in report.query(f"SELECT * FROM {table} ORDER BY start, \"end\"")]


@pytest.fixture(scope="module")
def ucx(tmp_path_factory):
    """Its build also compiles ucp_abi, which compares what prof knows of UCX's structures with its headers."""
    return recorded(tmp_path_factory.mktemp("ucx"), program("ucx_answers"), traces="ucx", environment=ON_ONE_HOST)


def said(report, word):
    return [tuple(map(int, line.split()[1:])) for line in report.done.stdout.splitlines() if line.startswith(word)]


def test_workers_have_their_uids(ucx):
    made = [uid for uid, in said(ucx, "worker")]
    assert [row["workerUid"] for row in ucx.query("SELECT * FROM UCP_WORKERS")] == made
    peers = {row["peerWorkerUid"] for row in ucx.query("SELECT * FROM UCP_SUBMIT_EVENTS")}
    assert peers == {None, made[1]}


def test_calls_that_send_and_receive(ucx):
    found = rows(ucx, "UCP_SUBMIT_EVENTS", "tag", "packedSize", "peerWorkerUid")
    sends = [row[:3] for row in found if "send" in row[0]]
    assert [row[1:] for row in sends] == said(ucx, "message")
    assert [row[0] for row in sends] == ["ucp_tag_send_nbx"] * 3 + ["ucp_tag_send_nb", "ucp_tag_send_nbx"]
    assert all(row[3] is not None for row in found if "send" in row[0] or "put" in row[0])
    receives = [row[:3] for row in found if "recv" in row[0]]
    large = said(ucx, "message")[1][1]
    assert receives == [("ucp_tag_recv_nbx", 0, 200), ("ucp_tag_recv_nbx", 8, large), ("ucp_tag_recv_nbx", 9, large),
                        ("ucp_tag_recv_nb", 20, 200), ("ucp_tag_recv_nbx", 30, 42), ("ucp_tag_recv_nbx", 99, 16)]
    assert [row[2] for row in found if "put" in row[0]] == [64]


def test_transfers_last_until_they_are_done(ucx):
    found = rows(ucx, "UCP_PROGRESS_EVENTS", "tag", "packedSize", "start", "end")
    received = [row[1:3] for row in found if "recv" in row[0]]
    # What waited for its message has the tag and the size of that. A cancelled receive has what it asked for.
    for row in ((7, 100), (20, 40), (99, 16)):
        assert row in received, found
    large = said(ucx, "message")[1][1]
    assert [row[1:3] for row in found if row[0] == "ucp_tag_send_nbx" and row[2] == large] == [(8, large), (9, large)]
    calls = {(row[0], row[1]): row[2:] for row in rows(ucx, "UCP_SUBMIT_EVENTS", "start", "end")}
    for name, _, _, start, end in found:
        assert (name, start) in calls and end >= start


def test_other_calls(ucx):
    names = [name for name, in rows(ucx, "UCP_EVENTS")]
    for name, count in (("ucp_worker_create", 2), ("ucp_ep_create", 1), ("ucp_ep_close_nbx", 1), ("ucp_mem_map", 1),
                        ("ucp_ep_flush_nbx", 1), ("ucp_worker_destroy", 2), ("ucp_cleanup", 1)):
        assert names.count(name) == count, names
    assert "ucp_worker_progress" not in names
    assert "UCX calls: " in " ".join(ucx.diagnostics())


def test_statistics_of_ucx(ucx):
    done = prof("stats", "-r", "ucx_sum,ucx_msg_size_sum", "-f", "csv", ucx.path)
    assert done.returncode == 0, done
    assert any(line.endswith("submit,ucp_tag_send_nbx") for line in done.stdout.splitlines())
    sizes = [line.split(",") for line in done.stdout.splitlines() if line.endswith("submit,ucp_tag_send_nbx")][-1]
    assert int(sizes[0]) == sum(size for tag, size in said(ucx, "message") if tag != 20) and sizes[1] == "4"


def test_the_program_is_the_same_without_prof(ucx):
    """Also if nothing is recorded when it begins."""
    assert ucx.done.stderr.count("line ") == 0
    assert len(ucx.done.stdout.splitlines()) == 8


def test_a_real_program(tmp_path):
    perftest = shutil.which("ucx_perftest")
    if perftest is None:
        pytest.skip("ucx-utils is not installed")
    report = recorded(tmp_path, perftest, "-t", "tag_lat", "-l", "-n", "200", "-w", "0", "-s", "64", traces="ucx",
                      environment=ON_ONE_HOST)
    names = [row[0] for row in rows(report, "UCP_SUBMIT_EVENTS")]
    assert len([name for name in names if "send" in name]) >= 200
    sizes = {row[1] for row in rows(report, "UCP_SUBMIT_EVENTS", "packedSize") if "send" in row[0]}
    assert 64 in sizes


def test_program_of_the_benchmark(tmp_path):
    """tests/bench/parallel_calls.py reads its lines."""
    report = recorded(tmp_path, program("ucx_price"), traces="ucx", environment=ON_ONE_HOST)
    assert report.done.stdout.startswith("receive+send ")
    assert report.value("SELECT count(*) FROM UCP_SUBMIT_EVENTS") == 2 * 20 * 500


def test_calls_of_oshmem(tmp_path):
    """Arguments and results in all kinds of registers and on the stack arrive."""
    report = recorded(tmp_path, program("shmem_answers"), traces="oshmem")
    assert report.done.stdout == "3 3.5 3.5 8 4.25 9 45 0\n"
    assert rows(report, "PROF_SHMEM_CALLS", "size", "peer") == [
        ("shmem_init", None, None), ("shmem_double_put", 24, 1), ("shmem_float_p", 4, 2), ("shmem_longdouble_g", 16, 3),
        ("shmem_double_atomic_swap", 8, 4), ("shmem_ctx_int_iput", 16, 5), ("shmem_int_sum_to_all", 16, None),
        ("shmem_barrier_all", None, None)]
    done = prof("stats", "-r", "oshmem_sum,oshmem_msg_size_sum", "-f", "csv", report.path)
    assert done.returncode == 0 and "oshmem,shmem_barrier_all" in done.stdout
    assert "24,1,24.0,24.0,24,24,0.0,oshmem,shmem_double_put" in done.stdout


def test_a_program_that_uses_neither(tmp_path):
    """The report says so; the program has no table of theirs."""
    report = recorded(tmp_path, "true", traces="ucx,oshmem")
    says = " ".join(report.diagnostics())
    assert "UCX was traced, but no process called" in says and "OpenSHMEM was traced, but no process called" in says
    assert not [table for table in report.tables() if table.startswith("UCP") or "SHMEM" in table]
    quiet = recorded(tmp_path, "true", traces="nvtx")
    assert "was traced, but" not in " ".join(quiet.diagnostics())
