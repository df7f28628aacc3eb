"""Genuine launchers, where they are installed: torchrun with PyTorch (PROF_TORCH_PYTHON names its Python), Slurm, and
Ray (PROF_RAY names its command)."""
import contextlib
import importlib.util
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from profiling import PROF, PUSH_POP, Report, prof, program, wait_until
from sessions import numbers
from test_capture import texts
from test_launchers import ranks_of

TORCH = os.environ.get("PROF_TORCH_PYTHON") or (sys.executable if importlib.util.find_spec("torch") else "")
RAY = os.environ.get("PROF_RAY") or shutil.which("ray")
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


WORKERS = """
import os, sys, time, ray
ray.init(address=sys.argv[1], log_to_driver=False)

@ray.remote
class Worker:
    def run(self, rank):
        os.environ.update(RANK=str(rank), WORLD_SIZE="2", LOCAL_RANK=str(rank))
        return os.getpid()

workers = [Worker.remote() for _ in range(2)]
pids = ray.get([worker.run.remote(rank) for rank, worker in enumerate(workers)])
print(*pids)
for worker in workers:
    worker.__ray_terminate__.remote()
while any(os.path.exists(f"/proc/{pid}") for pid in pids):  # Ray kills workers that the end of this program finds
    time.sleep(0.1)
"""


@pytest.mark.skipif(not RAY, reason="no Ray (PROF_RAY)")
def test_ray(tmp_path):
    """Ray's workers set their rank when they run already."""
    (tmp_path / "workers.py").write_text(WORKERS)
    with tempfile.TemporaryDirectory(prefix="ray") as folder:  # names of sockets must be short
        node = subprocess.Popen(
            [PROF, "profile", "-t", "osrt", "-s", "none", "--cpuctxsw=none", "-o", "%h.db",
             RAY, "start", "--block", "--head", "--port=0", "--num-cpus=2", "--include-dashboard=false",
             "--disable-usage-stats", f"--temp-dir={folder}"],
            cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            address = next(found[1] for line in node.stdout if (found := re.search(r"--address='([^']+)'", line)))
            done = subprocess.run([Path(RAY).parent / "python3", "workers.py", address], cwd=tmp_path, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=200, check=False)
            assert done.returncode == 0, done.stderr
        finally:
            node.send_signal(signal.SIGINT)
            node.communicate(timeout=60)
    (report,) = tmp_path.glob("*.db")
    assert sorted(ranks_of(report)) == [(0, 2), (1, 2)]
    pids = {row[0] >> 24 & 0xffffff for row in Report(report).query("SELECT globalPid FROM PROF_RANKS")}
    assert pids == {int(pid) for pid in done.stdout.split()}


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
