"""prof diff: reports that prof and nsys recorded."""
import csv
import io
import json
import sys

import pytest
from made_up_pair import diff
from named import with_names
from profiling import MORE_TRUTH, TRUTH, prof, profile, program, source_of, unpacked


def test_reports_of_prof(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    pair = [profile(tmp_path / name, "sleep", "0.01") for name in ("a", "b")]
    assert json.loads(diff(pair, "-f", "json"))["summary"][0]["Figure"] == "Session (ns)"


def two_runs(tmp_path, *options, first, second):
    """The changes between the runs of two commands, and the headline."""
    reports = []
    for name, command in (("first", first), ("second", second)):
        reports.append(tmp_path / f"{name}.db")
        done = prof("profile", "-t", "nvtx,osrt", *options, "-o", reports[-1], *command)
        assert done.returncode == 0, done.stderr
    done = prof("diff", "-q", "-f", "json", "--rows", "0", *reports)
    assert done.returncode == 0, done.stderr
    document = with_names(done.stdout)
    return document["changes"], document["headline"], document["summary"]


def needs_samples(report):
    if "COMPOSITE_EVENTS" not in report.tables():
        pytest.skip("no CPU samples are taken here")


@pytest.mark.alone
def test_a_slower_function_leads(tmp_path):
    """Although four idle threads wait for most of the time. A CPU of a virtual machine may be a third slower in one of the runs, so
    that the function has six times the work.
    """
    command = program("two_versions")
    probe = profile(tmp_path, command, "5", options=["-s", "process-tree"])
    needs_samples(probe)
    changes, headline, summary = two_runs(tmp_path, "-s", "process-tree", first=[command, "100"],
                                          second=[command, "600"])
    assert (changes[0]["Category"], changes[0]["Name"]) == ("cpu", "render_page")
    assert changes[0]["Ratio"] > 1.5 and changes[0]["Status"] == "changed"
    # A sample may find a thread on its way into the wait, which is CPU time.
    waits = [row for row in changes if row["Name"] == "pthread_cond_wait" and row["Category"] != "cpu"]
    assert [row["Status"] for row in waits] == ["waiting"]
    aside = [row["Status"] == "waiting" for row in changes]
    assert aside == sorted(aside)
    assert headline[-1].startswith("waits of idle threads: ") and "pthread_cond_wait" in headline[-1]
    assert not [line for line in headline[:-1] if "pthread_cond_wait" in line]
    figures = {row["Figure"]: row for row in summary}
    assert figures["CPU time (ns)"]["Ratio"] > 1.2
    assert [line for line in headline if line.startswith("CPU time: ")]


@pytest.mark.alone
def test_a_slower_python_function_leads(tmp_path):
    script = [sys.executable, str(source_of("python_two_versions.py"))]
    changes, _, _ = two_runs(tmp_path, "--python-sampling=true", first=[*script, "50"], second=[*script, "500"])
    assert (changes[0]["Category"], changes[0]["Name"]) == ("python", "render (python_two_versions.py)")
    assert changes[0]["Ratio"] > 1.5


@pytest.mark.alone
def test_a_python_function_leads_the_interpreter(tmp_path):
    script = [sys.executable, str(source_of("python_two_versions.py"))]
    options = ["--python-sampling=true", "-s", "process-tree"]
    probe = profile(tmp_path, program("two_versions"), "5", options=["-s", "process-tree"])
    needs_samples(probe)
    changes, _, _ = two_runs(tmp_path, *options, first=[*script, "50"], second=[*script, "500"])
    assert (changes[0]["Category"], changes[0]["Name"]) == ("python", "render (python_two_versions.py)")


def test_short_calls(tmp_path):
    changes, _, _ = two_runs(tmp_path, "--osrt-threshold=1000000000000", first=[sys.executable, "-c", WRITES, "100"],
                             second=[sys.executable, "-c", WRITES, "20100"])
    writes, = [row for row in changes if row["Category"] == "short" and row["Name"] == "write"]
    assert writes["Count After"] - writes["Count Before"] == 20_000


WRITES = "import os, sys\nnull = os.open('/dev/null', 1)\nfor i in range(int(sys.argv[1])): os.write(null, b'x')"


FOLDERS = [TRUTH, *sorted(path.parent for path in MORE_TRUTH.glob("*/report.sqlite.gz"))]


@pytest.mark.skipif(len(FOLDERS) == 1, reason=f"no nsys reports of nsys in {MORE_TRUTH}")
def test_nsys_reports(tmp_path):
    """Reports of nsys 2021 to 2026, each compared with the next. The programs differ, but the output is
    readable."""
    reports = []
    for folder in FOLDERS:
        reports.append(unpacked(tmp_path / f"{len(reports)}.sqlite", folder / "report.sqlite.gz"))
    for before, after in zip(reports, reports[1:]):
        done = prof("diff", "-q", "-f", "json", "--rows", "0", before, after)
        assert (done.returncode, done.stderr) == (0, "")
        document = json.loads(done.stdout)
        assert document["changes"] and document["summary"][0]["Figure"] == "Session (ns)"


@pytest.mark.parametrize("report, category", [("cuda_api_sum", "api"), ("nvtx_sum", "nvtx"), ("osrt_sum", "osrt"),
                                              ("cuda_gpu_kern_sum", "kernel"), ("cuda_gpu_mem_time_sum", "copy,fill")])
def test_totals_are_those_of_the_statistics(tmp_path, report, category):
    path = unpacked(tmp_path / "zoo.sqlite")
    sums = csv.DictReader(io.StringIO(prof("stats", "-r", report, "-f", "csv", path).stdout.strip()))
    expected = sorted(int(row["Total Time (ns)"]) for row in sums)
    done = prof("diff", "-f", "json", "--rows=0", "--min-change=0", "--category", category, path, path)
    assert sorted(row["Time After (ns)"] for row in json.loads(done.stdout)["changes"]) == expected
