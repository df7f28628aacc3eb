"""Command lines of nsys that guides, frameworks and scripts publish: with prof in place of nsys, each records. What prof
does not record costs one line on stderr, not the report. published_lines.tsv has them; OUT, SESSION and the like stand
for what the reader chooses."""
import csv
import os
import re
import shlex
from pathlib import Path

import pytest
from profiling import Report, prof, program
from sessions import numbers, sessions  # noqa: F401

LINES = list(csv.DictReader(Path(__file__).with_name("published_lines.tsv").read_text().splitlines(), delimiter="\t",
                            quoting=csv.QUOTE_NONE))
NSYS_ONLY_ROOT = "--run-as root"  # refused for others: the program would run as the wrong user
ENVIRONMENT = {"VAR": "0"}


def lines(*verbs):
    return [pytest.param(line["verb"], shlex.split(line["options"]), id=f"{line['no']} {line['from']}")
            for line in LINES if line["verb"] in verbs]


def is_refused(options):
    return NSYS_ONLY_ROOT in " ".join(options) and os.geteuid() != 0


def has_good_notes(done):
    """Each line says something else, and is short."""
    said = [line for line in done.stderr.splitlines() if line.startswith("prof: ")]
    assert len(said) == len(set(said)), done.stderr
    assert "internal error" not in done.stderr and "unknown option" not in done.stderr
    for line in said:
        assert line.count("--trace=") <= 1 and len(line) < 300, line


def reports_of(done):
    return [Path(path) for path in re.findall(r"^Generated:\n\t(.*)$", done.stderr, re.M)]


def prepared(tmp_path):
    (tmp_path / "nsys_reports").mkdir()  # one of the lines names a report in it
    return {"cwd": tmp_path, "env": {**os.environ, **ENVIRONMENT}}


def test_all_are_here():
    assert len(LINES) == 69 and {line["verb"] for line in LINES} == {"profile", "launch", "start"}
    assert sum(is_refused(shlex.split(line["options"])) for line in LINES) <= 1


@pytest.mark.parametrize("verb, options", [each for each in lines("profile") if "start-later" not in str(each.values)])
def test_profile(tmp_path, verb, options):
    how = prepared(tmp_path)
    for command in (["/bin/true"], [program("numbered_ranges"), "0.05"]):
        done = prof(verb, *options, *command, **how)
        if is_refused(options):
            assert done.returncode == 2 and done.stderr.count("\n") == 1 and "sudo -u USER" in done.stderr
            return
        assert done.returncode == 0, done.stderr
        has_good_notes(done)
        report, = reports_of(done)
        assert Report(report).value("PRAGMA integrity_check") == "ok"
        words = " ".join(options)
        has_range = "cudaProfilerApi" in words or "nvtx -p" in words or "-frame" in words or any(w in ("-y", "--delay") for w in options)
        if command[0] != "/bin/true" and "nvtx" in words and not has_range and "--delay" not in words:
            assert numbers(report) == list(range(len(numbers(report)))) != []
        for path in (report, *report.parent.glob(f"{report.stem}.*")):
            path.unlink(missing_ok=True)


@pytest.mark.parametrize("verb, options", [each for each in lines("profile") if "start-later" in str(each.values)])
def test_profile_that_starts_later(sessions, tmp_path, verb, options):
    name, = (word.partition("=")[2] for word in options if word.startswith("--session-new="))
    launched = sessions.background(verb, *options, program("numbered_ranges"), 60, cwd=tmp_path)
    sessions.wait_for(lambda states: states.get(name) == "Launched" and sessions.described(name)["programs"])
    assert not list(tmp_path.glob("*.db"))
    sessions.works("start", f"--session={name}", cwd="/")
    sessions.wait_for(lambda states: states.get(name) == "Collection")
    report, = reports_of(sessions.works("stop", f"--session={name}", cwd="/"))
    assert report == tmp_path / "profile_c1.db" and Report(report).value("PRAGMA integrity_check") == "ok"
    sessions.works("shutdown", f"--session={name}", "--kill=sigkill")
    launched.wait(60)


@pytest.mark.parametrize("verb, options", lines("launch"))
def test_launch(sessions, tmp_path, verb, options):
    done = sessions.works(verb, *options, "/bin/true", cwd=tmp_path)
    has_good_notes(done)
    sessions.wait_for(lambda states: not states)
    name = "SESSION" if "--session-new=SESSION" in options else "[default]"
    launched = sessions.running(*options, program("numbered_ranges"), 60, name=name, cwd=tmp_path)
    sessions.works("start", f"--session={name}", "-o", tmp_path / "r")
    sessions.works("stop", f"--session={name}")
    assert Report(tmp_path / "r.db").value("PRAGMA integrity_check") == "ok"
    sessions.works("shutdown", f"--session={name}", "--kill=sigkill")
    launched.wait(60)


@pytest.mark.parametrize("verb, options", lines("start"))
def test_start(sessions, tmp_path, verb, options):
    launched = sessions.running("-t", "nvtx,osrt", program("numbered_ranges"), 60)
    has_good_notes(sessions.works(verb, *options, cwd=tmp_path))
    sessions.wait_for(lambda states: states["[default]"] == "Collection")
    sessions.works("stop")
    found = numbers(tmp_path / "OUT.db")
    assert found == list(range(found[0], found[0] + len(found))) if found else True
    sessions.works("shutdown", "--kill=sigkill")
    launched.wait(60)
