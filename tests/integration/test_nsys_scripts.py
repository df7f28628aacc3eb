"""Scripts that were written for nsys: its names of reports, and options that concern its SQLite exports."""
import json
import os
import shutil
import sqlite3

import pytest
from profiling import TRUTH, prof, unpacked

KERNELS = ("stats", "-q", "-r", "cuda_gpu_kern_sum", "-f", "csv")


@pytest.fixture
def report(tmp_path):
    """r.db, as if prof had recorded it."""
    return unpacked(tmp_path / "r.db")


def kernels(*words):
    done = prof(*KERNELS, *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


EXPECTED = (TRUTH / "cuda_gpu_kern_sum.csv").read_text()


def test_nsys_rep_is_the_report_beside_it(tmp_path, report):
    named = tmp_path / "r.nsys-rep"
    assert kernels(named) == kernels(tmp_path / "r.qdrep") == kernels(tmp_path / "r") == EXPECTED
    assert prof("info", named).stdout == prof("info", report).stdout != ""
    assert prof(named).stdout == prof("info", report).stdout
    assert prof("analyze", named).stdout == prof("analyze", report).stdout != ""
    assert prof("diff", named, named).returncode == 0
    assert prof("export", "-q", "-t", "sqlite", named).returncode == 0 and (tmp_path / "r.sqlite").exists()
    report.rename(tmp_path / "gone")
    assert kernels(named) == EXPECTED  # now of r.sqlite


def test_sqlite_file_in_place_of_nsyss_own_report(tmp_path, report):
    """nsys's own file cannot be read. The export beside it can; r.db is of another recording."""
    named = tmp_path / "r.nsys-rep"
    named.write_bytes(b"\0" * 200)
    done = prof("stats", named)
    assert done.returncode == 1 and "nsys export --type sqlite" in done.stderr
    report.rename(tmp_path / "r.sqlite")
    assert kernels(named) == EXPECTED
    named.write_bytes((tmp_path / "r.sqlite").read_bytes())  # prof profile -o r.nsys-rep
    (tmp_path / "r.sqlite").unlink()
    assert kernels(named) == EXPECTED


def test_sqlite_file_is_written_and_read_again(tmp_path, report):
    copy = tmp_path / "copy.sqlite"
    done = prof(*KERNELS, "--sqlite", copy, tmp_path / "r.nsys-rep")
    assert (done.returncode, done.stdout, done.stderr) == (0, EXPECTED, "")
    with sqlite3.connect(copy) as database:
        assert database.execute("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL").fetchone() == (61,)
        database.execute("DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL")
    assert kernels(f"--sqlite={copy}", report) == ""  # is not written again
    assert kernels(f"--sqlite={copy}", "--force-export=true", report) == EXPECTED
    done = prof(*KERNELS[:1], *KERNELS[2:], "-o", ".", "--sqlite", copy, report)
    assert done.returncode == 0 and (tmp_path / "copy_cuda_gpu_kern_sum.csv").read_text() == EXPECTED


def test_an_old_sqlite_file_is_named(tmp_path, report):
    copy = tmp_path / "copy.sqlite"
    assert prof("stats", "-r", "", "--sqlite", copy, report).stderr == f"prof: wrote {copy}\n"
    assert prof("stats", "-r", "", "--sqlite", copy, report).stderr == ""
    os.utime(copy, (1, 1))
    done = prof("stats", "-r", "", "--sqlite", copy, report)
    assert done.returncode == 0 and "older than" in done.stderr and "--force-export" in done.stderr


def test_sqlite_option_of_analyze(tmp_path, report):
    copy = tmp_path / "copy.sqlite"
    done = prof("analyze", "-r", "cuda_api_sync:rows=-1", "-f", "csv", "-q", "--sqlite", copy, report)
    assert done.stdout == (TRUTH / "analyze_cuda_api_sync.csv").read_text() and copy.exists()
    assert prof("analyze", "-r", "", "--force-export", "--sqlite", copy, report).stdout == ""
    done = prof("analyze", "--sqlite", copy, report, report)
    assert done.returncode == 2 and "--sqlite takes one report" in done.stderr


def test_wrong_use_of_the_sqlite_option(tmp_path, report):
    exported = tmp_path / "x.sqlite"
    shutil.copy(report, exported)
    done = prof("stats", "--sqlite", tmp_path / "y.sqlite", exported)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "an SQLite export already" in done.stderr
    assert kernels("--sqlite", report, report) == EXPECTED  # the report itself
    done = prof("stats", "--sqlite", tmp_path / "none" / "y.sqlite", report)
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    done = prof("stats", "--sqlite", tmp_path / "y.sqlite", tmp_path / "absent.nsys-rep")
    assert done.returncode == 1 and "No such file" in done.stderr and not (tmp_path / "y.sqlite").exists()


def test_no_statistic(report):
    """-r "": scripts that want nothing but the SQLite file."""
    for words in (["-r", ""], ["--report="], ["-r", "", "-r", ""]):
        done = prof("stats", *words, report)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert prof("stats", "-f", "csv", "-r", "", "-r", "cuda_gpu_kern_sum", report).stdout == EXPECTED
    assert prof("stats", "-r", "", report.parent / "absent.db").returncode == 1


@pytest.mark.parametrize("verb", ["stats", "analyze"])
def test_help_on_formats(verb):
    names = ["column", "table", "csv", "tsv", "json", "markdown", "htable", "hdoc"]
    listed = prof(verb, "--help-formats")
    assert listed.returncode == 0 and [line.split()[0] for line in listed.stdout.splitlines()] == names
    for words in (["--help-formats", "csv"], ["--help-formats=csv"]):
        done = prof(verb, *words)
        assert done.returncode == 0 and done.stdout.startswith("csv: ") and ".csv" in done.stdout
    everything = prof(verb, "--help-formats", "ALL").stdout
    assert all(f"{name}: " in everything for name in names)
    done = prof(verb, "--help-formats", "xml")
    assert done.returncode == 2 and "unknown format xml" in done.stderr


def test_json_null_is_as_the_help_says(report):
    rows = json.loads(prof("stats", "-q", "-r", "cuda_gpu_trace", "-f", "json", report).stdout)
    assert any(value is None for row in rows for value in row.values())


def test_export_without_a_type_is_sqlite(tmp_path, report):
    assert prof("export", "-q", "--dynamic-tables=none", report).returncode == 0
    with sqlite3.connect(tmp_path / "r.sqlite") as database:
        assert database.execute("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL").fetchone()[0] > 0


def test_statistics_of_graphics_are_skipped(report):
    done = prof("stats", "-r", "dx11_pix_sum,cuda_gpu_kern_sum,network_congestion", "-f", "csv", report)
    assert (done.returncode, done.stdout) == (0, EXPECTED), done.stderr
    assert [line.split()[-5] for line in done.stderr.splitlines() if line.startswith("SKIPPED: ")] == [
        "dx11_pix_sum.", "network_congestion."]
