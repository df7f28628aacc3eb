"""A job of torch.distributed on CPUs (gloo) in which one rank sleeps: prof analyze names it. Needs PyTorch
(PROF_TORCH_PYTHON names its Python)."""
import csv
import importlib.util
import io
import os
import subprocess
import sys

import pytest
from named import with_names
from profiling import PROF, prof, source_of

TORCH = os.environ.get("PROF_TORCH_PYTHON") or (sys.executable if importlib.util.find_spec("torch") else "")
STEPS = 24


def run(ranks, late, meeting, *command_of_prof):
    """Runs the job, and returns how long rank 0 says that it took, in ns."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "WORLD_SIZE": str(ranks), "LOCAL_WORLD_SIZE": str(ranks)}
    workers = [subprocess.Popen([*command_of_prof, TORCH, source_of("late_gloo.py"), meeting, str(late), str(STEPS)],
                                env=environment | {"RANK": str(rank), "LOCAL_RANK": str(rank)}, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE) for rank in range(ranks)]
    try:
        outputs = [worker.communicate(timeout=120) for worker in workers]
    finally:
        for worker in workers:
            worker.kill()
    assert not any(worker.returncode for worker in workers), outputs
    return int(outputs[0][0].splitlines()[0])


def record(folder, ranks, late):
    folder.mkdir()
    return run(ranks, late, folder / "meeting", PROF, "profile", "-t", "osrt,nvtx", "--pytorch=functions-trace", "-o",
               folder / "%q{RANK}.db")


def late_ranks(folder):
    done = prof("analyze", "-q", "-f", "json", folder)
    assert done.returncode == 0, done.stderr
    return [each for each in with_names(done.stdout)["findings"] if each["rule"] == "late_rank"]


@pytest.mark.skipif(not TORCH, reason="no PyTorch (PROF_TORCH_PYTHON)")
@pytest.mark.parametrize("ranks", [2, 4])
def test_a_rank_that_sleeps(tmp_path, ranks):
    # The machine may hold up another rank for longer, or the ranks for so long that none is late.
    for attempt in range(3):
        folder = tmp_path / f"run{attempt}"
        record(folder, ranks, 60)
        found = [each for each in late_ranks(folder) if f"wait for rank {ranks - 1} (" in each["finding"]]
        if found and "it sleeps" in found[0]["finding"]:
            break
    assert found and "it sleeps" in found[0]["finding"], found
    assert "in clock_nanosleep, called by slow_sleep (" in found[0]["evidence"]
    done = prof("stats", "-q", "-r", "collective_sum", "-f", "csv", folder)
    counts = {row["Operation"]: int(row["Operations"]) for row in csv.DictReader(io.StringIO(done.stdout.strip()))}
    assert set(counts) == {"all_reduce", "barrier"} and min(counts.values()) > STEPS / 2, counts
