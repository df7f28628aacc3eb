"""What a launched program pays while nobody records."""
import os
import shutil
import struct
import time
from pathlib import Path

import pytest
from profiling import PROGRAMS, Report, children, program
from sessions import consecutive, sessions  # noqa: F401

TRACE = "-t", "nvtx,osrt"


def instructions(file):
    """Instructions that libprof_inject.so executed, by callgrind's account."""
    own, ours, inclusive, names = 0, False, False, {}
    for line in Path(file).read_text().splitlines():
        key, _, rest = line.partition("=")
        if key in ("ob", "cob"):
            number, _, name = rest.partition(" ")
            is_ours = names.setdefault(number, name.endswith("libprof_inject.so"))
            ours = is_ours if key == "ob" else ours
        elif key == "calls":
            inclusive = True
        elif line[:1].isdigit() or line[:1] in ("+", "-", "*"):
            words = line.split()
            own += int(words[1]) if ours and not inclusive and len(words) > 1 else 0
            inclusive = False
    return own


@pytest.mark.skipif(not shutil.which("valgrind"), reason="valgrind is not installed")
@pytest.mark.parametrize("what, least, most", [("calls", 1, 7), ("ranges", 1, 11), ("threaded_ranges", 1, 11)])
def test_instructions(sessions, tmp_path, what, least, most):
    """Of a wrapped call, and of a range: a push and a pop, which lead to prof at any time."""
    counts = {}
    few, many = 10_000, 30_000
    for count in (few, many):
        out = tmp_path / f"{count}"
        sessions.works("launch", *TRACE, "valgrind", "--tool=callgrind", f"--callgrind-out-file={out}",
                       program("dormant_price"), what, count)
        sessions.wait_for(lambda states: not states)
        counts[count] = instructions(out)
    each = (counts[many] - counts[few]) / (many - few)
    assert least - 0.5 < each < most + 0.5


def switches(pid):
    """How often the threads of a process have gone to sleep."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        for line in (task / "status").read_text().splitlines():
            total += int(line.split()[1]) if line.startswith("voluntary_ctxt_switches") else 0
    return total


def test_nothing_wakes_up(sessions, tmp_path):
    """Neither the collector nor a thread of ours in the program, before and after a collection."""
    launched = sessions.running(*TRACE, "sleep", "120")
    described = sessions.described()
    collector, sleeper = described["id"], described["programs"][0]
    for _ in range(2):
        time.sleep(0.5)  # what has begun is finished
        before = switches(collector), switches(sleeper)
        time.sleep(1.5)
        assert (switches(collector), switches(sleeper)) == before
        assert len(os.listdir(f"/proc/{sleeper}/task")) == 1
        sessions.works("start", "-f", "true", "-o", tmp_path / "r")
        sessions.works("stop")
    sessions.works("shutdown")
    launched.wait(60)


def threads(pid):
    return [(task / "comm").read_text().strip() for task in Path(f"/proc/{pid}/task").iterdir()]


def made(progress):
    """How many ranges the program and its child made."""
    return struct.unpack("=qq", progress.read_bytes()[:16])


def test_ranges_of_clients_that_come_and_go(sessions, tmp_path):
    """Also of clients that are loaded meanwhile or later, and in fork children. What is mapped where a client was is
    left alone. No thread of prof is needed for it."""
    (tmp_path / "progress").write_bytes(bytes(24))
    launched = sessions.running(*TRACE, program("clients_come_and_go"), PROGRAMS / "libnvtx_one.so", tmp_path / "progress")

    def wait_for_ranges(least):
        before = made(tmp_path / "progress")
        sessions.wait_for(lambda _: all(now >= then + least for now, then in zip(made(tmp_path / "progress"), before)))

    wait_for_ranges(1)  # of both, so the child runs
    parent = sessions.described()["programs"][0]
    for i in range(12):
        sessions.works("start", "-o", tmp_path / f"r{i}")
        time.sleep(0.02 * (i % 4))
        wait_for_ranges(12)
        sessions.works("stop")
        report = Report(tmp_path / f"r{i}.db")
        for domain in ("program", "child"):
            found = sorted(row["int64Value"] for row in report.nvtx(59) if row["domain"] == domain)
            assert len(consecutive(found)) > 10
        assert {row["name"] for row in report.nvtx(59)} <= {"numbered", "work in one"}
    assert any(row["name"] == "work in one" for row in report.nvtx(59))
    child, = children(parent)
    assert sorted(threads(parent)) == ["clients_come_an", "clients_come_an"] and threads(child) == ["clients_come_an"]
    with open(tmp_path / "progress", "r+b") as progress:
        progress.seek(16)
        progress.write(struct.pack("=q", 1))
    out, _ = launched.communicate(timeout=60)
    assert launched.returncode == 0 and int(out) >= 12 * 12
