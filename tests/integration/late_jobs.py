"""Jobs of MPI ranks of which one is late for a known reason (tests/programs/mpi/late_rank.py), recorded by prof."""
import csv
import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

from named import with_names
from profiling import HAS_SANITIZER, PROF, PROGRAMS, prof, source_of

# Variables of a launcher around this one.
LAUNCHER = ("OMPI_", "PMIX_", "PMI_", "MPI_", "HYDRA_", "MPIR_")
RANK = {"openmpi": "OMPI_COMM_WORLD_RANK", "mpich": "PMI_RANK"}
# What prof analyze says of each fault: the cause, its name in delay_sum, and where it is.
FAULTS = {"sleep": ("it sleeps", "sleep", "in clock_nanosleep, called by slow_sleep (", "time.sleep(LATE)"),
          "data": ("it waits for data", "data loading", "in read, called by SlowLoading.next_batch (",
                   "return os.read("),
          "lock": ("it waits for a lock", "lock", "in sem_wait, called by HeldLock.__call__ (", "with self.lock"),
          "python": ("its CPU code takes longer", "CPU code", "in slow_python (", "sum(range("),
          "native": ("its CPU code takes longer", "CPU code", "in hot_loop (", "sum +="),
          "gc": ("it collects garbage", "garbage collection", "in Garbage.__call__ (", "gc.collect()"),
          "cpu": ("it waits for a CPU", "waits for a CPU", "", ""),
          "faults": ("it uses new memory", "page faults", "in touch_new_pages (", "pages[i] = 1")}


def environment():
    plain = {name: value for name, value in os.environ.items() if not name.startswith(LAUNCHER)}
    # Nothing but these: CI runs as root, without other machines, and with fewer CPUs than ranks.
    return plain | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_plm": "isolated",
                    "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}


def has_mpi(kind):
    return bool(shutil.which(f"mpirun.{kind}")) and (PROGRAMS / f"libmpi_steps.{kind}.so").exists()


def program(kind, fault):
    return [sys.executable, source_of("late_rank.py"), PROGRAMS / f"libmpi_steps.{kind}.so", fault]


def run(kind, ranks, *command):
    """Runs the ranks, and returns what the first one has printed."""
    done = subprocess.run([f"mpirun.{kind}", "-n", str(ranks), *map(str, command)], env=environment(), check=False,
                          timeout=120 * (5 if HAS_SANITIZER else 1), text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def record(folder, kind, ranks, fault, *options):
    """Records the job: one report a rank in the folder."""
    Path(folder).mkdir()
    report = f"{folder}/%q{{{RANK[kind]}}}.db"
    return run(kind, ranks, PROF, "profile", "-t", "mpi,osrt,nvtx,python-gc", *options, "-o", report, "--", *program(kind, fault))


def findings(folder):
    done = prof("analyze", "-q", "-f", "json", folder)
    assert done.returncode == 0, done.stderr
    return with_names(done.stdout)["findings"]


def causes(folder, rank):
    """The causes of a rank's delays, the largest first."""
    done = prof("stats", "-q", "-r", "delay_sum", "-f", "csv", folder)
    assert done.returncode == 0, done.stderr
    return [row["Cause"] for row in csv.DictReader(io.StringIO(done.stdout.strip())) if row["Rank"] == str(rank)]


def is_line_of(evidence, text):
    """Is the place in the evidence, as "(/a/late_rank.py:12)", a line of that file with this text?"""
    place = evidence.partition(" (/")[2].partition(")")[0]
    path, _, line = ("/" + place).rpartition(":")
    return text in Path(path).read_text(encoding="utf-8").splitlines()[int(line) - 1]
