"""Four machines on this one, as Linux sees them: network namespaces at a bridge, each with a mount namespace in which
one folder has other content. Needs root."""
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from profiling import BUILD

NETWORK = "10.213.7"


def run(*words):
    return subprocess.run([*map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def can_make_machines():
    """Whether this user may make network and mount namespaces, bridges and pairs of virtual devices."""
    probe = ("ip link add prof-p type bridge && ip link add prof-v0 type veth peer name prof-v1 && "
             "mount -t tmpfs none /mnt")
    return os.geteuid() == 0 and run("unshare", "-nm", "sh", "-c", probe).returncode == 0


class Machine:
    """A process that holds the namespaces, and what runs there. All machines are inside of a first network namespace,
    which has the bridge: nothing of the real machine changes."""

    def __init__(self, cluster, number):
        self.number = number
        self.address = f"{NETWORK}.{number + 1}"
        self.folder = cluster.root / f"node{number}"
        self.folder.mkdir()
        self.cluster = cluster
        self.processes = []
        self.holder = cluster.hold("unshare", "-nm", "sh", "-c",
                                   f"mount --bind {self.folder} {cluster.shared} && echo ready && exec sleep 600")
        port = f"port{number}"
        cluster.run("ip", "link", "add", port, "type", "veth", "peer", "name", "up0", "netns", str(self.holder.pid))
        cluster.run("ip", "link", "set", port, "master", "bridge", "up")
        for words in (["link", "set", "lo", "up"], ["addr", "add", f"{self.address}/24", "dev", "up0"],
                      ["link", "set", "up0", "up"]):
            self.run("ip", *words)

    def inside(self, *words):
        return ["nsenter", "-t", self.holder.pid, "-n", "-m", f"--wd={self.cluster.root}", *words]

    def run(self, *words):
        done = run(*self.inside(*words))
        assert done.returncode == 0, done.stdout

    def start(self, *words):
        log = open(self.cluster.root / f"node{self.number}.log", "a", encoding="utf-8")
        process = subprocess.Popen([*map(str, self.inside(*words))], stdout=log, stderr=log, start_new_session=True,
                                   env=self.cluster.environment)
        self.processes.append(process)
        return process

    def connect(self, is_up):
        """Plugs the machine's cable in, or out."""
        self.cluster.run("ip", "link", "set", f"port{self.number}", "up" if is_up else "down")


class Cluster:
    """Machines with a scheduler of Dask on the first and a worker on each. `shared` is the folder that differs."""

    def __init__(self, root, count=4):
        self.root = Path(root)
        self.shared = self.root / "reports"
        self.shared.mkdir()
        self.environment = {**os.environ, "PYTHONPATH": str(BUILD / "python"),
                            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
        self.holders = []
        self.network = self.hold("unshare", "-n", "sh", "-c",
                                 "ip link add bridge type bridge && ip link set bridge up && echo ready && exec sleep 600")
        self.machines = [Machine(self, number) for number in range(count)]

    def hold(self, *words):
        inside = ["nsenter", "-t", str(self.network.pid), "-n"] if self.holders else []
        process = subprocess.Popen([*inside, *map(str, words)], stdout=subprocess.PIPE, text=True)
        self.holders.append(process)
        assert process.stdout.readline() == "ready\n"
        return process

    def run(self, *words):
        done = run("nsenter", "-t", self.network.pid, "-n", *words)
        assert done.returncode == 0, done.stdout

    def start_dask(self):
        file = self.root / "scheduler.json"
        dask = [sys.executable, "-m"]
        self.machines[0].start(*dask, "distributed.cli.dask_scheduler", f"--host={self.machines[0].address}", "--port=8786",
                               "--no-dashboard", f"--scheduler-file={file}")
        deadline = time.monotonic() + 120
        while not file.exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        for machine in self.machines:
            machine.start(*dask, "distributed.cli.dask_worker", f"--scheduler-file={file}", "--nthreads=1",
                          f"--host={machine.address}", "--no-dashboard", f"--local-directory={self.root}/dask{machine.number}")
        self.environment["PROF_DASK_SCHEDULER_FILE"] = str(file)
        wait = ("import distributed, sys; distributed.Client(scheduler_file=sys.argv[1])"
                f".wait_for_workers({len(self.machines)}, timeout=120)")
        self.machines[0].run(sys.executable, "-c", wait, file)

    def recipe(self, *words, variables=None):
        """Starts prof recipe on the first machine."""
        return subprocess.Popen([*map(str, self.machines[0].inside(BUILD / "bin/prof", "recipe", *words))], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**self.environment, **(variables or {})})

    def close(self):
        for machine in self.machines:
            for process in machine.processes:
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                process.wait()
        for holder in reversed(self.holders):
            holder.kill()
            holder.wait()
