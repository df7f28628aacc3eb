"""Names of functions that a running program has compiled, of programs that were started without thinking of prof."""
import contextlib
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from profiling import Report, prof, source_of

pytestmark = pytest.mark.skipif(shutil.which("jcmd") is None, reason="no JDK here")


@contextlib.contextmanager
def java(*options):
    """A Java machine that computes. In the end it has to go on as if nobody had looked."""
    process = subprocess.Popen(["java", *options, source_of("JavaWork.java")], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "ready\n"
        yield process
        assert process.communicate("\n", timeout=60)[0] == "done\n" and process.returncode == 0
    finally:
        process.kill()
        process.wait()
    assert not Path(f"/tmp/perf-{process.pid}.map").exists()


def stack(process, *options):
    done = prof("stack", *options, process.pid)
    assert done.returncode == 0, done.stderr
    return done


def threads(process):
    return {Path(f"/proc/{process.pid}/task/{each}/comm").read_text().strip()
            for each in os.listdir(f"/proc/{process.pid}/task")}


def test_stack_names_methods_of_java():
    with java() as process:
        end = time.monotonic() + 60
        while "JavaWork.sumUp(int)" not in (done := stack(process)).stdout:
            assert time.monotonic() < end, done.stdout[:2000] + done.stderr
        assert not done.stderr


def test_attach_names_methods_of_java(tmp_path):
    with java() as process:
        done = prof("attach", process.pid, "-d", 2, "-s", "process-tree", "-t", "none", "-o", "r.db", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        named = {row["Function"]: row["Total (%)"] for row in Report(tmp_path / "r.db").statistics("cpu_sample_sum")}
        assert sum(share for name, share in named.items() if "JavaWork.sumUp" in name) > 30, named


def test_a_java_that_must_not_be_asked():
    with java() as process:
        assert "sumUp" not in stack(process, "--no-jcmd").stdout
        assert "Attach Listener" not in threads(process)
    with java("-Xrs") as process:  # SIGQUIT would end it
        assert stack(process).stderr == (f"prof: methods of Java of process {process.pid} have no names: it does not "
                                         "answer jcmd (-Xrs or -XX:+DisableAttachMechanism)\n")


@pytest.mark.skipif(shutil.which("node") is None, reason="no Node.js here")
def test_node_says_what_to_type():
    script = "console.log('ready'); setTimeout(() => {}, 60000)"
    with subprocess.Popen(["node", "-e", script], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            assert (f"prof: functions in JavaScript of process {process.pid} have no names: start it with node "
                    "--perf-basic-prof\n") == stack(process).stderr
        finally:
            process.kill()
