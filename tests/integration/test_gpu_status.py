"""prof status --gpus: GPUs, how they are connected, and what can be measured."""
import json

import pytest
from fake_nvml import NONE, OLD, machine
from profiling import prof


def status(environment, *options):
    return prof("status", "--gpus", *options, env=environment)


def rows(text):
    """The matrix of paths: {row: [cells]}"""
    lines = text.split("Paths\n")[1].split("\n\n")[0].splitlines()
    return {line.split()[0]: line.split()[1:] for line in lines[1:]}


def test_gpus_and_their_paths():
    done = status(machine("gpus=4"))
    assert done.returncode == 0 and not done.stderr
    matrix = rows(done.stdout)
    assert [matrix[f"GPU{i}"][i] for i in range(4)] == ["X"] * 4
    assert matrix["GPU0"][:4] == ["X", "PXB", "SYS", "SYS"]  # pairs are below a switch
    assert matrix["GPU3"][:4] == ["SYS", "SYS", "PXB", "X"]
    assert "limit: 200 to 700 W, default 700 W" in done.stdout
    assert "driver 580.00.01, NVML 13.580.00.01, CUDA 13.0" in done.stdout
    assert "connection between NUMA nodes" in done.stdout and "NV#" not in done.stdout


def test_links_come_before_the_bus():
    matrix = rows(status(machine("gpus=2,links=18")).stdout)
    assert matrix["GPU0"][:2] == ["X", "NV18"] and matrix["GPU1"][:2] == ["NV18", "X"]


def test_json():
    document = json.loads(status(machine("gpus=2,links=3"), "--json").stdout)
    gpu = document["gpus"][1]
    assert gpu["power_w"]["draw"] == 150 and gpu["clocks_mhz"] == {"sm": 1100, "sm_max": 1980, "memory": 2600,
                                                                  "memory_max": 2619}
    assert gpu["location"] == "0000:11:00.0" and gpu["nvlink"]["active_links"] == 3
    assert gpu["nvlink"]["link_mb_s"] == 25000 and gpu["numa_node"] == 0
    assert gpu["mig"] is None and gpu["ecc"] is None  # what NVML does not say
    assert document["paths"][0] == {"from": "GPU0", "to": "GPU1", "path": "NV3"}


def test_an_old_driver_says_less():
    done = status(machine("gpus=2", library=OLD))
    assert done.returncode == 0 and "GPU 1: Fake GPU" in done.stdout


@pytest.mark.parametrize("environment, message", [
    (machine(library=NONE), "libnvidia-ml.so.1 is not found"), (machine("init=9"), "driver is not loaded"),
    (machine("gpus=0"), "has no GPU for this user")])
def test_without_gpus_there_is_one_line(environment, message):
    done = status(environment)
    assert done.returncode == 1 and message in done.stderr and done.stderr.count("\n") == 1 and not done.stdout


def test_a_gpu_that_does_not_answer_keeps_its_number():
    done = status(machine("gpus=2,lost=0@0"))
    assert done.returncode == 0
    assert "GPU 0: not available\n" in done.stdout and "GPU 1: Fake GPU" in done.stdout


def test_gpus_or_functions():
    done = prof("status", "--gpus", "--osrt")
    assert done.returncode == 2 and "choose one of --gpus" in done.stderr
