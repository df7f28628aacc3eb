"""prof monitor: what GPUs and the machine do now."""
import csv
import fcntl
import io
import json
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time

import pytest
from fake_nvml import NONE, machine
from profiling import PROF, prof


def monitor(*options, environment=None):
    return prof("monitor", "-i", "0.1", *options, env=environment or machine(library=NONE))


def test_csv_has_a_line_for_each_value():
    done = monitor("-n", "3", "--format", "csv", environment=machine("gpus=2,process=1,links=1"))
    assert done.returncode == 0 and not done.stderr
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    power = [(row["device"], row["value"], row["unit"]) for row in rows if row["counter"] == "Power"]
    assert power == [("GPU 0", "100", "W"), ("GPU 1", "150", "W")] * 3
    assert len({row["time"] for row in rows}) == 3
    rates = [float(row["value"]) for row in rows if (row["device"], row["counter"]) == ("GPU 1 meters", "PCIe TX")]
    assert len(rates) == 3 and rates == pytest.approx([2e7] * 3, rel=0.2)
    assert {"CPU", "Memory"} <= {row["domain"] for row in rows}
    assert any(row["device"].startswith("GPU 0 process 1 ") and row["value"] == str(3 << 30) for row in rows)


def test_json_has_a_line_for_each_sample():
    done = monitor("-n", "2", "--format=json", environment=machine("process=1"))
    samples = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(samples) == 2 and samples[0]["time"] < samples[1]["time"]
    gpu, = [each for each in samples[0]["devices"] if each["device"] == "GPU 0"]
    assert gpu["counters"]["Power"] == {"value": 100, "unit": "W"}
    assert samples[0]["processes"][0]["pid"] == 1 and samples[0]["processes"][0]["memory_bytes"] == 3 << 30


def test_duration_ends_it():
    start = time.monotonic()
    assert monitor("-d", "0.3", "--format", "csv").returncode == 0
    assert time.monotonic() - start >= 0.3


def test_without_a_gpu_the_machine_is_shown():
    done = monitor("-n", "1")
    assert done.returncode == 0 and "No GPUs: libnvidia-ml.so.1 is not found" in done.stdout
    assert "CPU " in done.stdout and "Memory " in done.stdout and "\x1b" not in done.stdout
    done = monitor("-n", "1", "--format", "csv")
    assert done.stderr.startswith("prof: No GPUs: ") and done.stderr.count("\n") == 1 and "CPU,all,User" in done.stdout


def test_a_gpu_that_is_lost_is_said_so():
    done = monitor("-n", "6", environment=machine("gpus=2,lost=1@300"))
    last = done.stdout.split("\n\n2")[-1]
    assert "NVML no longer reads GPU 1: GPU is lost." in last and "Fake GPU         lost" in last


@pytest.mark.parametrize("options, message", [
    (("-i", "0.01"), "0.01"), (("-n", "0"), "0"), (("--format", "xml"), "xml"), (("-g", "one"), "not 'one'"),
    (("--sort", "age"), "age")])
def test_bad_options_are_refused(options, message):
    done = prof("monitor", *options)
    assert done.returncode == 2 and message in done.stderr and done.stderr.count("\n") == 1


class Live:
    """prof monitor, or another verb with a screen, on a terminal."""

    def __init__(self, *options, environment=None, verb="monitor"):
        self.own, self.theirs = pty.openpty()
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 110, 0, 0))
        self.before = termios.tcgetattr(self.theirs)
        self.process = subprocess.Popen(
            [str(PROF), verb, "-i", "0.1", *map(str, options)], stdin=self.theirs, stdout=self.theirs, stderr=self.theirs,
            env={**(environment or machine("gpus=2,process=1")), "TERM": "xterm", "LC_ALL": "C.UTF-8"},
            preexec_fn=lambda: fcntl.ioctl(self.theirs, termios.TIOCSCTTY, 0), start_new_session=True)
        self.output = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.own)
        os.close(self.theirs)

    def read(self, seconds=0.05):
        while select.select([self.own], [], [], seconds)[0]:
            self.output += os.read(self.own, 1 << 16)

    def wait_for(self, text, since=0):
        end = time.monotonic() + 60
        while text.encode() not in self.output[since:]:
            assert time.monotonic() < end and self.process.poll() is None, self.output[-2000:]
            self.read()
        return len(self.output)

    def type(self, keys):
        os.write(self.own, keys.encode())

    def finish(self):
        end = time.monotonic() + 60
        while self.process.poll() is None:
            assert time.monotonic() < end
            self.read()
        self.read()
        return self.process.returncode

    def is_restored(self):
        return (termios.tcgetattr(self.theirs) == self.before
                and self.output.rstrip().endswith(b"\x1b[?25h\x1b[?1049l"))


def test_keys():
    with Live() as live:
        live.wait_for("Fake GPU")
        live.type("p")
        at = live.wait_for("PAUSED")
        live.type("p")
        live.wait_for("q: quit", at)
        live.type("s")
        live.type("q")
        assert live.finish() == 0 and live.is_restored()


@pytest.mark.parametrize("number, status", [(signal.SIGINT, 0), (signal.SIGTERM, 128 + 15), (signal.SIGHUP, 128 + 1),
                                            (signal.SIGQUIT, 128 + 3)])
def test_signals_restore_the_terminal(number, status):
    with Live() as live:
        live.wait_for("Fake GPU")
        live.process.send_signal(number)
        assert live.finish() == status and live.is_restored()


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT])
def test_a_crash_restores_the_terminal(number):
    with Live() as live:
        live.wait_for("Fake GPU")
        live.process.send_signal(number)
        assert live.finish() == -number and live.is_restored()


def test_stop_and_continue():
    with Live() as live:
        live.wait_for("Fake GPU")
        live.type("\x1a")
        at = live.wait_for("\x1b[?1049l")
        live.process.send_signal(signal.SIGCONT)
        live.wait_for("\x1b[?1049h", at)
        live.type("q")
        assert live.finish() == 0 and live.is_restored()


def test_count_ends_the_screen():
    with Live("-n", "2") as live:
        assert live.finish() == 0 and live.is_restored()
        assert "▁".encode() in live.output or "▆".encode() in live.output
