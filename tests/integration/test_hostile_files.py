"""Files that are no reports, or that others damage, lock or write meanwhile. stats, analyze and diff say what is
wrong, and never crash, hang or write to them."""
import os
import re
import shutil
import sqlite3
import subprocess
import threading

import pytest
from damaged_reports import KERNEL, change, fails, report, rows, run, works, zoo
from profiling import PROF, prof


def test_files_that_are_not_reports(tmp_path):
    (tmp_path / "empty.db").write_bytes(b"")
    (tmp_path / "text.db").write_text("hello\n" * 100)
    (tmp_path / "magic.db").write_bytes(b"SQLite format 3\0")
    (tmp_path / "noise.db").write_bytes(b"SQLite format 3\0" + bytes(range(256)) * 64)
    os.mkfifo(tmp_path / "pipe.db")
    for name, words in (("empty.db", "is empty"), ("text.db", "not an SQLite database"), ("magic.db", "truncated"),
                        ("noise.db", ""), ("pipe.db", "not a regular file"), ("none.db", "No such file")):
        fails(tmp_path / name, words)
    (tmp_path / "folder").mkdir()
    fails(tmp_path / "folder", "")


def test_damaged_files(zoo, tmp_path):
    """Reports that are cut off, or have other bytes in the middle: prof reports the damage, or the output is
    right anyway."""
    whole = zoo.read_bytes()
    report = tmp_path / "report.sqlite"
    for length in (50, 5000, len(whole) // 2, len(whole) - 1):
        report.write_bytes(whole[:length])
        fails(report, "truncated")
    expected = run("stats", zoo).stdout
    for page in range(1, len(whole) // 4096, 9):
        report.write_bytes(whole[:page * 4096] + b"\xa5" * 4096 + whole[(page + 1) * 4096:])
        done = run("stats", report)
        assert done.returncode in (0, 1)
        if done.returncode == 0:
            assert done.stdout == expected, page
        else:
            assert str(report) in done.stderr.splitlines()[-1]


def state(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_locked_report(report, tmp_path):
    before = state(tmp_path)
    database = sqlite3.connect(report, isolation_level=None)
    database.execute("BEGIN EXCLUSIVE")
    fails(report, "locked by another program; try again")
    database.execute("ROLLBACK")
    assert state(tmp_path) == before
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("BEGIN IMMEDIATE")  # in this mode writers do not block readers
    works(report)


def test_a_report_that_is_being_written_is_read_as_of_one_moment(report):
    """No other connection can change the report until all is read."""
    database = sqlite3.connect(report, isolation_level=None, timeout=0)
    refused = threading.Event()
    with subprocess.Popen([PROF, "stats", "-r", "cuda_gpu_trace,osrt_sum", "-f", "csv", "-o", "@cat; sleep 1", report],
                          stdout=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        try:
            database.execute("UPDATE OSRT_API SET end = start")
        except sqlite3.OperationalError as error:
            refused.set()
            assert "locked" in str(error)
        process.stdout.read()
    assert refused.is_set() and process.returncode == 0


def test_a_report_that_is_overwritten_while_it_is_read(report):
    with subprocess.Popen([PROF, "stats", "-r", "cuda_gpu_trace,osrt_sum", "-f", "csv", "-o", "@cat; sleep 1", report],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        content = report.read_bytes()
        report.write_bytes(content[:len(content) // 2])
        _, reported = process.communicate()
    assert process.returncode == 1 and str(report) in reported.splitlines()[-1], reported


def powerless(*words):
    """Runs prof as a user to whom file permissions apply: they do not apply to root."""
    if os.geteuid() != 0:
        return prof(*words)
    if shutil.which("setpriv") is None:
        pytest.skip("no setpriv to run prof without root's powers")
    return subprocess.run(["setpriv", "--bounding-set=-dac_override,-dac_read_search", PROF, *words], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False, timeout=60)


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
def test_a_read_only_report_in_a_read_only_folder(report, tmp_path, mode):
    place = tmp_path / "read#only?%41"
    place.mkdir()
    path = shutil.copy(report, place / "r.sqlite")
    change(path, f"PRAGMA journal_mode = {mode}")
    path.chmod(0o400)
    place.chmod(0o500)
    before = state(place)
    for words in (["stats", "-q", path], ["analyze", "-q", path], ["diff", path, path]):
        done = powerless(*words)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert state(place) == before
    place.chmod(0o700)


def test_a_folder_that_may_not_be_looked_into(report, tmp_path):
    place = tmp_path / "closed"
    place.mkdir()
    place.chmod(0)
    for words in (["profile", "-t", "none", "-o", place / "r", "true"], ["stats", place / "r.db"],
                  ["export", "--json", "-o", place / "r.json", report]):
        done = powerless(*words)
        assert done.returncode == 1 and re.fullmatch(r"prof: .*closed/r.*: Permission denied.*\n", done.stderr), done
        assert "internal" not in done.stderr
    place.chmod(0o700)


def test_leftovers_of_a_writer_that_died(report, tmp_path):
    """Changes that the writer had not yet merged into the report count. If they cannot be read, prof says so."""
    place = tmp_path / "left"
    place.mkdir()
    database = sqlite3.connect(report, isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA wal_autocheckpoint = 0")
    database.execute("UPDATE OSRT_API SET end = start + 1 WHERE eventClass = 27")
    for suffix in ("", "-wal"):
        shutil.copy(f"{report}{suffix}", place / f"r.sqlite{suffix}")
    database.close()
    path = place / "r.sqlite"
    before = state(place)
    assert {row["Max (ns)"] for row in rows(path, "osrt_sum")[0]} == {"1"}
    assert {name: data for name, data in state(place).items() if name != "r.sqlite-shm"} == before
    for extra in set(place.iterdir()) - {place / name for name in before}:
        extra.unlink()
    place.chmod(0o500)
    done = powerless("stats", path)
    place.chmod(0o700)
    assert done.returncode == 1 and "was not closed by the program that wrote it" in done.stderr, done.stderr
    # With a rollback journal the report is half written.
    path = shutil.copy(report, place / "j.sqlite")
    change(path, "PRAGMA journal_mode = DELETE")
    writer = subprocess.run(["/usr/bin/python3", "-c", f"""
import os, sqlite3
database = sqlite3.connect({str(path)!r}, isolation_level=None)
database.execute("PRAGMA cache_size = 1")
database.execute("BEGIN")
database.execute("UPDATE OSRT_API SET end = start + 2")
database.execute("UPDATE {KERNEL} SET end = start + 2")
os._exit(0)"""], check=True)
    assert writer.returncode == 0 and os.path.getsize(f"{path}-journal") > 0
    before = state(place)
    fails(path, "was not closed by the program that wrote it", "-journal")
    assert state(place) == before


def test_nothing_is_written(report, tmp_path):
    before = state(tmp_path)
    works(report)
    assert state(tmp_path) == before


@pytest.mark.parametrize("name", ["-dash.db", "--json", "file:x.db", "file:x.db?mode=memory", ":memory:", "file:%41#.db"])
@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
def test_names_that_look_like_options_or_uris(report, tmp_path, name, mode):
    """A name after -- is never an option, and SQLite never takes a name for a URI: every verb that reads reports."""
    place = tmp_path / "names"
    place.mkdir()
    change(report, f"PRAGMA journal_mode = {mode}")
    shutil.copy(report, place / name)
    shutil.copy(report, place / "good")

    def run_in(*words):
        done = prof(*words, cwd=place)
        assert done.returncode == 0, (words, done.stderr)
        return re.sub(rf"'?(\./)?{re.escape(name)}'?", "good", done.stdout)
    for words in (["info"], ["stats"], ["analyze"], ["export", "--json", "-o", "-"], ["diff", "good"],
                  ["export", "-t", "sqlite", "-f", "true", "-o", "file:copy"], ["view", "--html", "page.html", "-f", "true"]):
        assert run_in(*words, "--", name) == run_in(*words, "--", "good"), words
    assert sqlite3.connect(place / "file:copy").execute("SELECT count(*) FROM StringIds").fetchone()[0] > 0


@pytest.mark.parametrize("name", ["-dash.db", "file:x.db", ":memory:"])
def test_recordings_with_names_that_look_like_options_or_uris(tmp_path, name):
    done = prof("profile", "-t", "none", "-s", "none", f"--output={name}", "true", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == [name if name.endswith(".db") else name + ".db"]
