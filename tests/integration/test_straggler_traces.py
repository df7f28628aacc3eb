"""Public traces of jobs with pipelines, whose slowdown by stragglers is published. Needs a checkout of
ByteDance-Seed/StragglerAnalysis (PROF_STRAGGLER_TRACES) and a Python with pandas below 3 for its simulation
(PROF_STRAGGLER_PYTHON)."""
import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from named import with_names
from profiling import PROF, prof

CHECKOUT = os.environ.get("PROF_STRAGGLER_TRACES")
CONVERTER = Path(__file__).resolve().parents[1] / "bench" / "straggler_traces.py"


@pytest.mark.skipif(not CHECKOUT, reason="needs the traces (PROF_STRAGGLER_TRACES)")
@pytest.mark.parametrize("trace, late", [("AR", "rank 0 "), ("SE", None), ("ST", None)])
def test_the_slowdown_is_that_of_the_authors(tmp_path, trace, late):
    python = os.environ.get("PROF_STRAGGLER_PYTHON", sys.executable)
    subprocess.run([python, CONVERTER, CHECKOUT, "--trace", trace, "-o", tmp_path], check=True, capture_output=True,
                   env=os.environ | {"PROF": str(PROF)})
    done = prof("stats", "-q", "-r", "what_if:stragglers=mean", "-f", "csv", tmp_path)
    job = next(csv.DictReader(io.StringIO(done.stdout.strip())))
    true = json.loads((Path(CHECKOUT) / "data" / f"result-{trace}.json").read_text())["blocking_slowdown"]
    assert int(job["Replayed (ns)"]) == pytest.approx(int(job["Measured (ns)"]), rel=0.005)
    assert int(job["Measured (ns)"]) / int(job["Predicted (ns)"]) == pytest.approx(true, rel=0.02)
    found = with_names(prof("analyze", "-q", "-f", "json", tmp_path).stdout)["findings"]
    assert [late in each["finding"] for each in found if each["rule"] == "late_rank"] == ([True] if late else [])
