"""--metrics-endpoint: what Prometheus reads while programs run, held against the programs' own counts."""
import contextlib
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest
from cuda_app import APP, CUPTI, needs_cuda
from profiling import PROF, Report, prof, program
from prometheus_client.parser import text_string_to_metric_families
from sessions import numbers, sessions  # noqa: F401

# Works, says so, and ends when it gets a line.
PROGRAM = """
import os, sys, threading, nvtx
def work(count, name, domain=None):
    for _ in range(count):
        nvtx.push_range(name, domain=domain)
        nvtx.push_range("inner", domain=domain)
        nvtx.pop_range(domain=domain)
        nvtx.pop_range(domain=domain)
threads = [threading.Thread(target=work, args=(3000, 'step "a"\\n', "train")) for _ in range(4)]
[t.start() for t in threads]
ranges = [nvtx.start_range("request") for i in range(500)]
[t.join() for t in threads]
if os.fork() == 0:
    work(100, "child", "train")
    os._exit(0)
os.wait()
[nvtx.end_range(r) for r in ranges]
print("ready", flush=True)
sys.stdin.readline()
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def recorded(tmp_path, *command, options=(), environment=None):
    """Runs the command under prof and yields the URL when it has said that it is ready."""
    port = free_port()
    with subprocess.Popen([str(PROF), "profile", f"--metrics-endpoint={port}", "-o", tmp_path / "r.db", *options,
                           "--", *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          env=environment) as running:
        try:
            assert running.stdout.readline() == "ready\n"
            yield f"http://127.0.0.1:{port}/metrics"
            running.communicate("\n", timeout=60)
            assert running.returncode == 0
        finally:
            running.kill()


def scrape(url):
    """The samples by name and labels. Asserts that the format is right and that no two have the same labels."""
    with urllib.request.urlopen(url, timeout=20) as answer:
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        families = list(text_string_to_metric_families(answer.read().decode()))
    samples = {}
    for family in families:
        assert family.documentation and family.type in ("counter", "gauge", "histogram")
        for sample in family.samples:
            key = (sample.name, *sorted(sample.labels.items()))
            assert key not in samples
            samples[key] = sample.value
    return samples


def total(samples, name, **labels):
    return sum(value for key, value in samples.items() if key[0] == name and set(labels.items()) <= set(key[1:]))


def scrape_until(url, condition, seconds=60):
    deadline = time.monotonic() + seconds
    while True:
        samples = scrape(url)
        if condition(samples):
            return samples
        assert time.monotonic() < deadline, samples
        time.sleep(0.05)


COUNT = "prof_range_duration_seconds_count"


def test_ranges_and_calls_as_the_program_counts_them(tmp_path):
    with recorded(tmp_path, sys.executable, "-c", PROGRAM, options=["-t", "nvtx,osrt"]) as url:
        # The child's end is noticed after its last range.
        samples = scrape_until(url, lambda s: total(s, COUNT) == 4 * 3000 * 2 + 500 + 200
                               and total(s, "prof_processes") == 1)
        assert total(samples, COUNT, domain="train", range='step "a"\n') == 12000
        assert total(samples, COUNT, domain="train", range="inner") == 12100
        assert total(samples, COUNT, domain="train", range="child") == 100
        assert total(samples, COUNT, domain="", range="request") == 500
        buckets = sorted((float(dict(key[1:])["le"]), value) for key, value in samples.items()
                         if key[0] == "prof_range_duration_seconds_bucket" and ("range", "inner") in key)
        values = [value for _, value in buckets]
        assert values == sorted(values) and values[-1] == 12100
        assert total(samples, "prof_processes_total") == 2
        assert total(samples, "prof_events_total", kind="nvtx") == 24700
        assert total(samples, "prof_dropped_events_total") == 0
        assert total(samples, "process_cpu_seconds_total") > 0
        later = scrape_until(url, lambda s: total(s, "prof_calls_total", function="pthread_create") >= 4)
        assert all(later.get(key, 0) >= value for key, value in samples.items() if key[0].endswith("_total"))
    report = Report(tmp_path / "r.db")
    rows, inner = report.query("""SELECT count(*), sum(end - start) / 1e9 FROM NVTX_EVENTS
                                  LEFT JOIN StringIds ON id = textId WHERE COALESCE(text, value) = 'inner'""")[0]
    assert rows == 12100
    assert total(samples, "prof_range_duration_seconds_sum", range="inner") == pytest.approx(inner, rel=0.01)


MANY_NAMES = """
import nvtx, sys
for i in range(5000):
    with nvtx.annotate("request %d" % i):
        pass
print("ready", flush=True)
sys.stdin.readline()
"""


def test_names_are_bounded(tmp_path):
    with recorded(tmp_path, sys.executable, "-c", MANY_NAMES, options=["-t", "nvtx"]) as url:
        samples = scrape_until(url, lambda s: total(s, COUNT) == 5000)
        assert len([key for key in samples if key[0] == COUNT]) == 201
        assert total(samples, COUNT, range="(other)", domain="(other)") == 4800


LONG_NAMES = """
import nvtx, sys
for i in range(250):
    with nvtx.annotate("\\n%06d" % i + "x" * 16000 + str(i), domain="d" * 16000):
        pass
print("ready", flush=True)
sys.stdin.readline()
"""


def test_a_page_is_bounded(tmp_path):
    """Names are cut and stay different."""
    with recorded(tmp_path, sys.executable, "-c", LONG_NAMES, options=["-t", "nvtx"]) as url:
        samples = scrape_until(url, lambda s: total(s, COUNT) == 250)
        assert len([key for key in samples if key[0] == COUNT]) == 201
        with urllib.request.urlopen(url, timeout=20) as answer:
            assert len(answer.read()) < 5_000_000


def test_silent_connections_keep_nobody_out(tmp_path):
    with recorded(tmp_path, sys.executable, "-c", "print('ready', flush=True); input()", options=["-t", "nvtx"]) as url:
        port = int(url.split(":")[2].split("/")[0])
        with contextlib.ExitStack() as stack:
            silent = [stack.enter_context(socket.create_connection(("127.0.0.1", port), 20)) for _ in range(40)]
            assert total(scrape(url), "prof_build_info") == 1
            assert silent[0].recv(1) == b""  # it has made room


@needs_cuda
def test_work_of_gpus(tmp_path):
    """The report of the same run has the same kernels."""
    script = f'"$0" "$@" > {tmp_path}/expected && echo ready && read line'
    options = ["-t", "cuda", "--cupti-path", CUPTI]
    with recorded(tmp_path, "/bin/sh", "-c", script, APP, "work", options=options) as url:
        samples = scrape_until(url, lambda s: total(s, "prof_processes_total") > 1 and total(s, "prof_processes") == 1)
    report = Report(tmp_path / "r.db")
    kernels = report.query("""SELECT value AS name, count(*) AS count, sum(end - start) / 1e9 AS seconds
                              FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = demangledName GROUP BY value""")
    assert kernels
    for kernel in kernels:
        assert total(samples, "prof_gpu_kernels_total", kernel=kernel["name"]) == kernel["count"]
        seconds = total(samples, "prof_gpu_kernel_seconds_total", kernel=kernel["name"])
        assert seconds == pytest.approx(kernel["seconds"])
    assert total(samples, "prof_gpu_kernels_total") == sum(kernel["count"] for kernel in kernels)
    assert total(samples, "prof_gpu_copied_bytes_total") == report.value(
        "SELECT sum(bytes) FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE migrationCause IS NULL")  # not by the driver


def refusal(request):
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=20)
    return refused.value.code


def test_what_is_refused(tmp_path):
    with recorded(tmp_path, "/bin/sh", "-c", "echo ready; read line") as url:
        assert refusal(url.replace("/metrics", "/")) == 404
        assert refusal(urllib.request.Request(url, data=b"x")) == 405
        # As a page of another site would that has its name point to this machine.
        for host in ("example.com:9755", "localhost.example.com", "127.0.0.1.example.com:9755"):
            assert refusal(urllib.request.Request(url, headers={"Host": host})) == 403
        forwarded = urllib.request.Request(url, headers={"Host": "localhost:9000"})  # a tunnel has a port of its own
        assert urllib.request.urlopen(forwarded, timeout=20).status == 200
        assert urllib.request.urlopen(url.replace("127.0.0.1", "localhost"), timeout=20).status == 200
        port = url.split(":")[2].split("/")[0]
        second = prof("profile", f"--metrics-endpoint={port}", "-o", tmp_path / "second.db", "true")
        assert second.returncode == 1 and "is in use" in second.stderr and second.stderr.count("\n") == 1
        assert not (tmp_path / "second.db").exists()
    wrong = prof("profile", "--metrics-endpoint=somewhere", "true")
    assert wrong.returncode == 2 and "write ADDRESS:PORT" in wrong.stderr


def test_programs_do_not_inherit_the_socket(tmp_path):
    with recorded(tmp_path, "/bin/sh", "-c", f"ls -l /proc/self/fd > {tmp_path}/open; echo ready; read line") as url:
        assert scrape(url)
    assert "socket:" not in (tmp_path / "open").read_text()


def test_a_session_counts_what_its_collections_record(sessions, tmp_path):  # noqa: F811
    port = free_port()
    url = f"http://127.0.0.1:{port}/metrics"
    launched = sessions.running(f"--metrics-endpoint={port}", "-t", "nvtx", program("numbered_ranges"))
    samples = scrape(url)
    assert total(samples, "prof_processes") == 1 and total(samples, COUNT) == 0  # nothing is recorded yet
    recorded_ranges = 0
    for report in ("a.db", "b.db"):
        sessions.works("start", "-s", "none", "-o", tmp_path / report)
        scrape_until(url, lambda s, least=recorded_ranges: total(s, COUNT) > least)
        sessions.works("stop")
        recorded_ranges += len(numbers(tmp_path / report))
    samples = scrape(url)
    # A range that a collection cuts at its begin or end may be in only one of the two.
    assert abs(total(samples, COUNT) - recorded_ranges) <= 4
    assert total(samples, "prof_processes_total") == 1
    assert launched.poll() is None
