"""Which rank of a job a process is, and what reports say about the clocks of their machine."""
import json
import os
import sys
import time

import pytest
from profiling import profile, prof

NOISE = ("LD_", "PROF_", "PATH", "HOME", "LANG", "TMPDIR", "XDG_", "ASAN_", "UBSAN_", "TSAN_", "LSAN_")


def environment(**variables):
    """The test's environment without the variables of a launcher that may run the test itself."""
    return {name: value for name, value in os.environ.items() if name.startswith(NOISE)} | variables


def ranks(report):
    return [tuple(row) for row in report.query(
        "SELECT rank, size, localRank, localSize, nodeRank, jobId, attempt, source, precedence FROM PROF_RANKS "
        "ORDER BY globalPid, precedence")]


@pytest.mark.parametrize("variables, wanted", [
    (dict(RANK="3", WORLD_SIZE="8", LOCAL_RANK="1", LOCAL_WORLD_SIZE="2", GROUP_RANK="1", TORCHELASTIC_RUN_ID="run.7",
          TORCHELASTIC_RESTART_COUNT="2"), [(3, 8, 1, 2, 1, "run.7", 2, "torchrun", 0)]),
    (dict(OMPI_COMM_WORLD_RANK="0", OMPI_COMM_WORLD_SIZE="4", OMPI_COMM_WORLD_LOCAL_RANK="0",
          OMPI_COMM_WORLD_LOCAL_SIZE="4", PMIX_RANK="0", PMIX_NAMESPACE="prterun-1@1"),
     [(0, 4, 0, 4, None, None, None, "Open MPI", 0)]),
    (dict(SLURM_PROCID="5", SLURM_NTASKS="16", SLURM_LOCALID="1", SLURM_NODEID="2", SLURM_JOB_ID="4711"),
     [(5, 16, 1, None, 2, "4711", None, "Slurm", 0)]),
    # torchrun under srun: one task of Slurm for each node.
    (dict(RANK="9", WORLD_SIZE="16", SLURM_PROCID="1", SLURM_JOB_ID="12", SLURM_ARRAY_JOB_ID="11",
          SLURM_ARRAY_TASK_ID="4"),
     [(9, 16, None, None, None, "11_4", None, "torchrun", 0), (1, None, None, None, None, "11_4", None, "Slurm", 1)]),
    (dict(JOB_COMPLETION_INDEX="6", POD_NAME="train-6-x"), [(6, None, None, None, None, None, None, "Kubernetes", 0)]),
    (dict(RANK="not a number", WORLD_SIZE="8"), []),
    ({}, []),
])
def test_ranks_of_launchers(tmp_path, variables, wanted):
    report = profile(tmp_path, "/bin/true", env=environment(**variables))
    assert (ranks(report) if "PROF_RANKS" in report.tables() else []) == wanted


def test_other_variables_are_not_in_the_report(tmp_path):
    secret = "Tr0ub4dor"
    report = profile(tmp_path, "/bin/true", env=environment(
        RANK="1", MASTER_ADDR=secret, AWS_SECRET=secret, RANKED=secret, NODE_NAME=f"two words {secret}"))
    assert ranks(report)
    assert secret.encode() not in report.path.read_bytes()


def test_ranks_that_a_program_sets_itself(tmp_path):
    """As torch.multiprocessing.spawn and Ray: the variables are not in /proc/PID/environ."""
    script = """if True:
        import os
        os.environ["WORLD_SIZE"] = "2"
        for rank in range(2):
            if os.fork() == 0:
                os.environ["RANK"] = str(rank)
                raise SystemExit
        for _ in range(2):
            os.wait()"""
    report = profile(tmp_path, sys.executable, "-c", script, env=environment())
    assert sorted(row[:2] for row in ranks(report)) == [(0, 2), (1, 2)]


def test_a_rank_that_execs_keeps_its_rank(tmp_path):
    report = profile(tmp_path, "/bin/sh", "-c", "exec /bin/true", env=environment(RANK="4"))
    assert {row[0] for row in ranks(report)} == {4}


def test_no_variable_is_read(tmp_path):
    report = profile(tmp_path, "/bin/true", options=["--rank-environment=false"], env=environment(RANK="1"))
    assert "PROF_RANKS" not in report.tables()


def test_clocks(tmp_path):
    before = (time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW), time.time_ns())
    report = profile(tmp_path, "/bin/sleep", "0.3")
    after = (time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW), time.time_ns())
    rows = report.query("SELECT * FROM PROF_CLOCKS ORDER BY time")
    assert len(rows) >= 2  # at the beginning and at the end
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        assert {row["bootId"] for row in rows} == {file.read().strip()}
    for row in rows:
        assert before[0] <= row["monotonicRaw"] <= after[0]
        assert before[1] <= row["realtime"] <= after[1]
        assert row["uncertainty"] >= 0 and row["isSynchronized"] in (0, 1)
        assert row["tai"] - row["realtime"] in range(0, 60_000_000_000)
    # The timeline is CLOCK_MONOTONIC_RAW, moved.
    assert len({row["monotonicRaw"] - row["time"] for row in rows}) == 1
    assert rows[-1]["time"] - rows[0]["time"] >= 300_000_000
    epoch = report.value("SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME")
    assert abs(rows[0]["realtime"] - rows[0]["time"] - epoch) < 10_000_000


def test_info_shows_rank_and_clock(tmp_path):
    report = profile(tmp_path, "/bin/true", env=environment(RANK="3", WORLD_SIZE="8", SLURM_JOB_ID="4711"))
    text = prof("info", report.path).stdout
    assert "Rank           3 of 8 (torchrun), job 4711" in text
    assert "Wall clock     " in text
    facts = json.loads(prof("info", "--json", report.path).stdout)
    assert [(each["rank"], each["size"], each["source"]) for each in facts["ranks"]] == [(3, 8, "torchrun")]
    assert facts["wall_clock"]["start_monotonic_raw_ns"] > 0
