"""Who may connect to a session, and what a malicious program can do to prof: report false data about itself,
and nothing else."""
import os
import resource
import socket
import struct
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from profiling import BUILD, PROF, Report, program

NOBODY = {"user": 65534, "group": 65534, "extra_groups": []}
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs another user to be")


def profile(path, *command, limit=None, umask=None, **more):
    """Runs prof. Returns (status, stdout, stderr, peak memory in bytes)."""
    def prepare():
        if limit:
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
        if umask is not None:
            os.umask(umask)
    process = subprocess.Popen([str(PROF), "profile", "-t", "nvtx,osrt", "--osrt-threshold=0", "-o", str(path), "--", *command],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               preexec_fn=prepare, **more)
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def mode_of(path):
    return stat.S_IMODE(os.stat(path).st_mode)


SHOW = "stat -c %a $PROF_SESSION $PROF_SESSION/control $PROF_SESSION/events; echo $PROF_SESSION; (/bin/echo child)"


@pytest.mark.parametrize("umask", [0, 0o777])
@pytest.mark.parametrize("user", [{}, pytest.param(NOBODY, marks=needs_root)], ids=["ourselves", "nobody"])
def test_only_we_may_enter_whatever_the_umask(umask, user):
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        status, out, err = profile(Path(folder) / "r.db", "sh", "-c", SHOW, umask=umask, cwd="/", **user)
        if user and "not found" in err + out:
            pytest.skip("others cannot run this build")
        assert status == 0, err
        lines = out.split()
        assert lines[:3] == ["700", "600", "600"] and lines[4] == "child"
        assert not os.path.exists(lines[3])
        assert mode_of(Path(folder) / "r.db") == 0o600
        names = {row["name"] for row in Report(Path(folder) / "r.db").query("SELECT name FROM PROCESSES")}
        assert "/usr/bin/echo" in names


AS_NOBODY = """
import os, socket, sys
os.setgroups([]); os.setgid(65534); os.setuid(65534)
def refused(what, *arguments):
    try:
        what(*arguments)
    except PermissionError:
        return True
print(refused(os.listdir, sys.argv[1]), refused(os.open, sys.argv[1] + "/events", os.O_RDWR),
      refused(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET).connect, sys.argv[1] + "/control"))
"""


@needs_root
def test_another_user_cannot_reach_the_session(tmp_path):
    status, out, _ = profile(tmp_path / "r.db", sys.executable, "-c", f"import sys, os; sys.argv = ['', os.environ['PROF_SESSION']]\n{AS_NOBODY}")
    assert (status, out) == (0, "True True True\n")


def test_leftovers_are_removed_and_links_not_followed(tmp_path):
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("x")
    base = tmp_path / "tmp"
    base.mkdir()
    (base / "prof-999999999-aaaaaa").symlink_to(precious)
    (base / "prof-999999998-bbbbbb").mkdir()
    (base / "prof-999999998-bbbbbb" / "link").symlink_to(precious)
    (base / "prof-999999998-bbbbbb" / ".prof-lock").touch()
    environment = {**os.environ, "TMPDIR": str(base)}
    environment.pop("XDG_RUNTIME_DIR", None)
    status, out, err = profile(tmp_path / "r.db", "sh", "-c", "echo $PROF_SESSION", env=environment)
    assert status == 0, err
    assert out.startswith(f"{base}/prof-")
    assert os.listdir(base) == ["prof-999999999-aaaaaa"] and os.listdir(precious) == ["file"]


@needs_root
def test_a_folder_of_another_user_is_the_last_choice(tmp_path):
    base = tmp_path / "tmp"
    base.mkdir()
    os.chown(base, 65534, 65534)
    status, out, _ = profile(tmp_path / "r.db", "sh", "-c", "echo $PROF_SESSION",
                             env={**os.environ, "TMPDIR": str(base), "XDG_RUNTIME_DIR": str(base)})
    assert status == 0 and out.startswith("/tmp/prof-")


# --- a session of another user

SERVER = """
import os, socket, sys
os.setgroups([]); os.setgid(65534); os.setuid(65534)
server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
server.bind(sys.argv[1] + "/control")
os.chmod(sys.argv[1] + "/control", 0o777)
server.listen()
print("ready", flush=True)
print(len(server.accept()[0].recv(1000)), flush=True)
"""


@needs_root
def test_a_program_does_not_join_the_session_of_another_user():
    with tempfile.TemporaryDirectory() as folder:
        os.chown(folder, 65534, 65534)
        os.chmod(folder, 0o777)
        server = subprocess.Popen(["/usr/bin/python3", "-c", SERVER, folder], stdout=subprocess.PIPE, text=True)
        assert server.stdout.readline() == "ready\n"
        done = subprocess.run(["/bin/echo", "fine"], stdout=subprocess.PIPE, text=True, check=True, env={
            "LD_PRELOAD": str(BUILD / "bin" / "libprof_inject.so"), "PROF_SESSION": folder})
        assert done.stdout == "fine\n"
        assert server.communicate(timeout=20)[0] == "0\n"  # it disconnected without sending anything


def test_memory_that_can_be_taken_away_is_not_used(tmp_path):
    """The server runs as the same user but breaks the rules: its arena is not sealed."""
    server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    server.bind(str(tmp_path / "control"))
    server.listen()
    target = subprocess.Popen(["sh", "-c", "echo fine; exit 6"], stdout=subprocess.PIPE, text=True, env={
        "LD_PRELOAD": str(BUILD / "bin" / "libprof_inject.so"), "PROF_SESSION": str(tmp_path)})
    peer, _ = server.accept()
    hello = peer.recv(1000)
    reply = bytearray(2184)
    reply[0:6] = hello[0:6]  # magic and version
    reply[20:36] = struct.pack("<4I", 16, 0, 16384, 4096)  # serial, slot, small and large chunks
    memory = os.memfd_create("prof-arena", os.MFD_ALLOW_SEALING)
    socket.send_fds(peer, [bytes(reply)], [memory])
    peer.close()
    server.close()
    assert target.communicate(timeout=20)[0] == "fine\n" and target.returncode == 6


# --- peers that misbehave

PEERS = """
import os, socket, subprocess
path = os.environ["PROF_SESSION"] + "/control"
def peer(words=b""):
    one = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    one.settimeout(20)
    one.connect(path)
    if words:
        one.send(words)
    return one
assert peer(b"garbage" * 10).recv(10) == b""
assert peer(b"prof").recv(10) == b""
silent = [peer() for _ in range(1000)]
subprocess.run(["/bin/echo", "child"], check=True)
assert silent[0].recv(10) == b"" and silent[-1].recv(10) == b""
print("hung up")
"""


def test_peers_that_keep_silent_are_dropped(tmp_path):
    status, out, err = profile(tmp_path / "r.db", sys.executable, "-c", PEERS)
    assert (status, out) == (0, "child\nhung up\n"), err
    report = Report(tmp_path / "r.db")
    assert "/usr/bin/echo" in {row["name"] for row in report.query("SELECT name FROM PROCESSES")}
    assert any("2 connections to the session were not from a program under prof" in text for text in report.diagnostics())


CROWD = """
import os, socket, time
peers = [socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in range(40)]
for peer in peers:
    peer.connect(os.environ["PROF_SESSION"] + "/control")
time.sleep(3)
"""


def test_idle_peers_do_not_use_up_our_descriptors(tmp_path):
    """Four times 40 peers, while prof may have 64 descriptors."""
    crowd = tmp_path / "crowd.py"
    crowd.write_text(CROWD)
    status, out, err = profile(tmp_path / "r.db", "sh", "-c",
                               f"for i in 1 2 3 4; do {sys.executable} {crowd} & done; sleep 1; /bin/echo child; wait", limit=64)
    assert (status, out) == (0, "child\n"), err
    names = {row["name"] for row in Report(tmp_path / "r.db").query("SELECT name FROM PROCESSES")}
    assert "/usr/bin/echo" in names


@pytest.mark.parametrize("how", ["header", "counters", "chunks", "hellos", "arrivals", "silence", "pipe"])
def test_hostile_targets(tmp_path, how):
    sessions = tmp_path / "sessions"
    sessions.mkdir()
    environment = {**os.environ, "TMPDIR": str(sessions)}
    environment.pop("XDG_RUNTIME_DIR", None)
    status, out, err = profile(tmp_path / "r.db", program("hostile_target"), how, "10", env=environment)
    assert (status, out) == (0, "done\n"), err
    assert "internal error" not in err and err.count("\n") < 6, err
    report = Report(tmp_path / "r.db")
    assert report.value("PRAGMA integrity_check") == "ok"
    assert sorted(os.listdir(tmp_path)) == ["r.db", "sessions"] and not os.listdir(sessions)
    said = "\n".join(report.diagnostics())
    if how == "header":
        assert "overwrote the header" in said
    if how == "counters":
        assert "18446744073709551615 events" in said


def test_a_hostile_target_does_not_harm_its_neighbours(tmp_path):
    """Other programs of the session keep their output and status. False data in the header misleads none of
    them."""
    flood = program("nvtx_flood")
    status, out, err = profile(tmp_path / "r.db", "sh", "-c",
                               f"{program('hostile_target')} header 10 & for i in 1 2 3 4 5; do {flood} 20000 || exit 9; done; wait; exit 4")
    assert status == 4, err
    assert sorted(out.split()) == ["done"] * 6


def test_memory_stays_bounded(tmp_path):
    """Whatever a target does to the arena, the collector keeps at most the size of the arena."""
    for how in ("chunks", "hellos", "arrivals", "silence"):
        process = subprocess.Popen([str(PROF), "profile", "-t", "osrt", "-f", "true", "-o", str(tmp_path / "r.db"), "--",
                                    program("hostile_target"), how, "10"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        private = 0
        while process.poll() is None:
            try:
                smaps = Path(f"/proc/{process.pid}/status").read_text()
                private = max([private, *(int(line.split()[1]) for line in smaps.splitlines() if line.startswith("RssAnon"))])
            except (FileNotFoundError, ProcessLookupError):
                break
            time.sleep(0.02)
        assert process.wait(60) == 0
        assert private < 400_000, how  # KiB, including the report
