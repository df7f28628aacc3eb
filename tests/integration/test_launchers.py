"""The command lines of docs/jobs.md: the ranks are right under each launcher, and other variables stay secret."""
import os
import re
import shutil
import stat
import subprocess
import sys

import pytest
from profiling import PROF, SOURCE, Report, prof
from test_mpi import environment as mpi_environment

SECRETS = {f"MY_TOKEN_{number}": f"s3cr3t-{number}-Tr0ub4dor" for number in range(50)}
# Stand-ins set the variables that the genuine launchers document, for two processes of one node.
TORCHRUN = """
import os, subprocess, sys
count = int(sys.argv[1].split("=")[1])
words = sys.argv[3:] if sys.argv[2] == "--no-python" else [sys.executable, *sys.argv[2:]]
facts = {"WORLD_SIZE": str(count), "LOCAL_WORLD_SIZE": str(count), "GROUP_RANK": "0", "GROUP_WORLD_SIZE": "1",
         "TORCHELASTIC_RUN_ID": "run-7", "TORCHELASTIC_RESTART_COUNT": "0", "MASTER_ADDR": "s3cr3t.Tr0ub4dor"}
ranks = [subprocess.Popen(words, env={**os.environ, **facts, "RANK": str(rank), "LOCAL_RANK": str(rank),
                                      "ROLE_RANK": str(rank)}) for rank in range(count)]
raise SystemExit(max(rank.wait() for rank in ranks))
"""
SRUN = """
import os, subprocess, sys
count = int(sys.argv[2])
facts = {"SLURM_NTASKS": str(count), "SLURM_JOB_ID": "4711", "SLURM_NODEID": "0", "SLURM_STEP_ID": "0",
         "SLURM_NODELIST": "s3cr3t-Tr0ub4dor", "SLURM_JOB_USER": "s3cr3t-Tr0ub4dor"}
ranks = [subprocess.Popen(sys.argv[3:], env={**os.environ, **facts, "SLURM_PROCID": str(rank), "SLURM_LOCALID": str(rank)})
         for rank in range(count)]
raise SystemExit(max(rank.wait() for rank in ranks))
"""
RAY = """
import os
for rank in range(2):
    if os.fork() == 0:  # Ray Train sets these in workers that run already
        os.environ |= {"RANK": str(rank), "WORLD_SIZE": "2", "LOCAL_RANK": str(rank), "LOCAL_WORLD_SIZE": "2",
                       "NODE_RANK": "0", "RAY_JOB_ID": "01000000"}
        raise SystemExit
os.wait(), os.wait()
"""
LINES = re.findall(r"^# (.*)\n(.*)$", "\n".join(re.findall(r"```sh\n(.*?)```", (SOURCE / "docs/jobs.md").read_text(
    encoding="utf-8"), re.S)), re.M)
CONTAINERS = [("indexed Job", "JOB_COMPLETION_INDEX", {}), ("PyTorchJob", "RANK", {"WORLD_SIZE": "2", "MASTER_PORT": "23456"})]


def script(path, text, interpreter=sys.executable):
    path.write_text(f"#!{interpreter}\n{text}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.fixture(name="place")
def fixture_place(tmp_path):
    """A folder with a program, and commands for PATH: prof and stand-ins of launchers."""
    commands = tmp_path / "commands"
    commands.mkdir()
    (commands / "prof").symlink_to(PROF)
    for name, text in (("torchrun", TORCHRUN), ("srun", SRUN), ("ray", RAY)):
        script(commands / name, text)
    (tmp_path / "run").mkdir()
    (tmp_path / "train.py").write_text("print('trained')\n")
    # MPICH's mpirun may end by SIGPIPE if its ranks end at once, on a busy machine also without prof.
    script(tmp_path / "train", "sleep 0.3\necho trained\n", "/bin/sh")
    return tmp_path


def run(place, line, **variables):
    environment = {name: value for name, value in mpi_environment().items()
                   if not name.startswith(("SLURM_", "RANK", "LOCAL_RANK", "WORLD_SIZE", "TORCHELASTIC_"))}
    environment |= {"PATH": f"{place}/commands{os.pathsep}{environment['PATH']}"} | SECRETS | variables
    done = subprocess.run(["sh", "-c", line], cwd=place, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


def ranks_of(path):
    return sorted(tuple(row) for row in Report(path).query("SELECT DISTINCT rank, size FROM PROF_RANKS WHERE precedence = 0"))


def assert_two_ranks(place, sizes=(2,)):
    files = sorted((place / "run").iterdir())
    assert all(b"Tr0ub4dor" not in path.read_bytes() for path in files)
    ranks = sorted(rank for path in files for rank in ranks_of(path))
    assert [rank for rank, _ in ranks] == [0, 1] and {size for _, size in ranks} <= set(sizes), ranks
    for path in files:
        if len(files) == 2:
            assert ranks_of(path)[0][0] == int(path.stem)
    shown = prof("info", place / "run")
    assert shown.returncode == 0 and shown.stderr == "" and "missing" not in shown.stdout
    assert all(path.name in shown.stdout for path in files), shown.stdout


def test_all_lines_are_here():
    assert len(LINES) == 7 and len({line for _, line in LINES}) == 7


@pytest.mark.parametrize("launcher, line", LINES, ids=[line.split(" -o ")[0].replace(" ", "_") for _, line in LINES])
def test_lines(place, launcher, line):
    if "mpirun" in line:
        kinds = [kind for kind in ("openmpi", "mpich") if {"openmpi": "Open MPI", "mpich": "MPICH"}[kind] in launcher
                 and shutil.which(f"mpirun.{kind}")]
        if not kinds:
            pytest.skip("no mpirun of this kind is installed")
        for kind in kinds:
            shutil.rmtree(place / "run")
            (place / "run").mkdir()
            run(place, line.replace("mpirun", f"mpirun.{kind}"))
            assert_two_ranks(place)
        return
    run(place, line)
    assert_two_ranks(place)


@pytest.mark.parametrize("kind, variable, others", CONTAINERS, ids=[kind for kind, _, _ in CONTAINERS])
def test_commands_of_containers(place, kind, variable, others):
    row = next(line for line in (SOURCE / "docs/jobs.md").read_text(encoding="utf-8").splitlines()
               if line.startswith(f"| {kind} |"))
    line = re.search("`(prof .*?)`", row).group(1).replace("/reports", "run")
    for rank in range(2):
        run(place, line, **{variable: str(rank)}, POD_NAME=f"train-{rank}", **others)
    assert_two_ranks(place, sizes=(2, None))
