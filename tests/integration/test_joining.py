"""How processes join a session: by announcing themselves, without waiting, or by asking."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from profiling import BUILD, PROF, Report, profile, program

EVERYTHING = ["--osrt-threshold", "0"]


def children(report):
    """Names of all processes except the shell and Python."""
    return sorted(os.path.basename(row["name"]) for row in report.query("SELECT name FROM PROCESSES")
                  if os.path.basename(row["name"])[:4] not in ("dash", "bash", "sh", "pyth"))


def test_programs_come_and_go_while_the_profiler_is_stopped(tmp_path):
    """Fifty programs and two forks have ended and were reaped before the profiler learns of them."""
    script = f"echo ready; read line; i=0; while [ $i -lt 50 ]; do {program('plain')} >/dev/null; i=$((i+1)); done; {program('fork_no_exec')}; echo done"
    process = subprocess.Popen([str(PROF), "profile", "-t", "osrt", *EVERYTHING, "-o", str(tmp_path / "r.db"), "--", "sh", "-c", script],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.3)  # the profiler makes room for any program
    process.send_signal(signal.SIGSTOP)
    process.stdin.write("\n")
    process.stdin.flush()
    pids = json.loads(process.stdout.readline())
    assert process.stdout.readline() == "done\n"
    process.send_signal(signal.SIGCONT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    report = Report(tmp_path / "r.db")
    assert not [text for text in report.diagnostics() if "dropped" in text or "amaged" in text]
    assert children(report) == ["fork_no_exec"] * 3 + ["plain"] * 50
    plains = [row["pid"] for row in report.query("SELECT pid FROM PROCESSES WHERE name LIKE '%/plain'")]
    assert [report.calls(pid)["read"] for pid in plains] == [10] * 50
    assert report.calls(pids["child"])["write"] == 11 and report.calls(pids["grandchild"])["write"] == 15


def test_fork_children_do_not_wait_for_call_chains(tmp_path):
    """The profiler is stopped while they live. They have their parent's code, so their call chains are known anyway."""
    script = "echo ready; read line; for i in 1 2 3; do (printf x >/dev/null); done; echo done"
    process = subprocess.Popen([str(PROF), "profile", "-t", "osrt", *EVERYTHING, "--osrt-backtrace-depth=24",
                                "--osrt-backtrace-threshold=0", "-o", str(tmp_path / "r.db"), "--", "bash", "-c", script],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.3)  # the profiler reads what bash has mapped
    process.send_signal(signal.SIGSTOP)
    process.stdin.write("\n")
    process.stdin.flush()
    assert process.stdout.readline() == "done\n"
    process.send_signal(signal.SIGCONT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    report = Report(tmp_path / "r.db")
    bash, *forks = [row["pid"] for row in report.query("SELECT pid FROM PROCESSES WHERE name LIKE '%bash' ORDER BY pid")]
    assert len(forks) == 3 and all(report.calls(pid)["dup2"] for pid in forks)
    frames = report.query("""SELECT (o.globalTid >> 24) & 0xffffff AS pid, count(*) AS frames FROM OSRT_API o
                             JOIN OSRT_CALLCHAINS c ON c.id = o.callchainId JOIN StringIds m ON m.id = c.module
                             JOIN StringIds n ON n.id = o.nameId WHERE n.value = 'dup2' AND m.value LIKE '%/bash' GROUP BY 1""")
    assert {row["pid"] for row in frames if row["frames"] > 3} >= set(forks)


def test_a_process_asks_if_the_pipe_is_full(tmp_path):
    process = subprocess.Popen([str(PROF), "profile", "-t", "osrt", *EVERYTHING, "-o", str(tmp_path / "r.db"), "--",
                                "sh", "-c", f"echo $PROF_SESSION; read line; {program('plain')} >/dev/null"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    session = Path(process.stdout.readline().strip())
    process.send_signal(signal.SIGSTOP)
    pipe = os.open(session / "arrivals", os.O_WRONLY | os.O_NONBLOCK)
    with pytest.raises(BlockingIOError):
        while True:
            os.write(pipe, b"x" * 512)
    os.close(pipe)
    process.stdin.write("\n")
    process.stdin.flush()
    time.sleep(0.3)  # the process is asking by now
    process.send_signal(signal.SIGCONT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 5, err
    report = Report(tmp_path / "r.db")
    assert children(report) == ["plain"] and report.calls()["read"] >= 10


def test_names_are_those_of_the_executables(tmp_path):
    """However they were started: by a relative path, a link, a script, a descriptor, or as a deleted file."""
    plain = program("plain")
    (tmp_path / "link").symlink_to(plain)
    (tmp_path / "gone").write_bytes(Path(plain).read_bytes())
    (tmp_path / "script").write_text(f"#!{tmp_path}/link -x\n")
    far = tmp_path.joinpath(*["x" * 200] * 3)
    far.mkdir(parents=True)
    (far / "link").symlink_to(plain)
    for name in ("gone", "script"):
        (tmp_path / name).chmod(0o755)
    (tmp_path / "starts.py").write_text(f"""
import os, subprocess
quietly = dict(stdout=subprocess.DEVNULL)
os.chdir({str(tmp_path)!r})
for words in (["./link"], [{str(far / 'link')!r}], [{str(tmp_path / 'link')!r}], ["./script"], [{str(tmp_path / 'script')!r}]):
    subprocess.run(words, **quietly)
file = os.open({plain!r}, os.O_RDONLY)
if os.fork() == 0:
    os.dup2(os.open("/dev/null", os.O_WRONLY), 1)
    os.execve(file, ["by descriptor"], os.environ)
os.wait()
subprocess.run([{str(tmp_path / 'gone')!r}], **quietly)
os.unlink("gone")
""")
    report = profile(tmp_path, sys.executable, tmp_path / "starts.py")
    assert [name.removesuffix(" (deleted)") for name in children(report)] == ["gone"] + ["plain"] * 6


@pytest.mark.parametrize("what", ["is gone", "is of another version", "names another file", "names nothing", "is short", "is a pipe"])
def test_without_a_standing_reply_that_holds_processes_ask(tmp_path, what):
    (tmp_path / "spoil.py").write_text(f"""
import os, sys
path = os.environ["PROF_SESSION"] + "/reply"
what = {what!r}
words = bytearray(open(path, "rb").read()) if os.path.exists(path) else bytearray(2248)
if os.path.exists(path):
    os.unlink(path)
if what == "is of another version":
    words[4] += 1
if what == "names another file":
    words[2200:2248] = b"/proc/self/exe".ljust(48, b"\\0")
if what == "names nothing":
    words[2200:2248] = b"x" * 48
if what == "is short":
    words = words[:2000]
if what == "is a pipe":
    os.mkfifo(path)
elif what != "is gone":
    open(path, "wb").write(words)
os.execv({program('plain')!r}, ["plain"])
""")
    report = profile(tmp_path, sys.executable, tmp_path / "spoil.py", options=EVERYTHING, status=5)
    assert children(report) == ["plain"] and report.calls()["read"] >= 10


@pytest.mark.skipif(os.geteuid() != 0, reason="needs another user to be")
def test_the_standing_reply_of_another_user_is_not_believed(tmp_path):
    process = subprocess.Popen([str(PROF), "profile", "-t", "osrt", *EVERYTHING, "-o", str(tmp_path / "r.db"), "--",
                                "sh", "-c", "echo $PROF_SESSION; read line"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    session = Path(process.stdout.readline().strip())
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        (copy / "reply").write_bytes((session / "reply").read_bytes())
        (copy / "arrivals").symlink_to(session / "arrivals")
        environment = {"LD_PRELOAD": str(BUILD / "bin" / "libprof_inject.so"), "PROF_SESSION": folder}
        subprocess.run(["/bin/cat", "/dev/null"], env=environment, check=True)  # a copy of our reply works too
        os.chown(copy / "reply", 65534, 65534)
        subprocess.run(["/bin/head", "/dev/null"], env=environment, check=True)
    _, err = process.communicate("\n", timeout=60)
    assert process.returncode == 0, err
    assert children(Report(tmp_path / "r.db")) == ["cat"]
