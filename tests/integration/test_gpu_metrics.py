"""GPU metrics, without a GPU: the fake CUPTI replays samples that were recorded on an H200."""
import os
import re
import signal
import subprocess
import time

import pytest
from cuda_app import CUPTI, FAKES, needs_cuda
from profiling import BUILD, SOURCE, Report, children, prof

pytestmark = needs_cuda

RECORDED = SOURCE / "tests" / "fake_cupti" / "captured" / "h200_metrics.tsv"
GPU_TYPE = 0x1000100000000
NAMES = [f"{name} [{unit}]" for name, units in (
    ("GPC Clock Frequency", ["MHz"]), ("SYS Clock Frequency", ["MHz"]), ("GR Active", ["Throughput %"]),
    ("SMs Active", ["Throughput %"]), ("SM Issue", ["Throughput %"]), ("Tensor Active", ["Throughput %"]),
    *((f"{kind} Warps in {where}", ["Throughput %", "Avg", "Avg Warps per Cycle"])
      for kind, where in (("Vertex/Tess/Geometry", "Flight"), ("Pixel", "Flight"), ("Compute", "Flight"),
                          ("Unallocated", "Active SMs"))),
    ("DRAM Read Bandwidth", ["Throughput %"]), ("DRAM Write Bandwidth", ["Throughput %"]),
    ("PCIe RX Throughput", ["Throughput %"]), ("PCIe TX Throughput", ["Throughput %"])) for unit in units]


def record(tmp_path, *options, fake="", command=("sleep", "0.4"), status=0, environment=()):
    """Records GPU metrics of a program without CUDA."""
    path = tmp_path / "report.db"
    done = prof("profile", "-t", "none", "-s", "none", "--cpuctxsw=none", "-f", "true", "-o", path,
                "--cupti-path", CUPTI, *options, "--", *command, timeout=60,
                env={**os.environ, "LD_LIBRARY_PATH": str(FAKES), "FAKE_PM_SAMPLES": str(RECORDED),
                     "FAKE_CUPTI": fake, **dict(environment)})
    assert done.returncode == status, f"status {done.returncode}: {done.stdout}{done.stderr}"
    if status != 0:
        assert not path.exists() and not list(tmp_path.glob("*.spool"))
        return done
    return Report(path, done)


def recorded_samples():
    return [[int(value) for value in line.split("\t")] for line in RECORDED.read_text().splitlines()[1:]]


def samples(report, gpu=0):
    """(time, values by metricId) of each sample."""
    result = {}
    for row in report.query("SELECT timestamp, metricId, value FROM GPU_METRICS WHERE typeId = ? ORDER BY "
                            "timestamp, metricId", GPU_TYPE + gpu):
        result.setdefault(row["timestamp"], []).append(row["value"])
    return list(result.items())


def diagnostics(report):
    return [row["text"] for row in report.query("SELECT text FROM DIAGNOSTIC_EVENT")]


def without_metrics(report):
    return "GPU_METRICS" not in report.tables()


@pytest.fixture(scope="module", name="one")
def make_one(tmp_path_factory):
    return record(tmp_path_factory.mktemp("one"), "--gpu-metrics-devices=0")


def test_metrics_have_the_names_and_ids_of_nsys(one):
    rows = one.query("SELECT * FROM TARGET_INFO_GPU_METRICS ORDER BY metricId")
    assert [tuple(row) for row in rows] == [(GPU_TYPE, GPU_TYPE, "", i, name) for i, name in enumerate(NAMES)]
    units = one.query("SELECT unit FROM GENERIC_EVENT_TYPE_FIELDS ORDER BY fieldIdx")
    assert [row["unit"] for row in units[:7]] == ["Hz", "Hz", "%", "%", "%", "%", "%"]
    assert one.value("SELECT value FROM META_DATA_CAPTURE WHERE name = "
                     "'GPU_METRICS_OPTIONS:SAMPLING_FREQUENCY'") == "10000"
    assert any("NVLink RX Requests User Data" in text for text in diagnostics(one))


def test_every_sample_arrives_once_with_its_values(one):
    found, expected = samples(one), recorded_samples()
    values = [value for _, value in found]
    start = next(i for i in range(len(expected)) if expected[i:i + 20] == values[:20])
    assert start >= 1  # the first sample of the GPU counts from an unknown time on
    for when, value in found:
        assert value == expected[(start + (when - found[0][0]) // 100_000) % len(expected)]
    assert found[0][0] >= 0  # older samples are from before the program


def lost_between(times, interval):
    """Samples that are missing between others."""
    gaps = [after - before for before, after in zip(times, times[1:])]
    assert all(gap % interval == 0 for gap in gaps)
    return sum(gap // interval - 1 for gap in gaps)


def lost_by_account(report):
    """Samples that prof says were lost."""
    found = [re.match(r"GPU 0 \(NVIDIA H200\): (\d+) of \d+ samples of GPU metrics .* were lost", text)
             for text in diagnostics(report)]
    return sum(int(match[1]) for match in found if match)


def test_samples_are_100_us_apart(one):
    assert lost_between([when for when, _ in samples(one)], 100_000) == lost_by_account(one)


def test_metrics_span_the_program(tmp_path):
    """They start before the program and end after it."""
    report = record(tmp_path, "--gpu-metrics-devices=0", "--gpu-metrics-frequency=1000")
    times = [when for when, _ in samples(report)]
    duration = report.value("SELECT duration FROM ANALYSIS_DETAILS")
    assert times[0] <= 2_000_000 and times[-1] > duration - 20_000_000
    assert lost_between(times, 1_000_000) == lost_by_account(report)


def test_several_gpus(tmp_path):
    report = record(tmp_path, "--gpu-metrics-devices=all", "--gpu-metrics-frequency=1000")
    assert len(samples(report, 0)) > 100 and len(samples(report, 1)) > 100
    only = record(tmp_path, "--gpu-metrics-devices=1,1", "--gpu-metrics-frequency=1000")
    assert not samples(only, 0) and samples(only, 1)


def test_a_set_from_a_file(tmp_path):
    file = tmp_path / "mine"
    file.write_text("# mine\nname: Memory\n"
                    "Read [x10] = dram__read_throughput.avg.pct_of_peak_sustained_elapsed * 10\n"
                    "No such [%] = no__such.avg optional\n")
    report = record(tmp_path, "--gpu-metrics-devices=0", f"--gpu-metrics-set=file:{file}")
    names = [row["metricName"] for row in report.query("SELECT metricName FROM TARGET_INFO_GPU_METRICS")]
    assert names == ["Read [x10]"]
    reads = {row[18] * 10 for row in recorded_samples()}
    assert {row["value"] for row in report.query("SELECT DISTINCT value FROM GPU_METRICS")} <= reads
    assert any("No such [%]" in text for text in diagnostics(report))


@pytest.mark.parametrize("options, message", [
    (["--gpu-metrics-devices=5"], "there is no GPU 5, but 0, 1"),
    (["--gpu-metrics-devices=none,1"], "write none, all, cuda-visible, help, or numbers"),
    (["--gpu-metrics-devices=0", "--gpu-metrics-set=file:/no/such"], "cannot read the metric set /no/such"),
    (["--gpu-metrics-devices=0", "--gpu-metrics-frequency=5"], "--gpu-metrics-frequency"),
    (["--gpu-metrics-devices=0", "--gpu-metrics-frequency=1M"], "--gpu-metrics-frequency"),
    (["--gpu-metrics-devices=0", "--gpu-metrics-frequency=k"], "--gpu-metrics-frequency"),
])
def test_wrong_options(tmp_path, options, message):
    done = prof("profile", "-t", "none", "-o", tmp_path / "r.db", "--cupti-path", CUPTI, *options, "true",
                env={**os.environ, "LD_LIBRARY_PATH": str(FAKES), "FAKE_PM_SAMPLES": str(RECORDED)})
    assert done.returncode != 0 and message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_nsyss_names_and_lists_of_sets_and_frequencies(tmp_path):
    """One value for each GPU: the first one counts. Sets of other chips become that of the GPU's chip."""
    report = record(tmp_path, "--gpu-metrics-device=0", "--gpu-metrics-frequency=1k,2k", "--gpu-metrics-set=gh10")
    said = [text for text in diagnostics(report) if text.startswith("--gpu-metrics-")]
    assert [text.split(":")[0] for text in said] == ["--gpu-metrics-frequency=1k,2k", "--gpu-metrics-set"]
    assert "did you mean gh100?" in said[1]
    assert lost_between([when for when, _ in samples(report)], 1_000_000) == lost_by_account(report)


def test_a_set_that_the_gpu_cannot_count(tmp_path):
    file = tmp_path / "mine"
    file.write_text("A [%] = dram__read_throughput.avg.pct_of_peak_sustained_elapsed\n"
                    "B [%] = dram__write_throughput.avg.pct_of_peak_sustained_elapsed\n")
    done = record(tmp_path, "--gpu-metrics-devices=0", f"--gpu-metrics-set=file:{file}",
                  fake="most_metrics=1", status=1)
    assert "do not fit GH100 at the same time (2 passes" in done.stderr
    file.write_text("A [%] = no__such.avg\n")
    done = record(tmp_path, "--gpu-metrics-devices=0", f"--gpu-metrics-set=file:{file}", status=1)
    assert "no__such.avg (A [%]) cannot be sampled on GH100" in done.stderr


@pytest.mark.parametrize("function", ["cuptiPmSamplingGetCounterAvailability", "cuptiPmSamplingSetConfig"])
@pytest.mark.parametrize("result, message", [
    (26, "another tool uses the counters"),
    (35, "NVreg_RestrictProfilingToAdminUsers=0"),
    (43, "nvidia-smi -mig 0"),
    (999, "failed with CUPTI_ERROR_UNKNOWN (999)"),
])
def test_refusals(tmp_path, function, result, message):
    report = record(tmp_path, "--gpu-metrics-devices=0", fake=f"fail={function},result={result}",
                    command=["true"])
    assert without_metrics(report)
    text, = [text for text in diagnostics(report) if "GPU metrics are not recorded" in text]
    assert message in text
    assert report.done.stderr.count(text) == 1


def test_no_driver(tmp_path):
    report = record(tmp_path, "--gpu-metrics-devices=all", command=["true"],
                    environment={"LD_LIBRARY_PATH": ""}.items())
    assert without_metrics(report)
    assert any("NVIDIA's driver (libcuda.so.1) was not found" in text for text in diagnostics(report))


@pytest.mark.parametrize("fake", ["overflow_at=4", "hole_at=4"])
def test_lost_samples_are_told(tmp_path, fake):
    report = record(tmp_path, "--gpu-metrics-devices=0", fake=fake, command=["sleep", "2"])  # a busy machine decodes seldom
    times = [when for when, _ in samples(report)]
    missing = sum(round((after - before) / 100_000) - 1 for before, after in zip(times, times[1:]))
    assert missing >= 5 and missing == lost_by_account(report)
    text, = [text for text in diagnostics(report) if "were lost" in text]
    assert "gap" in text and "--gpu-metrics-frequency" in text


def test_a_gpu_that_is_gone(tmp_path):
    report = record(tmp_path, "--gpu-metrics-devices=0", fake="gone_at=2")
    assert 100 < len(samples(report)) and samples(report)[-1][0] < 380_000_000
    assert any("the GPU does not deliver samples any more" in text for text in diagnostics(report))
    assert report.value("SELECT duration FROM ANALYSIS_DETAILS") >= 400_000_000


def test_a_killed_sampling_process(tmp_path):
    """It is a child of prof, and so a brother of the program."""
    script = ("import os, signal, time; time.sleep(0.3)\n"
              "for pid in filter(str.isdigit, os.listdir('/proc')):\n"
              "    try: status = open(f'/proc/{pid}/status').read()\n"
              "    except OSError: continue\n"
              "    if 'Name:\\tprof-gpu\\n' in status and f'PPid:\\t{os.getppid()}\\n' in status:\n"
              "        os.kill(int(pid), signal.SIGKILL)\n"
              "time.sleep(0.2)")
    report = record(tmp_path, "--gpu-metrics-devices=0", command=["python3", "-c", script])
    assert samples(report)
    assert any(f"was killed (signal {signal.SIGKILL.value})" in text for text in diagnostics(report))


def test_a_killed_prof_leaves_no_process(tmp_path):
    path = tmp_path / "report.db"
    with subprocess.Popen(
            [BUILD / "bin" / "prof", "profile", "-t", "none", "-o", path, "--cupti-path", CUPTI,
             "--gpu-metrics-devices=0", "--", "sh", "-c", "sleep 0.5; echo ready; sleep 0.5"], stdout=subprocess.PIPE,
            env={**os.environ, "LD_LIBRARY_PATH": str(FAKES), "FAKE_PM_SAMPLES": str(RECORDED)}) as process:
        assert process.stdout.readline() == b"ready\n"
        sampler, = [pid for pid in children(process.pid) if name_of(pid) == "prof-gpu"]
        process.kill()
        process.stdout.read()  # until the program has ended, too
    deadline = time.monotonic() + 30
    while name_of(sampler) == "prof-gpu":
        assert time.monotonic() < deadline
        time.sleep(0.01)
    recovered = prof("recover", f"{path}.spool", "-o", path)
    assert recovered.returncode == 0
    assert samples(Report(path))


def name_of(pid):
    """Nothing for a process that has ended, although nobody may have asked for its status."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            name, _, rest = file.read().partition("(")[2].rpartition(")")
            return "" if rest.split()[0] == "Z" else name
    except OSError:
        return ""


def test_help_needs_no_program(tmp_path):
    environment = {**os.environ, "LD_LIBRARY_PATH": str(FAKES), "FAKE_PM_SAMPLES": str(RECORDED)}
    done = prof("profile", "--gpu-metrics-devices=help", "--cupti-path", CUPTI, env=environment)
    assert done.returncode == 0
    assert "  1  NVIDIA H200 (0000:a1:1f.0), GH100, set gh100" in done.stdout
    done = prof("profile", "--gpu-metrics-set=help")
    assert done.returncode == 0 and "  gh100 " in done.stdout
    assert not list(tmp_path.iterdir())


def test_readers_show_them(one, tmp_path):
    """prof info, statistics and the export for Perfetto."""
    path = one.path
    assert "GPU metrics" in prof("info", path).stdout
    done = prof("stats", "-r", "gpu_metric_util_sum", "--format", "csv", path)
    assert done.returncode == 0 and "SMs Active" in done.stdout, done.stderr
    done = prof("export", "-t", "perfetto", "-o", tmp_path / "trace.pftrace", path)
    assert done.returncode == 0, done.stderr
    assert b"SMs Active" in (tmp_path / "trace.pftrace").read_bytes()
