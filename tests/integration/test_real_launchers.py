"""Genuine launchers, where they are installed: torchrun with PyTorch (PROF_TORCH_PYTHON names its Python) and Slurm."""
import contextlib
import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from profiling import PROF, PUSH_POP, Report, prof, program
from sessions import numbers
from test_capture import texts
from test_launchers import ranks_of

TORCH = os.environ.get("PROF_TORCH_PYTHON") or (sys.executable if importlib.util.find_spec("torch") else "")
SLURM = all(shutil.which(name) for name in ("slurmctld", "slurmd", "srun", "munged")) and os.geteuid() == 0
TRAIN = """
import sys, torch, torch.distributed
torch.distributed.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 8))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(12):
    optimizer.zero_grad()
    model(torch.randn(4, 8)).sum().backward()
    optimizer.step()
torch.distributed.destroy_process_group()
"""


@pytest.mark.skipif(not TORCH, reason="no PyTorch (PROF_TORCH_PYTHON)")
def test_torchrun(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "train.py").write_text(TRAIN)
    done = subprocess.run(
        [TORCH, "-m", "torch.distributed.run", "--nproc-per-node=2", "--no-python", str(PROF), "profile", "-t", "nvtx",
         "-s", "none", "--cpuctxsw=none", "--at-step=3:2", "-o", "run/%q{RANK}.db", TORCH, "train.py"],
        cwd=tmp_path, env={**os.environ, "OMP_NUM_THREADS": "1"}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    for rank in range(2):
        path = tmp_path / f"run/{rank}.db"
        assert ranks_of(path) == [(rank, 2)]
        assert texts(Report(path), PUSH_POP) == ["step", "step"]
    assert "torchrun" in prof("info", tmp_path / "run").stdout


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def started(command, **options):
    return subprocess.Popen([*map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)


@pytest.fixture(name="slurm")
def fixture_slurm(tmp_path):
    """A cluster of one node, with all of its files in one folder. Returns the environment of its commands."""
    host = socket.gethostname().split(".", maxsplit=1)[0]
    folder = tmp_path / "slurm"
    (folder / "state").mkdir(parents=True)
    (folder / "spool").mkdir()
    for each in (folder, *folder.parents):
        with contextlib.suppress(OSError):
            each.chmod(each.stat().st_mode | 0o711)
    key = folder / "munge.key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o600)
    (folder / "slurm.conf").write_text(f"""ClusterName=prof
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} State=UNKNOWN
PartitionName=p Nodes={host} Default=YES State=UP
""")
    environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}
    daemons = []
    try:
        daemons.append(started(
            ["munged", "--foreground", "--force", f"--socket={folder}/munge.socket", f"--key-file={key}",
             f"--seed-file={folder}/munge.seed", f"--log-file={folder}/munge.log", f"--pid-file={folder}/munge.pid"]))
        wait_until((folder / "munge.socket").exists)
        daemons.append(started(["slurmctld", "-D", "-c"], env=environment))
        daemons.append(started(["slurmd", "-D"], env=environment))
        wait_until(lambda: "idle" in subprocess.run(
            ["sinfo", "-h", "-o", "%t"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            check=False).stdout)
        yield environment
    finally:
        for daemon in reversed(daemons):
            daemon.terminate()
        for daemon in daemons:
            daemon.wait(timeout=60)


def wait_until(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.skipif(not SLURM, reason="no slurmctld, slurmd, srun and munged, or not root")
def test_srun(slurm, tmp_path):
    (tmp_path / "run").mkdir()
    done = subprocess.run(
        ["srun", "-n", "4", "-O", str(PROF), "profile", "-t", "nvtx", "-s", "none", "--cpuctxsw=none",
         "--at-step=7:2", "--step-range=request@server", "-o", "run/%q{SLURM_PROCID}.db",
         str(program("numbered_ranges")), "0.5", "slow"],
        cwd=tmp_path, env=slurm, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    reports = sorted(Path(tmp_path / "run").glob("*.db"))
    assert [ranks_of(path) for path in reports] == [[(rank, 4)] for rank in range(4)]
    assert all(numbers(path) == [7, 8] for path in reports)
    assert "Slurm" in prof("info", tmp_path / "run").stdout
