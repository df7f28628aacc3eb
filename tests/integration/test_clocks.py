"""prof info of a job on several machines: how their clocks compare. The ledger of make_run.py has the true clocks."""
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from profiling import MORE_TRUTH, prof, unpacked

MAKE_RUN = Path(__file__).resolve().parents[1] / "bench" / "make_run.py"
RECIPES = MORE_TRUTH / "recipes"


def clocks(*reports):
    """The columns of each machine after the name, and the text above the table."""
    done = prof("info", "--no-pager", *reports)
    assert done.returncode == 0, done.stderr
    text = done.stdout.partition("Clocks of the Machines")[2]
    lines = text.rpartition("----\n")[2].splitlines()
    return [re.split(r"  +", line.strip()) for line in lines if line.strip()], text


def number(text):
    return float(text.replace(",", ""))


def test_clocks_of_a_made_job(tmp_path):
    subprocess.run([sys.executable, MAKE_RUN, "4", "3000", "-o", tmp_path, "--gpus-per-node", "1", "--lost", "1%",
                    "--clock", "50ms:20ppm:step@0.5"], check=True)
    nodes = json.loads((tmp_path / "ledger.json").read_text())["nodes"]
    machines, text = clocks(tmp_path)
    assert [machine[:3] for machine in machines] == [
        ["node0000", "1", "reference"]] + [[f"node{i:04}", "1", "collectives"] for i in range(1, 4)]
    for machine, node in zip(machines[1:], nodes[1:]):
        error, drift, ahead = map(number, machine[3:6])
        assert abs(drift - (node["drift"] - nodes[0]["drift"]) * 1e6) < 0.1
        assert abs(ahead) <= error < 100_000  # the step made all wall clocks right
        assert f"{node['name']}: the wall clock was set by" in text


def test_one_machine_has_one_clock(tmp_path):
    subprocess.run([sys.executable, MAKE_RUN, "2", "1200", "-o", tmp_path], check=True)
    assert "Clocks of the Machines" not in prof("info", "--no-pager", tmp_path).stdout


@pytest.mark.skipif(not RECIPES.exists(), reason="needs nsys's reports (PROF_NSYS_TRUTH)")
def test_reports_of_nsys(tmp_path):
    # Both are of one host, so the wall clock is the same one.
    reports = [unpacked(tmp_path / f"rank_{rank}.sqlite", RECIPES / f"rank_{rank}.sqlite.gz") for rank in range(2)]
    (_, second), _ = clocks(*reports)
    error, _, ahead = map(number, second[3:6])
    assert second[2] == "collectives"
    assert abs(ahead) <= error < 30_000
