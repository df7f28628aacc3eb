"""The commands of the pages for agents and for CI work as they stand."""
import contextlib
import json
import os
import re
import shutil
import sqlite3
import subprocess

import pytest
from agent_cases import CAUSES
from profiling import PROF, SOURCE

REPORTS = ["report.db", "before.db", "after.db", "base.db", "new.db", *(f"{side}_{run}.db" for side in ("base", "new") for run in (1, 2, 3))]
# A finding, a claim, and what a report cannot answer have a status. Other commands succeed.
STATUSES = {"check": (0, 3, 4), "analyze": (0, 3)}


def commands_of(page):
    """Command lines in blocks of code, in tables, and in the text of the skill file."""
    text = (SOURCE / "docs" / page).read_text()
    code = "".join(re.findall(r"^```\w*\n(.*?)^```", text, re.M | re.S))
    lines = re.findall(r"^(prof .*)$", code, re.M) + re.findall(r"^ *sh '(prof .*)'$", code, re.M)
    quoted = "\n".join(line for line in text.splitlines() if line.startswith("|") or page == "skill/SKILL.md")
    return [each for each in lines + re.findall(r"`(prof [^\s`]+ [^`\n]+)`", quoted) if not re.search("…|PID|VERB", each)]


COMMANDS = dict.fromkeys(command for page in ("skill/SKILL.md", "agents.md", "ci.md") for command in commands_of(page))


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    made = CAUSES["no worker loads data"].make(folder)
    with contextlib.closing(sqlite3.connect(made)) as report:
        report.execute("CREATE TABLE ANALYSIS_DETAILS (duration)")
        report.execute("INSERT INTO ANALYSIS_DETAILS VALUES (600000000)")
        report.commit()
    (folder / "run").mkdir()
    for name in (*REPORTS, "run/rank0.db"):
        shutil.copyfile(made, folder / name)
    made.unlink()
    subprocess.run([PROF, "facts", "--save", folder / "base.json", folder / "base.db"], check=True)
    (folder / "answer.md").write_text("The GPU is idle for 45 % of the time.\n")
    return folder


@pytest.fixture
def programs(tmp_path):
    for name in ("app", "benchmark"):
        (tmp_path / name).write_text("#!/bin/sh\nexit 0\n")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "train.py").write_text("print('trained')\n")
    return tmp_path


def test_the_pages_have_commands():
    assert len(COMMANDS) >= 35 and {"profile", "facts", "check", "query", "diff", "stats"} <= {each.split()[1] for each in COMMANDS}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_pages_runs(command, reports, programs):
    verb = command.split()[1]
    folder = programs if verb == "profile" else reports
    if "--save" in command:
        (folder / "base.json").unlink()
    done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=False,
                          env={**os.environ, "PATH": f"{PROF.parent}:{os.environ['PATH']}", "RANK": "0"})
    assert done.returncode in STATUSES.get(verb, (0,)), (command, done.stdout, done.stderr)
    if done.stdout and ("json" in command.split() or "--json" in command or verb == "facts"):
        json.loads(done.stdout)
