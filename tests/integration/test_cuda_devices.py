"""GPUs that a process may use, and GPUs that CUDA_VISIBLE_DEVICES hides. CUPTI reports both."""
import json

import pytest
from cuda_app import APP, needs_cuda, rows, run

pytestmark = needs_cuda


def gpus(report):
    return [(row["id"], row["cuDevice"], row["name"], row["busLocation"])
            for row in rows(report, "TARGET_INFO_GPU")]


ONE, TWO = "Fake GPU One", "Fake GPU Two"


@pytest.mark.parametrize("first, gpu", [(0, (0, 0, ONE, "0000:a0:1f.0")), (1, (0, 0, TWO, "0000:a1:1f.0"))])
def test_a_hidden_gpu_is_left_out(tmp_path, first, gpu):
    report = run(tmp_path, "work", environment={"FAKE_CUDA_DEVICES": "1", "FAKE_CUDA_FIRST": str(first)})
    assert gpus(report) == [gpu]
    facts = {row["nameEnum"]: row["value"] for row in rows(report, "TARGET_INFO_SYSTEM_ENV")}
    assert facts[611] == "13000"
    assert [each["BusLocation"] for each in json.loads(facts[897])["Gpus"]] == [gpu[3]]
    assert [(row["cudaId"], row["gpuId"]) for row in rows(report, "TARGET_INFO_CUDA_DEVICE")] == [(0, 0)]


def test_processes_that_see_the_gpus_differently(tmp_path):
    """One process may use only the second GPU. The other may use both, and numbers them from the second GPU on."""
    script = f"FAKE_CUDA_DEVICES=1 {APP} exit return; FAKE_CUDA_DEVICES=2 {APP} exit return"
    report = run(tmp_path, command=["/bin/sh", "-c", script], environment={"FAKE_CUDA_FIRST": "1"})
    assert gpus(report) == [(0, 0, ONE, "0000:a0:1f.0"), (1, 1, TWO, "0000:a1:1f.0")]
    devices = rows(report, "TARGET_INFO_CUDA_DEVICE")
    first, second = sorted({row["pid"] for row in devices})
    assert sorted((row["pid"], row["cudaId"], row["gpuId"]) for row in devices) == [
        (first, 0, 1), (second, 0, 1), (second, 1, 0)]


def test_a_driver_that_tells_nothing_hides_nothing(tmp_path):
    report = run(tmp_path, "work", environment={"FAKE_CUDA_DEVICES": "0"})
    assert [name for _, _, name, _ in gpus(report)] == [ONE, TWO]
    assert len(rows(report, "TARGET_INFO_CUDA_DEVICE")) == 2
