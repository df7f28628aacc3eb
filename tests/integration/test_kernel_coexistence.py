"""prof kernel beside the program's own use of the GPU's counters, with the fake CUPTI: the first user has them. And
beside a recording with --pc-sampling on the same GPU."""
import contextlib
import os
import subprocess

import pytest
from cuda_app import CUPTI, FAKES, needs_cuda
from fake_nvml import machine
from profiling import PROF, Report, prof

pytestmark = needs_cuda
APP = FAKES / "fake_kernel_app"
COPY = "_Z4copyPKfPf"


def record(verb, tmp_path, *words, status=0, options=()):
    done = prof(verb, "--cupti-path", CUPTI, "-f", "true", "-o", tmp_path / "r.db", *options, "--", APP, *words,
                env={**os.environ, "LD_LIBRARY_PATH": str(FAKES)})
    assert done.returncode == status, done.stdout + done.stderr
    return Report(tmp_path / "r.db", done)


def kernel(tmp_path, *words, status=0, options=()):
    return record("kernel", tmp_path, *words, status=status, options=("--set=quick", *options))


def alone(*words):
    return subprocess.run([APP, *words], stdout=subprocess.PIPE, text=True, check=False).stdout


def profiled(report):
    if "PROF_KERNEL_PROFILES" not in report.tables():
        return 0
    return report.value("SELECT COUNT(*) FROM PROF_KERNEL_PROFILES WHERE status = 'ok'")


def test_the_program_counts_first(tmp_path):
    words = ("own", f"{COPY}*3", "own_end", f"{COPY}*2")
    report = kernel(tmp_path, *words, status=1)
    assert alone(*words) in report.done.stdout and "own 0\n" in report.done.stdout
    assert profiled(report) == 0
    line, = (line for line in report.done.stderr.splitlines() if "uses the GPU's counters itself" in line)
    assert "does not count on the GPU any more" in line


def test_prof_counts_first(tmp_path):
    """The program gets the error that it gets beside another profiler, and goes on."""
    words = (f"{COPY}*3", "own", "own_end", f"{COPY}*2")
    report = kernel(tmp_path, *words)
    assert alone(*words).replace("own 0", "own 26") in report.done.stdout
    assert profiled(report) == 5
    line, = (line for line in report.done.stderr.splitlines() if "wants to use the GPU's counters" in line)
    assert "CUPTI_ERROR_HARDWARE_BUSY" in line and "prof kernel" in line


def test_launches_that_are_not_selected_leave_the_counters_to_the_program(tmp_path):
    words = (f"{COPY}*3", "own", f"{COPY}*3", "own_end")
    report = kernel(tmp_path, *words, options=("-k", "gemm"), status=1)
    assert alone(*words) in report.done.stdout


def test_nothing_changes_for_programs_that_prof_profile_records(tmp_path):
    words = (f"{COPY}*3", "own", f"{COPY}*3", "own_end")
    report = record("profile", tmp_path, *words, options=("-t", "cuda"))
    assert alone(*words) in report.done.stdout


SAMPLES, KERNELS = ("profile", "-t", "cuda", "--pc-sampling"), ("kernel", "--set=quick")


@contextlib.contextmanager
def recording(words, tmp_path, gpus):
    """A recording of a program that runs until it reads a line."""
    command = [PROF, *words, "-o", tmp_path / "first.db", "--", "sh", "-c", "echo started; read line"]
    with subprocess.Popen(command, env=machine("gpus=2", CUDA_VISIBLE_DEVICES=gpus), stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as first:
        assert first.stdout.readline() == "started\n"
        try:
            yield first
        finally:
            first.communicate("\n")


def beside(words, tmp_path, gpus):
    """A second recording."""
    return prof(*words, "-o", tmp_path / "second.db", "-f", "true", "--", "sh", "-c", "echo second",
                env=machine("gpus=2", CUDA_VISIBLE_DEVICES=gpus))


@pytest.mark.parametrize("first, second, name", [
    (SAMPLES, KERNELS, "a recording with --pc-sampling"), (KERNELS, SAMPLES, "prof kernel")])
def test_samples_and_counts_of_one_gpu_are_refused_before_the_program_starts(tmp_path, first, second, name):
    """The sampled program crashed once."""
    with recording(first, tmp_path, "0,1") as running:
        done = beside(second, tmp_path, "1")
        assert done.returncode == 1 and done.stdout == "", done.stdout
        line, = done.stderr.splitlines()
        assert line.startswith(f"prof: {name} (process {running.pid}) uses the counters of GPU 0000:")
        assert "second" in beside(first, tmp_path, "1").stdout  # of one kind
    assert "second" in beside(second, tmp_path, "1").stdout  # when it has ended


def test_samples_and_counts_of_two_gpus_go_together(tmp_path):
    with recording(SAMPLES, tmp_path, "0"):
        assert "second" in beside(KERNELS, tmp_path, "1").stdout
