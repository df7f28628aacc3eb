"""Threads, children and coroutines with private thread-local data: they run as without prof, and what the
C library's threads do beside them is recorded."""
import json
import subprocess

import pytest

from profiling import Report, prof, program, without_samples

# How many of the 25 calls of a child, thread or coroutine are recorded. None: it depends on the moment.
CALLS = {
    "sandbox": 0, "null": 0, "exec": 0, "in_data": 0, "own_memory": 0, "own_memory_exit": 0, "own_memory_exec": 0,
    "beside": 0, "thread": 0, "thread_syscall": 0, "thread_clone3": 0, "thread_unseen": 0, "child_unseen": 0,
    "switch": 0, "switch_syscall": 0, "switch_unseen": 0, "bad_pointers": 0,
    "switch_copy": 25,   # a whole copy of the C library's data, in which prof finds its own
    "shared_waits": 25,  # a child in its parent's memory, as of vfork
    "shared_beside": 0, "thread_shared": 0, "thread_syscall_shared": 0,
    "thread_clone3_shared": -5,  # its end is not seen: the parent's thread is not recorded any more either
    "thread_unseen_shared": None,
}
PARENTS = 10


def run(tmp_path, *options):
    ways = list(CALLS)
    alone = subprocess.run([program("foreign_threads"), *ways], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           text=True, timeout=120, check=False)
    done = prof("profile", *without_samples(options), "-o", tmp_path / "r.db", "--", program("foreign_threads"), *ways)
    outcome = alone.stdout.splitlines()[0]
    assert set(json.loads(outcome).values()) == {42}
    assert done.stdout.splitlines()[0] == outcome, done.stderr
    assert done.returncode == alone.returncode == 0
    return Report(tmp_path / "r.db", done)


def test_all_calls(tmp_path):
    report = run(tmp_path, "-t", "osrt,nvtx", "--osrt-threshold", "0")
    pids = report.expected()
    calls = {way: report.calls(pid) for way, pid in pids.items()}
    ranges = {way: [row for row in report.nvtx() if row["pid"] == pid] for way, pid in pids.items()}
    for way, count in CALLS.items():
        if count is None:
            assert PARENTS <= calls[way]["access"] <= PARENTS + 25
        else:
            assert calls[way]["access"] == PARENTS + count, way
        # one range around each change of folder
        if way != "thread_unseen_shared":
            assert len(ranges[way]) == calls[way]["chdir"], way
    texts = report.diagnostics()
    assert any("private thread-local data" in text for text in texts)
    assert not any("amaged" in text for text in texts)
    # Children that exec are traced again. One that exits itself is known as a process.
    names = [row["name"] for row in report.query("SELECT name FROM PROCESSES")]
    assert len([name for name in names if name.endswith("sh")]) == 2
    assert len(names) == 1 + len(CALLS) + 2 + 1


@pytest.mark.parametrize("options", [
    ["-t", "osrt,nvtx"],
    ["-t", "osrt,nvtx", "--osrt-file-access=true", "--osrt-threshold", "0"],
    ["-t", "none", "-s", "process-tree", "--sampling-method=timer", "--sampling-frequency", "1000"],
], ids=["threshold", "files", "timers"])
def test_behaviour(tmp_path, options):
    report = run(tmp_path, *options)
    assert not any("amaged" in text for text in report.diagnostics())
