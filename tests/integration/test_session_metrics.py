"""prof start with metrics of GPUs, counters of the machine and events of ftrace: each collection has those that it asks for."""
import subprocess
import time

from cuda_app import CUPTI, FAKES, needs_cuda
from profiling import Report
from sessions import sessions  # noqa: F401 (a fixture)
from test_ftrace import EVENTS, possible
from test_gpu_metrics import RECORDED, samples
from test_sampled_counters import sampled


def collection(sessions, path, *options, meanwhile=lambda: time.sleep(0.4)):
    sessions.works("start", "-s", "none", "-f", "true", "-o", path, *options)
    meanwhile()
    return Report(path, sessions.works("stop"))


@needs_cuda
def test_metrics_of_gpus(sessions, tmp_path):
    sessions.environment |= {"LD_LIBRARY_PATH": str(FAKES), "FAKE_PM_SAMPLES": str(RECORDED)}
    sessions.running("-t", "nvtx", "--cupti-path", CUPTI, "sleep", "120")
    first = collection(sessions, tmp_path / "first.db", "--gpu-metrics-devices=0", "--gpu-metrics-frequency=10000")
    times = [at for at, _ in samples(first)]
    assert len(times) > 100 and min(times) < 1e9
    assert first.value("SELECT value FROM META_DATA_CAPTURE WHERE name = 'GPU_METRICS_OPTIONS:DEVICES'") == "0"
    assert "GPU_METRICS" not in collection(sessions, tmp_path / "second.db").tables()
    assert "99" in sessions.refuses("start", "-o", tmp_path / "no.db", "--gpu-metrics-devices=99")
    assert not list(tmp_path.glob("no*"))
    again = collection(sessions, tmp_path / "again.db", "--gpu-metrics-device=0")
    assert len(samples(again)) > 100


def test_counters_of_the_machine(sessions, tmp_path):
    listed = sessions.works("start", "--enable=help").stdout
    assert "network_interface" in listed and "nvml_metrics" in listed
    sessions.running("-t", "nvtx", "sleep", "120")
    first = collection(sessions, tmp_path / "first.db", "--enable=network_interface,-i10", "--enable=storage_metrics")
    assert {"network", "storage"} <= {name.split()[0].lower() for name in sampled(first)}, sampled(first).keys()
    assert not sampled(collection(sessions, tmp_path / "second.db"))


@possible
def test_events_of_ftrace(sessions, tmp_path):
    sessions.running("-t", "nvtx", "sleep", "120")
    report = collection(sessions, tmp_path / "first.db", "--ftrace=sched/sched_process_exec",
                        meanwhile=lambda: subprocess.run(["/bin/true"], check=True))
    assert any("/true" in row["texts"] for row in report.query(EVENTS))
    assert "GENERIC_EVENTS" not in collection(sessions, tmp_path / "second.db").tables()
