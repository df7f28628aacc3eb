"""prof profile --partial=true writes what a report adds to the statistics of its job into a file beside it. prof stats
and prof_report use the file while it fits."""
import os
import sys

import pytest
from arrow_tables import package
from profiling import prof, program, source_of
from sessions import sessions  # noqa: F401

TRACE = ("-t", "nvtx", "-s", "none", "--cpuctxsw=none")
UNFIT = "the report has another size or time since then"


def record(folder, rank, *options):
    environment = {**os.environ, "RANK": str(rank), "WORLD_SIZE": "2", "TORCHELASTIC_RUN_ID": "job"}
    return prof("profile", *TRACE, "-o", folder / f"{rank}.db", "--partial=true", *options, program("numbered_ranges"), 0.1,
                env=environment)


@pytest.fixture(name="run")
def fixture_run(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    for rank in range(2):
        done = record(folder, rank)
        assert done.returncode == 0 and "partial" not in done.stderr, done.stderr
    return folder


def sums(folder, *options):
    done = prof("stats", "-f", "csv", "-r", "nvtx_sum", *options, folder)
    assert done.returncode == 0, done.stderr
    return done


def test_statistics_are_the_same_with_and_without_the_files(run):
    assert sorted(path.name for path in run.iterdir()) == ["0.db", "0.db.partial", "1.db", "1.db.partial"]
    assert (run / "0.db.partial").stat().st_mode & 0o777 == 0o600
    kinds = ((), ("--by-rank",), ("--by-node",), ("--filter-time", "0s/1ms"))
    fast = [sums(run, *kind) for kind in kinds]
    for path in run.glob("*.partial"):
        path.unlink()
    slow = [sums(run, *kind) for kind in kinds]
    assert [each.stdout for each in fast] == [each.stdout for each in slow]
    assert not any("partial results" in each.stderr for each in fast + slow)


def test_files_that_do_not_fit_are_named(run):
    before = sums(run).stdout
    os.utime(run / "1.db", ns=(1, 1))
    done = sums(run)
    assert done.stdout == before
    assert (f"prof: 1 of the partial results not used, the reports are read: {run}/1.db.partial: {UNFIT}\n"
            in done.stderr)
    (run / "0.db.partial").write_bytes((run / "0.db.partial").read_bytes()[:-3])
    done = sums(run)
    assert done.stdout == before
    assert "prof: 2 of the partial results not used" in done.stderr and "0.db.partial: " in done.stderr
    assert "partial results" not in sums(run, "-q").stderr


def test_the_file_is_what_is_read(run):
    """A range gets another name in the file."""
    path = run / "0.db.partial"
    name = sums(run).stdout.splitlines()[1].rsplit(",", 1)[-1].lstrip(":").encode()
    data = path.read_bytes()
    assert data.count(name) >= 1
    path.write_bytes(data.replace(name, b"#" * len(name)))
    assert "#" * len(name) in sums(run).stdout


def test_the_recording_does_not_fail_with_the_file(tmp_path):
    (tmp_path / "0.db.partial").mkdir()
    done = record(tmp_path, 0)
    assert done.returncode == 0 and (tmp_path / "0.db").stat().st_size > 0
    (line,) = [line for line in done.stderr.splitlines() if "partial" in line]
    assert line == (f"prof: {tmp_path}/0.db has no partial results: cannot write {tmp_path}/0.db.partial: "
                    "Is a directory")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0.db", "0.db.partial"]


def test_each_range_and_the_hook(tmp_path):
    done = prof("profile", *TRACE, "-c", "nvtx", "-p", "epoch", "--capture-range-end=repeat:2:sync", "-o", tmp_path / "r",
                "--partial=true", "--after-report-ready", f"ls $PROF_REPORT_PATH.partial >> {tmp_path}/seen",
                sys.executable, source_of("nvtx_epochs.py"))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "seen").read_text().split() == [f"{tmp_path}/r.{number}.db.partial" for number in (1, 2)]


def test_a_session(tmp_path, sessions):  # noqa: F811
    sessions.works("start", "--session-new=s", "--sample=none", "--cpuctxsw=none", "--partial=true", "-o", tmp_path / "r")
    sessions.works("launch", "--session=s", "-t", "nvtx", program("numbered_ranges"), "0.1")
    assert (tmp_path / "r.db").exists() and (tmp_path / "r.db.partial").exists()


def test_python_reads_the_file_and_warns(run):
    pytest.importorskip("pyarrow")
    pr = package()
    fast = pr.partial(run / "0.db").arrow()
    os.utime(run / "0.db", ns=(1, 1))
    with pytest.warns(UserWarning, match=f"0.db.partial is not used: {UNFIT}"):
        assert pr.partial(run / "0.db").arrow().equals(fast)
    assert fast.num_rows > 0
