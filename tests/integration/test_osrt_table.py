"""Every traced function by name. The report has the calls that a program made of all of them, and wrappers do
not change behaviour."""
import json
import shutil
import subprocess
import sys
from collections import Counter

import pytest
from profiling import SOURCE, profile, program

sys.path.insert(0, str(SOURCE / "tests" / "lint"))
from osrt_table import functions, symbols  # noqa: E402

EVERYTHING = ["--osrt-threshold", "0"]

# System calls that libc makes in the program's main thread only for these functions.
SYSTEM_CALLS = {
    "accept": ["accept"], "accept4": ["accept4"], "bind": ["bind"], "listen": ["listen"],
    "shutdown": ["shutdown"], "socketpair": ["socketpair"], "sendmmsg": ["sendmmsg"],
    "recvmsg": ["recvmsg"], "recvmmsg": ["recvmmsg"], "sendmsg": ["sendmsg"],
    "fsync": ["fsync"], "fdatasync": ["fdatasync"], "sync": ["sync"], "syncfs": ["syncfs"],
    "sync_file_range": ["sync_file_range"], "ftruncate": ["ftruncate", "ftruncate64"],
    "truncate": ["truncate", "truncate64"],
    "fallocate": ["fallocate", "fallocate64", "posix_fallocate", "posix_fallocate64"],
    "fadvise64": ["posix_fadvise", "posix_fadvise64"], "readahead": ["readahead"],
    "flock": ["flock"], "sendfile": ["sendfile", "sendfile64"], "splice": ["splice"],
    "copy_file_range": ["copy_file_range"], "tee": ["tee"], "vmsplice": ["vmsplice"],
    "readv": ["readv"], "writev": ["writev"], "preadv": ["preadv", "preadv64"],
    "pwritev": ["pwritev", "pwritev64"], "pwrite64": ["pwrite", "pwrite64"],
    "dup2": ["dup2"], "rename": ["rename"], "renameat": ["renameat", "renameat2"], "linkat": ["linkat"],
    "symlink": ["symlink"], "symlinkat": ["symlinkat"], "mkdirat": ["mkdirat"],
    "rmdir": ["rmdir"], "fchmod": ["fchmod"], "chown": ["chown"],
    "fchown": ["fchown"], "lchown": ["lchown"], "fchownat": ["fchownat"], "fchdir": ["fchdir"],
    "setxattr": ["setxattr"], "fgetxattr": ["fgetxattr"], "removexattr": ["removexattr"],
    "mount": ["mount"], "umount2": ["umount", "umount2"], "swapon": ["swapon"], "acct": ["acct"],
    "chroot": ["chroot"], "pause": ["pause"], "rt_sigsuspend": ["sigsuspend"],
    "rt_sigtimedwait": ["sigwait", "sigwaitinfo", "sigtimedwait"], "kill": ["kill", "killpg"],
    "epoll_create1": ["epoll_create1"], "epoll_ctl": ["epoll_ctl"], "epoll_wait": ["epoll_wait"],
    "epoll_pwait2": ["epoll_pwait2"], "eventfd2": ["eventfd"], "inotify_init1": ["inotify_init1"],
    "inotify_add_watch": ["inotify_add_watch"], "timerfd_create": ["timerfd_create"],
    "signalfd4": ["signalfd"], "waitid": ["waitid"], "msync": ["msync"], "mremap": ["mremap"],
    "madvise": ["madvise", "posix_madvise"], "mlock": ["mlock", "mlock2"],
    "munlock": ["munlock"], "mlockall": ["mlockall"], "msgget": ["msgget"], "msgsnd": ["msgsnd"],
    "msgrcv": ["msgrcv"], "semget": ["semget"], "shmget": ["shmget"], "shmat": ["shmat"],
    "mq_notify": ["mq_notify"], "mq_timedreceive": ["mq_receive", "mq_timedreceive"],
    "process_vm_readv": ["process_vm_readv"], "unshare": ["unshare"], "setns": ["setns"],
}


def test_every_function_is_recorded_as_often_as_it_was_called(tmp_path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    report = profile(tmp_path, program("osrt_every"), scratch, options=EVERYTHING)
    expected = report.expected()
    assert report.calls(tid=expected["tid"]) == expected["counts"]
    names = {name for entries in functions()[0].values() for name, _ in entries}
    assert set(expected["counts"]) == names  # otherwise the program lacks a function
    assert symbols() <= set(expected["symbols"])


def test_output_is_the_same_without_prof(tmp_path):
    """Above all formatted text, because prof passes its arguments on."""
    outputs = []
    for name in ("alone", "traced"):
        (tmp_path / name).mkdir()
    alone = subprocess.run([program("osrt_every"), tmp_path / "alone"], stdout=subprocess.PIPE, text=True,
                           check=True, timeout=60).stdout
    outputs.append(alone)
    outputs.append(profile(tmp_path, program("osrt_every"), tmp_path / "traced").done.stdout)
    plain, traced = (output.strip().splitlines()[:-1] for output in outputs)
    assert traced == plain and len([line for line in plain if line.startswith("-1 two 3.0 4.0")]) == 8
    for file in ("text", "wide", "buffered"):
        assert (tmp_path / "traced" / file).read_bytes() == (tmp_path / "alone" / file).read_bytes()


def test_counts_agree_with_strace(tmp_path):
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    log = tmp_path / "log"
    done = subprocess.run(["strace", "-f", "-o", log, program("osrt_every"), tmp_path],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, timeout=120)
    if "ptrace" in done.stderr and not log.stat().st_size:
        pytest.skip("strace may not trace here")
    answer = json.loads(done.stdout.strip().splitlines()[-1])
    of_main = (line.split(None, 1)[1] for line in log.read_text(errors="replace").splitlines()
               if line.split(None, 1)[0] == str(answer["tid"]))
    calls = Counter(text.split("(")[0] for text in of_main if text[0].isalpha())
    expected = {call: sum(answer["counts"][name] for name in names)
                for call, names in SYSTEM_CALLS.items()}
    assert {call: calls[call] for call in SYSTEM_CALLS} == expected


@pytest.mark.parametrize("options", [EVERYTHING, ["--osrt-threshold=1000000000"]])
@pytest.mark.parametrize("name", ["osrt_semantics", "lock_semantics"])
def test_cancellation_errno_interruption_and_locks_are_as_without_us(tmp_path, name, options):
    plain = subprocess.run([program(name)], stdout=subprocess.PIPE, text=True, check=True, timeout=60).stdout
    report = profile(tmp_path, program(name), options=options)
    assert report.done.stdout == plain
    if name == "lock_semantics":
        assert "robust, owner died: EOWNERDEAD" in plain and "recursive: 0" in plain
    else:
        assert "cleaned up" in plain and "no, cleaned up" not in plain
