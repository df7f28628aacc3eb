"""Texts of reports and programs on a terminal, which obeys some characters: none of them gets there. Data keep them."""
import json
import re
import sqlite3
import subprocess

import pytest
from profiling import PROF, prof, program
from terminal import COLOUR, on_terminal

HARMFUL = "\x9b2J\x9b31m\x85\u202e\u2066\u200f\u061c\u2028\x1b]0;title\x07\x7f"
FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """A report whose texts are all harmful. It can be from anybody."""
    path = tmp_path_factory.mktemp("harmful") / "r.db"
    done = prof("profile", "-t", "osrt", "--osrt-threshold=0", "-s", "none", "-o", path, program("plain"))
    assert done.returncode == 5
    with sqlite3.connect(path) as database:
        database.execute("UPDATE StringIds SET value = ? || value || ?", (HARMFUL, HARMFUL))
        database.execute("UPDATE PROCESSES SET name = ? || name", (HARMFUL,))
        database.execute("UPDATE DIAGNOSTIC_EVENT SET text = ? || text", (HARMFUL,))
        database.execute("UPDATE META_DATA_CAPTURE SET value = ? || value", (HARMFUL,))
        database.execute("UPDATE TARGET_INFO_SYSTEM_ENV SET value = ? || value", (HARMFUL,))
    return path


@pytest.mark.parametrize("verb", ["stats -r osrt_sum,osrt_short_sum", "stats -r osrt_sum -f table", "stats -r osrt_sum -f markdown",
                                  "info", "analyze", "analyze -r all", "diff {}", "export --type=text -o -",
                                  "export --type=info -o -"])
def test_reports(report, verb):
    name, *options = verb.format(report).split()
    text, status = on_terminal(name, *options, report)
    assert status == 0, text
    assert text and not FORBIDDEN.search(COLOUR.sub("", text).replace("\r", "")), verb


def test_the_output_of_the_program(tmp_path):
    prof("profile", "-t", "osrt", "-s", "none", "-w", "false", "-o", tmp_path / "r.db", "printf", "a\\302\\2332J\\033[31mb")
    text, _ = on_terminal("info", "--output", tmp_path / "r.db")
    assert text == "a?2J?[31mb"
    assert prof("info", "--output", tmp_path / "r.db").stdout == "a\x9b2J\x1b[31mb"


def test_data_keep_them(report):
    rows = json.loads(prof("stats", "-q", "-r", "osrt_sum", "-f", "json", report).stdout)
    assert all(row["Name"].startswith(HARMFUL) for row in rows)


def test_threads_of_programs(tmp_path):
    source = tmp_path / "name.c"
    source.write_text('#include <sys/prctl.h>\n#include <stdio.h>\n#include <unistd.h>\n'
                      'int main() { prctl(15, "\\302\\2332JX\\342\\200\\256"); puts("ready"); fflush(stdout); pause(); }\n')
    if subprocess.run(["gcc", "-w", "-o", tmp_path / "name", source], check=False).returncode != 0:
        pytest.skip("no gcc here")
    with subprocess.Popen([str(tmp_path / "name")], stdout=subprocess.PIPE, text=True) as running:
        running.stdout.readline()
        text, _ = on_terminal("stack", running.pid)
        running.kill()
    assert "2JX" in text and not FORBIDDEN.search(COLOUR.sub("", text)), text


def test_names_of_files_in_messages(tmp_path):
    done = subprocess.run([str(PROF), "stats", f"{tmp_path}/\x9bmissing\u202e.db"], stderr=subprocess.PIPE, check=False, timeout=60)
    text = done.stderr.decode()
    assert done.returncode != 0 and "missing" in text and not FORBIDDEN.search(text), text
