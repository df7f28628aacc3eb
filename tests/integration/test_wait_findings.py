"""prof analyze's findings about waiting. Each has a program with the problem and one without."""
import os
import re
import socket
import sys
import textwrap
import threading
import time

import pytest
from finding_reports import analyze, findings, first, python, record, waits
from made_up_program import MS, Program
from profiling import program, source_of

# --- locks

def test_threads_that_compute_under_one_lock(tmp_path):
    report = waits(tmp_path, "lock")
    found = first(report.path)
    assert found["rule"] == "lock_waits", found
    assert "pthread_mutex_lock" in found["evidence"]
    assert "held by" in found["evidence"], found


def test_the_holder_of_a_lock_and_what_it_does_are_named(tmp_path):
    found = first(waits(tmp_path, "held").path)
    assert found["rule"] == "lock_waits", found
    assert "held by" in found["evidence"] and "in usleep" in found["evidence"], found


def test_the_holder_of_a_lock_of_python_is_not_the_thread_that_waits_for_clients(tmp_path):
    found = findings(record(tmp_path, sys.executable, str(source_of("lock_server.py"))).path)
    holder = found["lock_waits"]["evidence"].partition("held by")[2]
    assert "in customer_totals" in holder, found["lock_waits"]
    assert "poll" not in holder and "accept" not in holder and "one of 1 thread" not in holder, holder


def test_threads_with_a_lock_each_do_not_wait(tmp_path):
    assert "lock_waits" not in findings(waits(tmp_path, "locks").path)


# --- files, pipes, sockets

def test_flushing_after_every_line(tmp_path):
    report = waits(tmp_path, "flush")
    if report.expected()["flushing"] < 0.04:
        pytest.skip("this file system flushes nothing")
    found = findings(report.path)
    assert "disk_flush" in found, found
    assert "fsync" in found["disk_flush"]["evidence"] and "200 calls" in found["disk_flush"]["evidence"]


def test_one_write_for_each_byte(tmp_path):
    found = first(waits(tmp_path, "writes", options=("--osrt-threshold=0",)).path)
    assert found["rule"] == "small_transfers", found
    assert "write" in found["evidence"] and "1 B on average" in found["evidence"], found


def test_files_of_small_writes_have_names(tmp_path):
    found = first(waits(tmp_path, "writes", options=("--osrt-threshold=0", "--osrt-file-access=true")).path)
    assert str(tmp_path / "waits.data") in found["evidence"], found


def test_few_large_writes(tmp_path):
    assert "small_transfers" not in findings(waits(tmp_path, "buffered").path)


def test_very_many_system_calls(tmp_path):
    found = first(waits(tmp_path, "stats", options=("--osrt-threshold=0",)).path)
    assert found["rule"] == "many_system_calls", found
    assert "stat" in found["evidence"], found


READING = """
    import sys
    total = 0
    for line in sys.stdin:
        total += len(line)
"""


def test_input_that_comes_slowly(tmp_path):
    reading, writing = os.pipe()

    def write():
        for _ in range(60):
            os.write(writing, b"line\n")
            time.sleep(0.01)
        os.close(writing)

    writer = threading.Thread(target=write)
    writer.start()
    report = python(tmp_path, READING, options=("--osrt-file-access=true",), stdin=reading)
    writer.join()
    os.close(reading)
    found = first(report.path)
    assert found["rule"] == "input_waits", found
    assert "read" in found["evidence"] and "pipe:" in found["evidence"], found


REQUESTS = """
    import socket, sys
    server = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    for _ in range(60):
        server.sendall(b"?")
        server.recv(1)
"""


def test_a_server_that_answers_slowly(tmp_path):
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]

    def serve():
        client, _ = listening.accept()
        with client:
            while client.recv(1):
                time.sleep(0.01)
                client.sendall(b"!")

    server = threading.Thread(target=serve)
    server.start()
    script = tmp_path / "client.py"
    script.write_text(textwrap.dedent(REQUESTS))
    report = record(tmp_path, sys.executable, script, str(port), options=("--osrt-file-access=true",))
    server.join()
    listening.close()
    found = first(report.path)
    assert found["rule"] == "network_waits", found
    assert f"tcp:127.0.0.1:{port}" in found["evidence"], found


def test_a_server_that_waits_for_clients_has_no_finding(tmp_path):
    """It sleeps in accept until a client comes, and in recv until the client asks."""
    code = """
        import socket
        listening = socket.create_server(("127.0.0.1", 0))
        with open({path!r}, "w") as file: file.write(str(listening.getsockname()[1]) + "\\n")
        client, _ = listening.accept()
        while client.recv(1): client.sendall(b"!")
    """
    path = tmp_path / "port"

    def ask():
        while not path.exists() or not path.read_text().endswith("\n"):
            time.sleep(0.01)
        with socket.create_connection(("127.0.0.1", int(path.read_text()))) as server:
            for _ in range(20):
                time.sleep(0.02)
                server.sendall(b"?")
                server.recv(1)

    client = threading.Thread(target=ask)
    client.start()
    report = python(tmp_path, code.format(path=str(path)))
    client.join()
    assert not {"network_waits", "input_waits", "polling", "sleeping"} & set(findings(report.path))


FRONT = """
    import socket, sys, threading
    def ask_prices():
        with socket.create_connection(("127.0.0.1", {port})) as prices:
            prices.sendall(b"?")
            return prices.recv(1)
    def answer(client):
        with client:
            while client.recv(1): client.sendall(ask_prices())
    listening = socket.create_server(("127.0.0.1", 0))
    with open({path!r}, "w") as file: file.write(str(listening.getsockname()[1]) + "\\n")
    threads = []
    for _ in range(6):
        threads.append(threading.Thread(target=answer, args=listening.accept()[:1]))
        threads[-1].start()
    for thread in threads: thread.join()
"""


def test_a_server_that_waits_for_another_server(tmp_path):
    """It waits for its own clients, too, which is nobody's fault. Each client has a thread."""
    path = tmp_path / "port"
    prices = socket.create_server(("127.0.0.1", 0))

    def serve_prices():
        for _ in range(12):
            client, _ = prices.accept()
            with client:
                client.recv(1)
                time.sleep(0.05)
                client.sendall(b"!")

    def ask():
        while not path.exists() or not path.read_text().endswith("\n"):
            time.sleep(0.01)
        for _ in range(6):
            with socket.create_connection(("127.0.0.1", int(path.read_text()))) as server:
                for _ in range(2):
                    time.sleep(0.1)
                    server.sendall(b"?")
                    server.recv(1)

    others = [threading.Thread(target=each) for each in (serve_prices, ask)]
    for each in others:
        each.start()
    report = python(tmp_path, FRONT.format(path=str(path), port=prices.getsockname()[1]))
    for each in others:
        each.join()
    prices.close()
    found = findings(report.path)["network_waits"]
    assert "12 calls of recv" in found["evidence"] and "ask_prices" in found["evidence"], found


# --- child processes, sleeps, polls

def test_one_child_process_after_the_other(tmp_path):
    report = python(tmp_path, """
        import subprocess, sys
        for _ in range(6):
            subprocess.run([sys.executable, "-c", "sum(i * i for i in range(3_000_000))"])
    """)
    found = findings(report.path)
    assert "child_processes" in found, found
    assert found["child_processes"]["share_percent"] > 50
    assert "6 processes of python" in found["child_processes"]["evidence"], found


def test_a_shell_that_only_starts_a_program(tmp_path):
    report = record(tmp_path, "/bin/sh", "-c", f"{program('waits')} compute; true")
    assert "child_processes" not in findings(report.path)


def test_sleeping_in_a_loop(tmp_path):
    found = first(waits(tmp_path, "sleep").path)
    assert found["rule"] == "sleeping" and "200 calls of usleep" in found["evidence"], found
    assert "in a loop" in found["finding"]


def test_polling(tmp_path):
    found = first(waits(tmp_path, "poll").path)
    assert found["rule"] == "polling", found
    # On a busy machine one of the 200 may take so long that it does not count as polling.
    assert 190 <= int(re.match(r"(\d+) polls ended by timeout", found["evidence"])[1]) <= 200, found


WAITING = {"lock_waits", "disk_flush", "small_transfers", "many_system_calls", "sleeping", "polling",
           "network_waits", "input_waits", "file_waits", "child_processes"}


@pytest.mark.parametrize("mode", ["pool", "compute", "buffered", "locks"])
def test_programs_that_do_not_wait_have_no_such_finding(tmp_path, mode):
    assert not WAITING & set(findings(waits(tmp_path, mode).path))


# --- why GPUs are idle

TRAIN = ("train", "/home/me/train.py", 9)
LOADER = [("fetch", "/env/lib/python3.12/site-packages/torch/utils/data/_utils/fetch.py", 52),
          ("_SingleProcessDataLoaderIter._next_data", "/env/torch/utils/data/dataloader.py", 733),
          ("_BaseDataLoaderIter.__next__", "/env/torch/utils/data/dataloader.py", 630), TRAIN]
SLOW = [("slow_transform", "/home/me/data.py", 31), ("Images.__getitem__", "/home/me/data.py", 12)]
WORKER = [("decode", "/home/me/data.py", 44),
          ("_worker_loop", "/env/torch/utils/data/_utils/worker.py", 309)]


def training(path, wait, steps=20):
    """A program that does `wait` between its steps, when the GPU is idle."""
    made = Program(path)
    for _ in range(steps):
        for _ in range(20):
            made.kernel("sm90_xmma_gemm_bf16bf16_bf16f32", 100_000)
        made.synchronize()
        wait(made)
    return made.done()


def test_the_transform_of_a_data_loader_without_workers(tmp_path):
    def load(made):
        made.python_samples([*SLOW, *LOADER], 20 * MS)

    found = first(training(tmp_path / "report.sqlite", load))
    assert found["rule"] == "cpu_bound"
    assert "slow_transform (/home/me/data.py:31)" in found["evidence"], found
    assert "DataLoader's __next__" in found["evidence"] and "num_workers=0" in found["evidence"]
    assert "num_workers" in found["remedy"]


def test_other_python_code_between_steps(tmp_path):
    def log(made):
        made.python_samples([("log", "/home/me/train.py", 77), TRAIN], 20 * MS)

    found = first(training(tmp_path / "report.sqlite", log))
    assert found["rule"] == "cpu_bound" and "log (/home/me/train.py:77)" in found["evidence"], found
    assert "DataLoader" not in found["evidence"] + found["remedy"]


def test_too_few_workers_of_a_data_loader(tmp_path):
    def load(made):
        for worker in (900, 901):
            start = made.now
            with made.process(worker):
                made.now = start
                made.python_samples(WORKER, 20 * MS)
        made.os_call("poll", 20 * MS)

    found = first(training(tmp_path / "report.sqlite", load))
    assert found["rule"] == "data_loading"
    assert "in poll" in found["evidence"] and "decode (/home/me/data.py:44)" in found["evidence"], found
    assert "2 worker processes are too slow" in found["evidence"], found
    assert "num_workers" in found["remedy"]


def test_the_call_that_a_launching_thread_sleeps_in(tmp_path):
    found = first(training(tmp_path / "report.sqlite", lambda made: made.os_call("clock_nanosleep", 20 * MS)))
    assert found["rule"] == "cpu_bound" and "sleeping in clock_nanosleep" in found["evidence"], found


def ranks(path, late, steps=20):
    """Two processes, one GPU each, that communicate after each step. The first one does `late` before."""
    made = Program(path)
    for _ in range(steps):
        start = made.now
        launches = []
        for rank, pid in enumerate((500, 501)):
            with made.process(pid):
                made.now = start
                made.device = rank
                made.ready.clear()
                made.kernel("sm90_xmma_gemm_bf16bf16_bf16f32", 9 * MS)
                made.synchronize()
                if rank == 0:
                    late(made)
                launches.append(made.now)
        end = max(launches) + 2 * MS
        for rank, pid in enumerate((500, 501)):
            with made.process(pid):
                made.now, made.device = launches[rank], rank
                made.ready.clear()
                made.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage)", end - made.now)
        made.now = end + 1 * MS
    return made.done()


def test_a_rank_that_sleeps_makes_the_others_wait(tmp_path):
    def straggle(made):
        with made.range("straggle"):
            made.os_call("clock_nanosleep", 20 * MS)

    report = ranks(tmp_path / "report.sqlite", straggle)
    found = analyze(report)
    assert found["findings"][0]["rule"] == "late_processes", found
    evidence = found["findings"][0]["evidence"]
    for words in ("GPU 1 of process 501 waits 6", "for GPU 0 of process 500", "straggle",
                  "sleeping in clock_nanosleep"):
        assert words in evidence, evidence
    assert found["verdict"] == "waiting for a late process" and "straggle" in found["shares"], found


def test_ranks_that_are_on_time_only_communicate(tmp_path):
    rules = [each["rule"] for each in analyze(ranks(tmp_path / "report.sqlite", lambda made: None))["findings"]]
    assert "exposed_communication" in rules and "late_processes" not in rules, rules


def test_a_rank_that_computes_longer(tmp_path):
    def more(made):
        made.kernel("longer_gemm", 20 * MS)
        made.synchronize()

    evidence = first(ranks(tmp_path / "report.sqlite", more))["evidence"]
    assert "100 % busy, 100 % in longer_gemm" in evidence, evidence
