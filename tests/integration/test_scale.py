"""Wide process trees and crowds of threads: nothing is dropped, nothing is left over."""
import os
import subprocess
from pathlib import Path

import pytest
from profiling import prof, profile, program

EVERYTHING = ["--osrt-threshold=0"]


@pytest.mark.parametrize("processes, threads, writes", [
    (1000, 10, 3),
    (1, 10_000, 3),
    (1, 1000, 300),  # each fills several chunks
], ids=["processes", "threads", "events"])
def test_a_crowd_that_starts_at_once(tmp_path, processes, threads, writes):
    report = profile(tmp_path, program("crowd"), processes, threads, writes, options=EVERYTHING)
    expected = report.expected()
    assert report.calls()["write"] == expected["write"]
    assert len(report.pids()) == expected["processes"]
    # Each thread of a child reads once. The parent, which forks the children, reads as often as necessary.
    reads = report.value("""
        SELECT count(*) FROM OSRT_API o JOIN StringIds s ON s.id = o.nameId WHERE s.value = 'read'
        AND o.globalTid >> 24 NOT IN (SELECT p.globalTid >> 24 FROM OSRT_API p
            JOIN StringIds t ON t.id = p.nameId WHERE t.value = 'fork')""")
    assert reads == expected["read_by_children"]
    assert report.value("SELECT count(DISTINCT globalTid) FROM ThreadNames") == expected["threads"]


def test_threads_of_a_fork_child_do_not_overtake_its_introduction(tmp_path):
    """With the default threshold the first recorded event of the child comes from its threads."""
    for _ in range(5):
        report = profile(tmp_path, program("crowd"), 20, 5, 1)
        assert len(report.pids()) == 21


def test_memory_is_bounded_and_what_is_lost_is_counted(tmp_path):
    """The buffer is far too small for the number of threads."""
    path = tmp_path / "r.db"
    done = prof("profile", "-t", "osrt", "--osrt-threshold=0", "--buffer-size=1M", "-o", path,
                program("crowd"), 4, 250, 300)
    assert done.returncode == 0
    assert "events were dropped" in done.stderr
    recorded, lost = subprocess.run(
        ["sqlite3", path, "SELECT count(*) FROM OSRT_API; "
         "SELECT sum(CAST(text AS INTEGER)) FROM DIAGNOSTIC_EVENT WHERE text LIKE '%buffer was full%'"],
        stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    # Names and introductions of threads are dropped too, so this is a lower bound.
    assert int(recorded) + int(lost) >= 4 * 250 * 301


@pytest.mark.parametrize("size", ["0", "512K", "2G", "many"])
def test_a_buffer_size_that_cannot_be(tmp_path, size):
    done = prof("profile", f"--buffer-size={size}", "-o", tmp_path / "r.db", "true")
    assert done.returncode == 2 and "--buffer-size" in done.stderr


def test_a_long_session_keeps_no_descriptors(tmp_path):
    """The program inspects prof, its parent, before and after it starts three hundred children."""
    script = ('n() { sleep 0.2; ls /proc/$PPID/fd | wc -l; }; before=$(n); '
              'i=0; while [ $i -lt 300 ]; do /bin/true; i=$((i+1)); done; '
              'echo "{\\"before\\": $before, \\"after\\": $(n)}"')
    report = profile(tmp_path, "sh", "-c", script)
    assert report.expected()["after"] <= report.expected()["before"] + 3  # whether ls and wc are known already varies
    assert len(report.pids()) >= 300


def test_nothing_is_left_over(tmp_path):
    home = tmp_path / "tmp"
    home.mkdir()
    environment = {**os.environ, "TMPDIR": str(home)}
    environment.pop("XDG_RUNTIME_DIR", None)
    profile(tmp_path, program("crowd"), 50, 5, 3, env=environment)
    assert not list(home.iterdir())
    left = [path for path in Path("/proc").glob("[0-9]*/cmdline") if program("crowd") in read(path)]
    assert not left


def read(path):
    try:
        return path.read_text()
    except OSError:
        return ""
