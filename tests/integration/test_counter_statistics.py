"""Statistics and findings from the counters of --enable: made-up programs whose power and traffic are known."""
import csv
import io
import json

import pytest
from fake_nvml import machine
from made_up_program import MS, Program
from named import with_names
from profiling import MORE_TRUTH, prof, profile, unpacked

GEMM = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64"
ADD = "vectorized_elementwise_kernel"
PLUGINS = MORE_TRUTH / "gpu-metrics" / "plugins-1kHz.sqlite.gz"


def rows_of(report, name, *options):
    done = prof("stats", "-q", "-r", name, "-f", "csv", *options, report)
    assert (done.returncode, done.stderr) == (0, "")
    return list(csv.DictReader(io.StringIO(done.stdout.strip())))


def report_of(run, path):
    program = Program(path / "report.sqlite")
    run(program)
    return program.done()


def steps(program):
    """20 steps of a GEMM (6 ms) and an addition (2 ms)."""
    for _ in range(20):
        with program.range("step"):
            program.kernel(GEMM, 6 * MS)
            program.kernel(ADD, 2 * MS)
            program.synchronize()


def power_at(program, time):
    """600 W in the GEMM, 300 W in the addition, 100 W else."""
    for start, end, name in program.gpu_work:
        if start <= time < end:
            return 600 if name == GEMM else 300
    return 100


def sample_power(program, period=MS // 10):
    times = range(0, program.now + period, period)
    program.sample_counters("NVML GPU 0", {"Power": "W", "Temperature": "C"}, [
        (time, {"Power": power_at(program, time - period // 2), "Temperature": 50}) for time in times])


def joules(*parts):
    """Of (W, ms)."""
    return sum(watts * time for watts, time in parts) / 1000


@pytest.fixture
def powered(tmp_path):
    def run(program):
        steps(program)
        sample_power(program)
        program.sample_counters("NVML GPU 0 meters", {"Energy": "mJ"}, [(0, {"Energy": 5e6}), (100 * MS, {"Energy": 5.05e6})])
    return report_of(run, tmp_path)


def test_energy_of_the_run_is_the_meters(powered):
    [row] = rows_of(powered, "power_sum")
    assert (row["Energy (J)"], row["Time (ns)"], row["Energy By"]) == ("50.0", str(100 * MS), "meter")
    assert (row["Avg (W)"], row["Min (W)"], row["Max (W)"], row["GPU"]) == ("500.0", "100.0", "600.0", "0")


def test_without_a_meter_power_is_summed_up(tmp_path):
    def run(program):
        program.sample_counters("my domain", {"Power": ""}, [(0, {"Power": 7}), (100 * MS, {"Power": 7})])
        program.sample_counters("NVML GPU 3", {"Power": "W"}, [
            (0, {"Power": 0}), (100 * MS, {"Power": 200}), (400 * MS, {"Power": 400})])
    [row] = rows_of(report_of(run, tmp_path), "power_sum")
    # The first sample counts for as long as the second one.
    assert (row["Energy (J)"], row["Time (ns)"], row["Energy By"]) == ("140.0", str(500 * MS), "power")
    assert (row["Avg (W)"], row["Samples"], row["GPU"]) == ("280.0", "3", "3")


def test_energy_by_kernel_and_by_range(powered):
    kernels = {row["Name"]: row for row in rows_of(powered, "power_sum:kernel")}
    assert list(kernels) == [GEMM, ADD]  # most energy first
    for name, watts, time in ((GEMM, 600, 120), (ADD, 300, 40)):
        assert float(kernels[name]["Energy (J)"]) == pytest.approx(joules((watts, time)), rel=0.03)
        assert int(kernels[name]["Time (ns)"]) == time * MS
    [step] = rows_of(powered, "power_sum:nvtx")
    assert step["Range"] == ":step"
    assert float(step["Energy (J)"]) == pytest.approx(joules((600, 120), (300, 40)), rel=0.03)


def test_energy_of_iterations(powered):
    [row] = rows_of(powered, "power_sum:iteration")
    assert (row["Iterations"], row["GPU"], row["Found By"]) == ("20", "0", "NVTX range :step")
    assert float(row["Avg (J)"]) == pytest.approx(joules((600, 6), (300, 2)), rel=0.03)
    assert float(row["Min (J)"]) <= float(row["Med (J)"]) <= float(row["Max (J)"])


def test_a_meter_that_is_sampled_as_often_is_used_for_kernels(tmp_path):
    def run(program):
        program.kernel(GEMM, 6 * MS)
        program.synchronize()
        program.sample_counters("NVML GPU 0", {"Power": "W"}, [(0, {"Power": 999}), (20 * MS, {"Power": 999})])
        program.sample_counters("NVML GPU 0 meters", {"Energy": "mJ"},
                                [(each * MS, {"Energy": 100 * each}) for each in (0, 5, 20)])
    [row] = rows_of(report_of(run, tmp_path), "power_sum:kernel")
    assert (row["Avg (W)"], row["Energy (J)"]) == ("100.0", "0.600")


def test_a_wrong_argument_is_named(powered):
    for name, allowed in (("power_sum:thread", "nvtx, kernel or iteration"), ("gpu_metric_util_sum:iteration", "nvtx or kernel")):
        done = prof("stats", "-r", name, powered)
        assert done.returncode != 0
        assert f"unknown argument {name.split(':')[1]} (allowed: {allowed})" in done.stderr


@pytest.mark.parametrize("name,option", [("power_sum", "--enable=nvml_metrics"), ("nvlink_sum", "--enable=nvml_metrics"),
                                         ("network_sum", "--enable=network_interface")])
def test_what_is_missing_is_named(tmp_path, name, option):
    program = Program(tmp_path / "report.sqlite")
    program.database.executescript("".join(f"DROP TABLE {table};" for table in (
        "GENERIC_EVENTS", "GENERIC_EVENT_DATA", "GENERIC_EVENT_TYPES", "GENERIC_EVENT_TYPE_FIELDS", "GPU_METRICS",
        "TARGET_INFO_GPU_METRICS")))
    done = prof("stats", "-r", name, program.path)
    program.database.close()
    assert option in done.stdout + done.stderr


# --- bytes

RATES = [(100 * MS, 1000), (200 * MS, 3000), (400 * MS, 500)]  # bytes per second in the time before


def sent_as(mode):
    """The samples of RATES, as --mode records them, and the unit."""
    if mode == "throughput":
        return "bytes/s", RATES
    differences = [(100 * MS, 100), (200 * MS, 300), (400 * MS, 100)]
    if mode == "delta":
        return "bytes", differences
    total = [0, 100, 400, 500]
    return "bytes", list(zip([0, *(time for time, _ in differences)], total))


@pytest.mark.parametrize("mode", ["throughput", "delta", "total"])
@pytest.mark.parametrize("device", ["Network eth0", "InfiniBand mlx5_0:1", "EFA rdmap0s6:1"])
def test_bytes_of_a_device_are_the_same_in_all_modes(tmp_path, mode, device):
    def run(program):
        unit, samples = sent_as(mode)
        program.sample_counters(device, {"tx_bytes": unit, "rx_bytes": unit, "tx_packets": "packets/s"}, [
            (time, {"tx_bytes": value, "rx_bytes": 2 * value, "tx_packets": 7}) for time, value in samples])
    received, sent = rows_of(report_of(run, tmp_path), "network_sum")  # most bytes first
    assert (sent["Counter"], sent["Device"], received["Counter"]) == ("tx_bytes", device, "rx_bytes")
    assert (sent["Total (bytes)"], sent["Avg (bytes/s)"], sent["Max (bytes/s)"]) == ("500", "1250.0", "3000.0")
    assert (received["Total (bytes)"], received["Max (bytes/s)"], received["Time (ns)"]) == ("1000", "6000.0", str(400 * MS))


def test_a_time_filter_takes_traffic_of_that_time(tmp_path):
    def run(program):
        program.sample_counters("Network eth0", {"tx_bytes": "bytes/s"}, [(each * MS, {"tx_bytes": each}) for each in range(100)])
    [row] = rows_of(report_of(run, tmp_path), "network_sum", "--filter-time", "50ms/59ms")
    assert (row["Samples"], row["Max (bytes/s)"]) == ("10", "59.0")


def test_nvlink_has_bytes_and_shares_of_the_peak(tmp_path):
    def run(program):
        program.kernel("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 10 * MS)
        program.synchronize()
        load = {"NVLink RX Responses User Data": 80}
        program.sample_metrics({"ncclDevKernel_AllReduce_Sum_bf16_RING_LL": load})
        for gpu in (0, 1):
            program.sample_counters(f"NVML GPU {gpu} meters", {"Energy": "mJ", "NVLink TX": "bytes/s", "NVLink RX": "bytes/s"}, [
                (0, {"Energy": 1}), (10 * MS, {"Energy": 2, "NVLink TX": 1e9 * (1 + gpu), "NVLink RX": 4e9})])
    rows = {(row["GPU"], row["Direction"]): row for row in rows_of(report_of(run, tmp_path), "nvlink_sum")}
    assert set(rows) == {(gpu, direction) for gpu in "01" for direction in ("sent", "received")}
    assert [rows["0", "sent"]["Total (bytes)"], rows["1", "sent"]["Total (bytes)"]] == ["10000000", "20000000"]
    assert (rows["0", "received"]["Avg (bytes/s)"], rows["0", "received"]["Max of Peak (%)"]) == ("4000000000.0", "80.0")
    assert rows["0", "sent"]["Avg of Peak (%)"] == ""  # no such metric
    assert rows["1", "received"]["Avg of Peak (%)"] == ""  # a GPU without metrics


# --- nsys's plugins

@pytest.mark.skipif(not PLUGINS.exists(), reason="needs nsys's reports (PROF_NSYS_TRUTH)")
def test_power_and_traffic_of_nsys_reports(tmp_path):
    report = unpacked(tmp_path / "report.sqlite", PLUGINS)
    [power] = rows_of(report, "power_sum")
    assert (power["Samples"], power["Min (W)"], power["Max (W)"], power["GPU"]) == ("9", "83.0", "167.0", "0")
    assert rows_of(report, "power_sum:kernel")
    assert {(row["Counter"], row["Total (bytes)"], row["Device"]) for row in rows_of(report, "network_sum")} == {
        ("tx_bytes", "0", ""), ("rx_bytes", "0", "")}


# --- findings

def throttled_by(reason, clock=990):
    """From 20 ms on, with half the clock."""
    def run(program):
        steps(program)
        program.sample_counters("NVML GPU 0", {"SM Clock": "MHz"}, [
            (each * MS, {"SM Clock": 1980 if each < 20 else clock}) for each in range(program.now // MS + 2)])
        program.sample_counters("NVML GPU 0 throttling", {f"Throttled: {reason}": ""}, [
            (0, {f"Throttled: {reason}": 0}), (20 * MS, {f"Throttled: {reason}": 1})])
    return run


def finding_of(report):
    done = prof("analyze", "-r", "findings", "-f", "json", report)
    assert (done.returncode, done.stderr) == (0, "")
    return {each["rule"]: each for each in with_names(done.stdout)["findings"]}.get("gpu_throttled")


@pytest.mark.parametrize("reason,remedy", [("SW Power Cap", "power limit"), ("HW Thermal Slowdown", "cooling")])
def test_throttling_is_found_with_its_reason_and_the_time_lost(tmp_path, reason, remedy):
    found = finding_of(report_of(throttled_by(reason), tmp_path))
    assert f"GPU 0: {reason} for " in found["evidence"]
    assert "its clock is 990 MHz then and 1980 MHz at most" in found["evidence"]
    assert remedy in found["remedy"]
    assert found["at_stake_ns"] == pytest.approx((160 - 20) / 2 * MS, rel=0.05)


@pytest.mark.parametrize("reason,clock", [("Sync Boost", 990), ("SW Power Cap", 1970)])
def test_throttling_that_costs_nothing_is_no_finding(tmp_path, reason, clock):
    assert finding_of(report_of(throttled_by(reason, clock), tmp_path)) is None


def test_a_gpu_that_is_always_throttled_is_compared_with_its_maximum(tmp_path):
    def run(program):
        steps(program)
        topology = {"gpus": [{"index": 1, "clocks_mhz": {"sm_max": 9000}}, {"index": 0, "clocks_mhz": {"sm_max": 2000}}]}
        program.insert("TARGET_INFO_SYSTEM_ENV", 0, "", "Hostname", 0, "not JSON")
        program.insert("TARGET_INFO_SYSTEM_ENV", 0, "", "GpuTopology", 0, json.dumps(topology))
        program.sample_counters("NVML GPU 0", {"SM Clock": "MHz"}, [
            (each * MS, {"SM Clock": 1500}) for each in range(0, program.now // MS + 20, 10)])
        program.sample_counters("NVML GPU 0 throttling", {"Throttled: SW Power Cap": ""}, [(0, {"Throttled: SW Power Cap": 1})])
    found = finding_of(report_of(run, tmp_path))
    assert "its clock is 1500 MHz then and 2000 MHz at most" in found["evidence"]
    assert found["at_stake_ns"] == pytest.approx(0.25 * 152 * MS, rel=0.01)  # without the first step, which warms up


# --- recordings

def test_a_recording_has_power_bytes_and_energy(tmp_path):
    report = profile(tmp_path, "sleep", "0.5", traces="none", env=machine("gpus=2,links=1"), options=[
        "--enable=nvml_metrics,--meter-interval=50,-gall"])
    rows = {row["GPU"]: row for row in rows_of(report.path, "power_sum")}
    assert {gpu: row["Max (W)"] for gpu, row in rows.items()} == {"0": "100.0", "1": "150.0"}
    assert {gpu: row["Energy By"] for gpu, row in rows.items()} == {"0": "meter", "1": "meter"}
    assert [float(rows[gpu]["Avg (W)"]) for gpu in "01"] == pytest.approx([100, 150], rel=0.05)
    links = {(row["GPU"], row["Direction"]): float(row["Avg (bytes/s)"]) for row in rows_of(report.path, "nvlink_sum")}
    assert links["0", "sent"] == pytest.approx(1024 * 1024e3, rel=0.05)
