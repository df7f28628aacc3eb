"""System calls that the kernel or a sandbox refuses to prof: it records, or ends at once and says why."""
import errno
import subprocess

import pytest
from difficult_runs import works
from profiling import PROF, Report, prof, program

CALLS = ["clone3", "epoll_create1", "epoll_ctl", "epoll_pwait", "epoll_wait", "eventfd2", "fallocate", "flock", "memfd_create", "mkdirat",
         "mknodat", "pidfd_open", "pipe2", "prlimit64", "signalfd4", "socket", "timerfd_create"]
needs_seccomp = pytest.mark.skipif(not works(program("denied_call"), "pipe2", "1", "true"), reason="no seccomp here")


def denied(call, error, *command, **options):
    return subprocess.run([program("denied_call"), call, str(error), *map(str, command)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False, timeout=60, **options)


@needs_seccomp
@pytest.mark.parametrize("error", [errno.EPERM, errno.ENOSYS, errno.EMFILE])
@pytest.mark.parametrize("call", CALLS)
def test_profile(tmp_path, call, error):
    path = tmp_path / "r.db"
    alone = denied(call, error, "sh", "-c", "/bin/echo a; /bin/echo b")
    done = denied(call, error, PROF, "profile", "-t", "osrt", "-o", path, "--", "sh", "-c", "/bin/echo a; /bin/echo b")
    if done.returncode == 0:
        assert done.stdout == alone.stdout and Report(path).value("PRAGMA integrity_check") == "ok"
    else:
        assert done.returncode == 1 and done.stderr.startswith("prof: "), done
        assert "internal error" not in done.stderr and not path.exists() and not list(tmp_path.glob("*.spool"))


@needs_seccomp
@pytest.mark.parametrize("call", ["epoll_create1", "epoll_ctl", "signalfd4", "pipe2", "pidfd_open", "memfd_create"])
def test_launch(tmp_path, call):
    environment = {"PATH": "/usr/bin:/bin", "TMPDIR": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)}
    done = denied(call, errno.EPERM, PROF, "launch", "--session-new=denied", "true", env=environment)
    assert done.returncode == 0 or (done.returncode == 1 and done.stderr.startswith("prof: ")), done
    assert "internal error" not in done.stderr
    subprocess.run([str(PROF), "shutdown", "--session=denied"], env=environment, stderr=subprocess.DEVNULL, check=False,
                   timeout=60)


@needs_seccomp
@pytest.mark.parametrize("words", [["view", "--no-browser"], ["profile", "--metrics-endpoint=9755", "-o", "out.db", "true"]])
def test_servers(tmp_path, words):
    prof("profile", "-t", "osrt", "-s", "none", "-o", tmp_path / "r.db", "true")
    done = denied("epoll_create1", errno.EPERM, PROF, *words, *(["r.db"] if words[0] == "view" else []), cwd=tmp_path)
    assert done.returncode == 1 and done.stderr.startswith("prof: ") and "internal error" not in done.stderr


@needs_seccomp
def test_no_threads(tmp_path):
    prof("profile", "-t", "osrt", "-s", "none", "-o", tmp_path / "r.db", "true")
    for words in (["view", "--no-browser", "r.db"], ["view", "--html=page.html", "r.db"]):
        done = denied("clone3", errno.EPERM, PROF, *words, cwd=tmp_path)
        assert done.returncode == 1 and done.stderr.startswith("prof: ") and "internal error" not in done.stderr
    assert denied("clone3", errno.EPERM, PROF, "stats", "r.db", cwd=tmp_path).returncode == 0


def test_no_proc(tmp_path):
    if not works("unshare", "-m", "umount", "-l", "/proc"):
        pytest.skip("needs root")
    done = subprocess.run(["unshare", "-m", "sh", "-c", "umount -l /proc; exec \"$0\" profile -o \"$1\" echo ran", str(PROF),
                           str(tmp_path / "r.db")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                          timeout=60)
    assert (done.returncode, done.stdout) == (0, "ran\n"), done.stderr
    assert Report(tmp_path / "r.db").calls()


@pytest.mark.parametrize("verb", ["attach", "stack"])
def test_processes_without_proc(verb):
    if not works("unshare", "-m", "umount", "-l", "/proc"):
        pytest.skip("needs root")
    done = subprocess.run(["unshare", "-m", "sh", "-c", "umount -l /proc; exec \"$@\"", "-", str(PROF), verb, "1"],
                          stderr=subprocess.PIPE, text=True, check=False, timeout=60)
    assert done.returncode == 1 and "/proc, which is not mounted" in done.stderr


def test_little_address_space(tmp_path):
    """prof maps all of the event buffer, so that has to be smaller."""
    done = subprocess.run(["sh", "-c", "ulimit -v 204800; exec \"$0\" profile --osrt-threshold=0 -o \"$1\" \"$2\"", str(PROF),
                           str(tmp_path / "r.db"), program("plain")], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False, timeout=60)
    assert done.returncode == 5, done.stderr
    assert Report(tmp_path / "r.db").calls()["read"] == 10


def test_a_buffer_that_does_not_fit(tmp_path):
    done = subprocess.run(["sh", "-c", "ulimit -v 204800; exec \"$0\" profile --buffer-size=1G -o \"$1\" true", str(PROF),
                           str(tmp_path / "r.db")], stderr=subprocess.PIPE, text=True, check=False, timeout=60)
    assert done.returncode == 1 and "ulimit -v" in done.stderr and "--buffer-size" in done.stderr
