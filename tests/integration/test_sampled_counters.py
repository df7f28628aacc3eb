"""--enable: counters of GPUs by NVML, and of the machine."""
import json
from collections import defaultdict

import pytest
from fake_nvml import NONE, OLD, machine
from profiling import prof, profile

NANOSECONDS = 1e9


def sampled(report):
    """{group: {counter: (unit, [(time, value)])}}"""
    rows = report.query("""
        SELECT type.value AS device, field.value AS counter, unit, event.timestamp AS time,
               COALESCE(intVal, uintVal, floatVal, doubleVal) AS value
        FROM GENERIC_EVENT_DATA AS data
        JOIN GENERIC_EVENTS AS event USING (genericEventId)
        JOIN GENERIC_EVENT_TYPES AS types USING (typeId)
        JOIN GENERIC_EVENT_TYPE_FIELDS AS fields ON fields.typeId = event.typeId AND fields.fieldIdx = data.fieldIdx
        JOIN StringIds AS type ON type.id = types.nameId
        JOIN StringIds AS field ON field.id = fields.fieldNameId
        ORDER BY time""") if "GENERIC_EVENTS" in report.tables() else []
    result = defaultdict(dict)
    for row in rows:
        result[row["device"]].setdefault(row["counter"], (row["unit"], []))[1].append((row["time"], row["value"]))
    return result


def values(samples, group, counter):
    return [value for _, value in samples[group][counter][1]]


def record(tmp_path, *enable, seconds="0.5", environment=None, status=0):
    return profile(tmp_path, "sleep", seconds, traces="none", options=[f"--enable={each}" for each in enable],
                   env=environment or machine(library=NONE), status=status)


def test_power_and_temperature_are_as_in_nsys(tmp_path):
    report = record(tmp_path, "nvml_metrics", environment=machine("gpus=2"))
    names = [row[0] for row in report.query("""
        SELECT value FROM GENERIC_EVENT_TYPE_FIELDS JOIN StringIds ON id = fieldNameId
        JOIN GENERIC_EVENT_TYPES USING (typeId) WHERE nameId = (SELECT id FROM StringIds WHERE value = 'NVML GPU 1')
        ORDER BY fieldIdx""")]
    assert names[:2] == ["Power", "Temperature"]
    entries = report.query("SELECT DISTINCT idx, name, type FROM NVTX_PAYLOAD_SCHEMA_ENTRIES "
                           "WHERE name IN ('Power', 'Temperature') ORDER BY idx")
    assert [tuple(row) for row in entries] == [(0, "Power", 16), (1, "Temperature", 16)]  # NVTX's uint32
    samples = sampled(report)
    for gpu in (0, 1):
        group = f"NVML GPU {gpu}"
        assert set(values(samples, group, "Power")) == {100 + 50 * gpu}
        assert set(values(samples, group, "Temperature")) == {40 + gpu}
        assert samples[group]["Power"][0] == "W" and samples[group]["Temperature"][0] == "C"
        assert set(values(samples, group, "SM Clock")) == {1000 + 100 * gpu}


def test_energy_and_rates_fit_the_time(tmp_path):
    report = record(tmp_path, "nvml_metrics,--meter-interval=20", environment=machine("gpus=2,links=1"))
    samples = sampled(report)
    for gpu, power in ((0, 100), (1, 150)):
        meters = samples[f"NVML GPU {gpu} meters"]
        unit, energy = meters["Energy"]
        (first, start), (last, end) = energy[0], energy[-1]
        assert unit == "mJ" and (end - start) / 1000 == pytest.approx(power * (last - first) / NANOSECONDS, rel=0.05)
        for counter, rate in (("PCIe TX", 1e7 * (gpu + 1)), ("PCIe RX", 2e7 * (gpu + 1)), ("NVLink TX", 1024 * 1024e3)):
            unit, rates = meters[counter]
            sent = sum(value * (time - before) / NANOSECONDS
                       for (before, _), (time, value) in zip([(first, 0)] + rates, rates))
            assert unit == "bytes/s" and sent == pytest.approx(rate * (rates[-1][0] - first) / NANOSECONDS, rel=0.05)


def test_totals_can_be_kept(tmp_path):
    samples = sampled(record(tmp_path, "nvml_metrics,--meter-interval=20,--mode=total", environment=machine()))
    unit, sent = samples["NVML GPU 0 meters"]["PCIe TX"]
    assert unit == "bytes" and sent[0][1] == 0 and sent == sorted(sent)
    assert sent[-1][1] == pytest.approx(1e7 * (sent[-1][0] - sent[0][0]) / NANOSECONDS, rel=0.05)


def test_what_rarely_changes_is_kept_once(tmp_path):
    samples = sampled(record(tmp_path, "nvml_metrics", seconds="1.5", environment=machine("gpus=2")))
    assert values(samples, "NVML GPU 0 throttling", "Throttled: SW Power Cap") == [0, 1]  # from second 1 on
    assert values(samples, "NVML GPU 1 throttling", "Throttled: SW Power Cap") == [0]
    assert values(samples, "NVML GPU 0 state", "ECC Corrected") == [3]
    assert values(samples, "NVML GPU 0 state", "Power Limit") == [700]
    assert len(values(samples, "NVML GPU 0", "Power")) > 2


def test_used_memory_is_what_nvidia_smi_shows(tmp_path):
    samples = sampled(record(tmp_path, "nvml_metrics", environment=machine()))
    assert set(values(samples, "NVML GPU 0", "Memory Used")) == {8 << 30}  # without the 480 MiB that the driver reserves


def test_processes_on_a_gpu_have_their_memory(tmp_path):
    samples = sampled(record(tmp_path, "nvml_metrics", environment=machine("gpus=2,process=1")))
    group, = [name for name in samples if "process" in name]
    assert group.startswith("NVML GPU 0 process 1 ")
    assert set(values(samples, group, "Memory Used")) == {3 << 30}
    assert set(values(samples, group, "SM Utilization")) == {60}


@pytest.mark.parametrize("chosen, visible, gpus", [
    ("", None, {0, 1, 2}), ("", "1", {1}), ("", "GPU-00000002", {2}), (",-gall", "1", {0, 1, 2}),
    (",-g0\\,2", "1", {0, 2}), ("", "-1", {0, 1, 2})])
def test_gpus_are_chosen(tmp_path, chosen, visible, gpus):
    more = {} if visible is None else {"CUDA_VISIBLE_DEVICES": visible}
    samples = sampled(record(tmp_path, "nvml_metrics,--mode=total" + chosen, seconds="0.1", environment=machine("gpus=3", **more)))
    for subject in ("", " throttling", " meters", " state"):
        found = {name for name in samples if name.removeprefix("NVML GPU ")[1:] == subject}
        assert found == {f"NVML GPU {each}{subject}" for each in gpus}


def test_a_lost_gpu_ends_only_its_counters(tmp_path):
    report = record(tmp_path, "nvml_metrics,-i20", "cpu_metrics", seconds="1", environment=machine("gpus=2,lost=1@400"))
    message = "NVML no longer reads GPU 1: GPU is lost. Its NVML metrics end here."
    assert report.diagnostics().count(message) == 1
    assert report.done.stderr.count(message) == 1
    samples = sampled(report)
    assert samples["NVML GPU 1"]["Power"][1][-1][0] < samples["NVML GPU 0"]["Power"][1][-1][0]
    assert "CPU all" in samples


@pytest.mark.parametrize("environment, why", [
    (machine(library=NONE), "libnvidia-ml.so.1 is not found"),
    (machine("init=9"), "the NVIDIA driver is not loaded"),
    (machine("init=4"), "no permission to use the NVIDIA driver"),
    (machine("init=18"), "has to be restarted"),
    (machine("gpus=0"), "has no GPU for this user"),
    (machine("gpus=2", CUDA_VISIBLE_DEVICES="7"), "there is no GPU 7")])
def test_without_gpus_the_rest_goes_on(tmp_path, environment, why):
    report = record(tmp_path, "nvml_metrics", "memory_metrics", seconds="0.1", environment=environment)
    lines = [line for line in report.done.stderr.splitlines() if "NVML" in line]
    assert len(lines) == 1 and lines[0].startswith("prof: NVML metrics are not recorded: ") and why in lines[0]
    assert set(sampled(report)) == {"Memory all"}


def test_counters_that_are_denied_are_left_out(tmp_path):
    samples = sampled(record(tmp_path, "nvml_metrics", seconds="0.2", environment=machine("deny=PowerUsage")))
    assert "Power" not in samples["NVML GPU 0"] and "Temperature" in samples["NVML GPU 0"]


def test_an_old_driver_has_fewer_counters(tmp_path):
    samples = sampled(record(tmp_path, "nvml_metrics", seconds="0.2", environment=machine(library=OLD)))
    assert {"Power", "Temperature", "SM Clock"} <= set(samples["NVML GPU 0"])
    assert "NVML GPU 0 meters" not in samples


def test_report_has_the_topology(tmp_path):
    report = record(tmp_path, "nvml_metrics", seconds="0.1", environment=machine("gpus=2,links=4"))
    topology = json.loads(report.value("SELECT value FROM TARGET_INFO_SYSTEM_ENV WHERE name = 'GpuTopology'"))
    assert [gpu["index"] for gpu in topology["gpus"]] == [0, 1]
    assert topology["paths"] == [{"from": "GPU0", "to": "GPU1", "path": "NV4"}]


def test_the_machine_is_read(tmp_path):
    busy = "t=$(($(date +%s%N) + 600000000)); while [ $(date +%s%N) -lt $t ]; do dd if=/dev/zero of=f bs=1M count=1 2>/dev/null; done"
    report = profile(tmp_path, "sh", "-c", busy, traces="none", cwd=tmp_path, env=machine(library=NONE),
                     options=["--enable=network_interface,-dall", "--enable=cpu_metrics,-i20,memory_metrics,-i20,storage_metrics"])
    samples = sampled(report)
    assert {"CPU all", "CPU 0", "Memory all", "Network lo"} <= set(samples)
    assert max(values(samples, "CPU all", "User")) > 0 and max(values(samples, "CPU all", "Process Starts")) > 0
    assert all(0 <= value <= 100 for value in values(samples, "CPU all", "User"))
    assert max(values(samples, "Memory all", "Page Faults")) > 0
    total = 1024 * int(open("/proc/meminfo").readline().split()[1])
    used, available = (samples["Memory all"][name][1][0][1] for name in ("Used", "Available"))
    assert used + available == total
    assert list(samples["Network lo"])[:2] == ["tx_bytes", "rx_bytes"]


def test_bytes_on_the_loopback_are_counted(tmp_path):
    send = """if True:
        import socket, threading
        server = socket.create_server(("127.0.0.1", 0))
        client = socket.create_connection(server.getsockname())
        peer = server.accept()[0]
        def drain():
            while peer.recv(1 << 20): pass
        thread = threading.Thread(target=drain); thread.start()
        for _ in range(32): client.sendall(b"x" * (1 << 20))
        client.close(); thread.join()"""
    report = profile(tmp_path, "python3", "-c", send, traces="none", env=machine(library=NONE),
                     options=["--enable=network_interface,-dlo,-i10000,--mode=total"])
    samples = sampled(report)
    if not values(samples, "Network lo", "rx_bytes") or max(values(samples, "Network lo", "rx_bytes")) == 0:
        pytest.skip("this kernel does not count bytes of the loopback")
    assert 32 << 20 <= max(values(samples, "Network lo", "rx_bytes"))


def test_help_lists_and_unknown_names_are_refused(tmp_path):
    done = prof("profile", "--enable=help")
    assert done.returncode == 0 and not done.stderr
    for name in ("nvml_metrics", "network_interface", "storage_metrics", "efa_metrics", "cpu_metrics", "memory_metrics"):
        assert f"\n{name}\n" in done.stdout
    for option, message in (("nvml_metric", "did you mean nvml_metrics?"), ("cpu_metrics,-x", "has no argument -x"),
                            ("nvml_metrics,-i0", "needs a number above 0, not '0'")):
        done = prof("profile", "-o", tmp_path / "r.db", f"--enable={option}", "true")
        assert done.returncode == 2 and message in done.stderr and done.stderr.count("\n") == 1
        assert not (tmp_path / "r.db").exists()


def test_exports_have_the_counters(tmp_path):
    report = record(tmp_path, "nvml_metrics", "cpu_metrics", environment=machine("gpus=2"))
    trace = tmp_path / "trace.json"
    assert prof("export", "-t", "chrome", "-o", trace, report.path).returncode == 0
    events = json.loads(trace.read_text())["traceEvents"]
    names = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
    power = [event["args"]["value"] for event in events if event["ph"] == "C" and event["name"] == "Power [W]"
             and names[event["pid"]] == "NVML GPU 1"]
    assert power == values(sampled(report), "NVML GPU 1", "Power")


def test_metrics_off_start_no_thread(tmp_path):
    """prof itself has one thread unless counters are sampled."""
    script = "grep -h Threads: /proc/$PPID/status"
    alone = profile(tmp_path, "sh", "-c", script, traces="none", env=machine())
    sampling = profile(tmp_path, "sh", "-c", f"sleep 0.2; {script}", traces="none", env=machine(),
                       options=["--enable=nvml_metrics,cpu_metrics"])
    threads = [int(each.done.stdout.split()[1]) for each in (alone, sampling)]
    assert threads[1] == threads[0] + 3
