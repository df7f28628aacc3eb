"""Stressors of stress-ng with --verify: processes, threads, signals, scheduling, pipes, locks, files.

Stressors that need much memory or disk, harm the machine, or fail without prof are left out."""
import re

from suite import Part

STRESSORS = """
access affinity alarm aio chattr chdir chmod chown chroot clock clone close context copy-file daemon dentry dir
dirdeep dirmany dnotify dup dynlib enosys env epoll eventfd exec exit-group fallocate fanotify fault fcntl fiemap fifo
file-ioctl filename flock fork fp-error fpunch fsize fstat full futex get getdent getrandom goto handle hrtimers
inode-flags inotify io io-uring itimer key kill landlock lease link locka lockf lockofd longjmp madvise
mcontend membarrier mincore mknod mlock mmap mmapaddr mmapfixed mprotect mq msg msync msyncmany munmap mutex nanosleep
netlink-proc nice nop null open peterson pidfd ping-sock pipe pkey poll prctl prefetch pthread ptrace pty readahead
remap rename resched resources revio rlimit rmap rseq schedpolicy seal seccomp seek sem sem-sysv sendfile
session set shm shm-sysv sigabrt sigchld sigfd sigfpe sigio signal signest sigpending sigpipe sigq sigrt
sigsegv sigsuspend sigtrap skiplist sleep sock sockabuse sockdiag sockfd sockmany sockpair spawn splice stackmmap
switch symlink sync-file sysbadaddr sysinfo tee timer timerfd touch udp unshare urandom userfaultfd
usersyscall utime vdso vfork vm-rw vm-splice wait waitcpu xattr yield zero zombie
""".split()
EXPLAINED = {}


def outcomes(log, _):
    """The verdict, whether each stressor did anything, and complaints. Numbers are removed, because they count
    operations and name processes."""
    result = {"verdict": "; ".join(re.findall(r"(successful|unsuccessful) run completed", log))}
    for stressor, operations in re.findall(r"metrc: \[\d+\] (\S+)\s+(\d+) +[\d.]+ +[\d.]+", log):
        result[f"{stressor} did something"] = str(int(operations) > 0)
    for level, message in re.findall(r"stress-ng: (fail|error|warn|info):\s+\[\d+\]\s*(.*)", log):
        if level != "info" or "skip" in message:
            result[f"{level}: {re.sub(r'0x[0-9a-f]+|[0-9]+', 'N', message)}"] = "said"
    return result


def parts(_):
    return [Part(name, ["stress-ng", f"--{name}", "1", "--timeout", "1", "--verify", "--metrics-brief",
                        "--temp-path", "{scratch}/tmp", "--oomable"], outcomes, 60)
            for name in STRESSORS]
