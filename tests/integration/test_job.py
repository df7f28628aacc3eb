"""Which rank of a job a process is, and what reports say about the clocks of their machine."""
import json
import os
import shutil
import subprocess
import sys
import time

import pytest
from profiling import PROF, profile, prof

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


@pytest.fixture(scope="module", name="run_folder")
def fixture_run_folder(tmp_path_factory):
    """Reports of ranks 0, 1 and 10 of 4, in the order of recording 10, 1, 0, and other files."""
    folder = tmp_path_factory.mktemp("run")
    for node, rank in (("b", 10), ("a", 1), ("a", 0)):
        (folder / node).mkdir(exist_ok=True)
        made = prof("profile", "-t", "osrt", "--sample=none", "-o", folder / node / f"r.{rank}.db", "/bin/true",
                    env=environment(RANK=str(rank), WORLD_SIZE="4", SLURM_JOB_ID="7"))
        assert made.returncode == 0, made.stderr
    (folder / "a" / "notes.txt").write_text("no report")
    (folder / "a" / ".hidden.db").write_text("no report")
    return folder


def test_a_folder_of_reports_by_rank(run_folder):
    done = prof("info", run_folder)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    found = [line.split()[0] for line in lines if ".db" in line]
    assert found == ["0", "1", "10"]
    assert "Without a report: rank 2, 3 of job 7." in lines
    assert "Starts are exact: the reports come from one machine and share its clock." in lines
    reports = json.loads(prof("info", "--json", run_folder).stdout)
    assert [each["ranks"][0]["rank"] for each in reports] == [0, 1, 10]
    # Rank 0 was recorded last.
    starts = [each["wall_clock"]["start_monotonic_raw_ns"] for each in reports]
    assert starts == sorted(starts, reverse=True)


def test_analyze_takes_a_folder(run_folder):
    done = prof("analyze", run_folder)
    assert done.returncode == 0, done.stderr
    assert [line.rsplit("r.", 1)[1] for line in done.stdout.splitlines() if line.startswith("Report: ")] == [
        "0.db", "1.db", "10.db"]


def test_what_cannot_be_read_is_named_and_left_out(run_folder, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(run_folder, folder)
    whole = (folder / "a" / "r.0.db").read_bytes()
    (folder / "a" / "r.0.db").write_bytes(whole[:len(whole) // 2])
    (folder / "a" / "foreign.db").write_text("this is a text")
    (folder / "b" / "r.3.db.spool").write_bytes(b"")
    for verb in ("info", "analyze"):
        done = prof(verb, folder)
        assert done.returncode == 1, done.stdout
        left_out = [line for line in done.stderr.splitlines() if line.startswith("prof: left out: ")]
        assert [name for name in ("r.0.db", "foreign.db", "r.3.db.spool") if any(name in line for line in left_out)] == [
            "r.0.db", "foreign.db", "r.3.db.spool"], done.stderr
        assert "r.1.db" in done.stdout and "r.10.db" in done.stdout


def test_a_folder_without_reports(tmp_path):
    (tmp_path / "notes.txt").write_text("no report")
    for verb in ("info", "analyze", "view"):
        done = prof(verb, tmp_path)
        assert done.returncode == 1
        assert done.stderr.endswith("has no report in it (a file that ends in .db or .sqlite)\n"), done.stderr


# In mpirun's and torchrun's way: prof is started once for each rank, with the rank in the environment.
@pytest.mark.parametrize("ranks, variables, recorded", [
    ("0,2-3", dict(RANK="2", WORLD_SIZE="4"), True),
    ("0,2-3", dict(RANK="1", WORLD_SIZE="4"), False),
    ("last", dict(OMPI_COMM_WORLD_RANK="3", OMPI_COMM_WORLD_SIZE="4"), True),
    ("last", dict(OMPI_COMM_WORLD_RANK="2", OMPI_COMM_WORLD_SIZE="4"), False),
    ("local:0", dict(SLURM_PROCID="9", SLURM_LOCALID="1"), False),
])
def test_only_chosen_ranks_are_recorded(tmp_path, ranks, variables, recorded):
    script = "echo $$ ${LD_PRELOAD:-none} $ONE; grep -c libprof_inject /proc/$$/maps; exit 7"
    done = prof("profile", "--ranks", ranks, "-e", "ONE=1", "-o", "r", "sh", "-c", script, cwd=tmp_path,
                env=environment(**variables))
    assert done.returncode == 7, done.stderr
    pid_preload, maps = done.stdout.splitlines()[:2]
    assert pid_preload.endswith(" 1") and (pid_preload.split()[1] == "none") is not recorded
    assert (maps == "0") is not recorded
    assert [path.name for path in tmp_path.iterdir()] == (["r.db"] if recorded else [])
    assert recorded or done.stderr == ""


def test_a_rank_that_is_not_recorded_keeps_its_process(tmp_path):
    with subprocess.Popen([PROF, "profile", "--ranks=1", sys.executable, "-c", "import os; print(os.getpid())"],
                          stdout=subprocess.PIPE, text=True, cwd=tmp_path, env=environment(RANK="0")) as process:
        assert int(process.communicate()[0]) == process.pid


def test_ranks_that_cannot_be_decided_or_are_wrong(tmp_path):
    done = prof("profile", "--ranks=0", "-o", "r", "true", cwd=tmp_path, env=environment())
    assert done.returncode == 0 and "no variable of a launcher gives this process a rank" in done.stderr
    assert (tmp_path / "r.db").exists()
    for words in (["--ranks=x", "true"], ["--ranks=5-2", "true"]):
        done = prof("profile", *words, cwd=tmp_path, env=environment(RANK="0"))
        assert done.returncode == 2 and "write numbers and intervals of ranks" in done.stderr
    done = prof("profile", "--ranks=1", "./missing", cwd=tmp_path, env=environment(RANK="0"))
    assert done.returncode == 1 and "cannot run ./missing: No such file or directory" in done.stderr
