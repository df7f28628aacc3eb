"""prof info, reports by short names, and the next command after a recording."""
import json
import os
import shutil
import sqlite3

import pytest
from profiling import PROF, Report, prof, profile, unpacked
from terminal import on_terminal


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    return profile(folder, "sh", "-c", "echo hello; echo world >&2; exit 3", options=["--osrt-threshold=0"], status=3,
                   cwd=folder)


def info(path, *options, **more):
    done = prof("info", *options, path, **more)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_ran_and_where(report):
    document = json.loads(info(report.path, "--json"))
    assert document["command"].startswith("sh -c echo hello") and document["directory"] == str(report.path.parent)
    assert document["duration_ns"] == report.value("SELECT duration FROM ANALYSIS_DETAILS")
    assert document["machine"]["Host"] == os.uname().nodename and document["product"].startswith("prof ")
    assert document["started"] == report.value("SELECT localTime FROM TARGET_INFO_SESSION_START_TIME")
    assert {"name": "CAPTURE_EVENT_TYPE", "value": "OSRuntime"} in document["options"]
    text = info(report.path)
    for word in ("sh -c echo hello", str(report.path.parent), os.uname().nodename, "OS-runtime calls  → osrt_sum",
                 f"prof analyze {report.path}", f"prof stats {report.path}"):
        assert word in text


def test_contents_are_counted(report):
    document = json.loads(info(report.path, "--json"))
    contents = {each["name"]: each["rows"] for each in document["contents"]}
    assert contents["OS-runtime calls"] == report.value("SELECT count(*) FROM OSRT_API WHERE eventClass = 27") > 0
    assert contents["Processes"] == report.value("SELECT count(*) FROM PROCESSES")
    for table, rows in document["tables"].items():
        assert rows == report.value(f"SELECT count(*) FROM {table}") > 0
    for each in document["contents"]:
        for name in filter(None, each["statistics"].split(", ")):
            assert "SKIPPED" not in prof("stats", "-r", name, report.path).stderr or "nvtx" in name


def test_diagnostics_come_with_the_worst_first(report, tmp_path):
    path = tmp_path / "lossy.db"
    shutil.copy(report.path, path)
    with sqlite3.connect(path) as database:
        database.execute("INSERT INTO DIAGNOSTIC_EVENT VALUES (5, 1, 2, 2, '7 events were dropped', NULL)")
        database.execute("INSERT INTO DIAGNOSTIC_EVENT VALUES (6, 1, 2, 2, 'a warning', NULL)")
        database.execute("INSERT INTO DIAGNOSTIC_EVENT VALUES (7, 1, 2, 3, 'an error', NULL)")
    lines = info(path).splitlines()
    at = lambda text: next(i for i, line in enumerate(lines) if text in line)
    assert lines[at("Lost events") + 1] == "  warning: 7 events were dropped"
    assert at("7 events were dropped") < at("error: an error") < at("warning: a warning") < at("Collection started")
    assert "none reported" in info(report.path)


def test_kept_output(tmp_path):
    with open(tmp_path / "out", "w", encoding="utf-8") as out, open(tmp_path / "err", "w", encoding="utf-8") as err:
        import subprocess
        subprocess.run([PROF, "profile", "-t", "osrt", "-o", tmp_path / "r.db", "sh", "-c", "echo hello; echo world >&2"],
                       stdout=out, stderr=err, check=True)
    report = Report(tmp_path / "r.db")
    kept = report.query("SELECT filename, value FROM ANALYSIS_FILE JOIN StringIds s ON s.id = contentId ORDER BY 1")
    document = json.loads(info(report.path, "--json"))
    assert {(each["name"], each["bytes"]) for each in document["files"]} == {
        (row["filename"], len(row["value"])) for row in kept}
    assert "hello" in info(report.path, "--output") and "hello\n" not in info(report.path)
    assert prof("info", "--json", "--output", report.path).returncode == 2


def test_reports_of_nsys(tmp_path):
    path = unpacked(tmp_path / "zoo.sqlite")
    document = json.loads(info(path, "--json"))
    assert document["command"] == "/tmp/zoo" and document["product"].startswith("NVIDIA Nsight Systems")
    assert document["gpus"] == ["NVIDIA H200 (150.1 GB)"] and document["machine"]["CUDA"] == "13.0"
    contents = {each["name"]: each["rows"] for each in document["contents"]}
    assert contents["GPU kernels"] > 0 and contents["CUDA API calls"] > 0
    assert "prof stats -r cuda_gpu_kern_sum" in info(path)


def test_kept_output_in_older_reports_of_nsys(tmp_path):
    path = tmp_path / "older.sqlite"
    with sqlite3.connect(path) as database:
        database.executescript("""
            CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
            CREATE TABLE ANALYSIS_FILE (id INTEGER PRIMARY KEY, filename TEXT NOT NULL, content TEXT NOT NULL,
                                        globalPid INTEGER NOT NULL);
            INSERT INTO ANALYSIS_FILE VALUES (0, 'out.log', 'done at last', 7 << 24), (1, 'err.log', '', 7 << 24);""")
    assert [(each["name"], each["bytes"], each["pid"]) for each in json.loads(info(path, "--json"))["files"]] == [
        ("out.log", 12, 7), ("err.log", 0, 7)]
    assert "done at last" in info(path, "--output")


def test_files_that_are_no_reports(report, tmp_path):
    (tmp_path / "text.db").write_text("hello")
    (tmp_path / "cut.db").write_bytes(report.path.read_bytes()[:5000])
    for path, word in ((tmp_path / "text.db", "not a report"), (tmp_path / "cut.db", "truncated"),
                       (tmp_path / "none.db", "No such file"), (tmp_path, "has no report in it")):
        done = prof("info", path)
        assert done.returncode == 1 and word in done.stderr and done.stdout == ""
    assert prof("info").returncode == 2
    with sqlite3.connect(tmp_path / "bare.db") as database:
        database.execute("CREATE TABLE StringIds (id INTEGER, value TEXT)")
    assert "no events" in info(tmp_path / "bare.db")


def test_short_names(report, tmp_path):
    for name in ("first.db", "second.db"):
        shutil.copy(report.path, tmp_path / name)
    (tmp_path / "first").mkdir()  # not a file, so not meant
    run = lambda *words: prof(*words, cwd=tmp_path)
    assert run("info", "first").stdout == run("first").stdout == run("first.db").stdout != ""
    assert run("stats", "first").stdout == run("stats", "first.db").stdout != ""
    assert run("analyze", "first").stdout == run("analyze", "first.db").stdout
    assert run("export", "--json", "first").stdout == run("export", "--json", "first.db").stdout != ""
    assert run("diff", "first", "second").stdout == run("diff", "first.db", "second.db").stdout != ""
    assert run("first", "--json").stdout.startswith("{")
    assert run("stats", "-o", ".", "-r", "osrt_sum", "first").returncode == 0
    assert (tmp_path / "first_osrt_sum.csv").exists()
    unknown = run("third")
    assert unknown.returncode == 2 and "unknown verb third" in unknown.stderr
    (tmp_path / "train.py").write_text("pass")
    assert "unknown verb train.py" in run("train.py").stderr


def test_next_command(tmp_path):
    text, status = on_terminal("profile", "-t", "osrt", "-o", "my report", "true", cwd=tmp_path)
    assert status == 0 and text.endswith(f"Generated:\n\t{tmp_path}/my report.db\nNext: prof analyze 'my report.db'\n")
    done = prof("profile", "-t", "osrt", "-o", "other", "true", cwd=tmp_path)
    assert "Generated" in done.stderr and "Next" not in done.stderr
