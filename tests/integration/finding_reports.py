"""Records programs as the tests of findings need it, and reads what prof analyze finds."""
import csv
import io
import sys
import textwrap

import pytest
from named import with_names
from profiling import Report, prof, program

OPTIONS = ("-s", "process-tree", "--cpuctxsw=process-tree", "--python-sampling=true")


def analyze(path):
    done = prof("analyze", "-q", "-r", "findings", "-f", "json", path)
    assert (done.returncode, done.stderr) == (0, "")
    return with_names(done.stdout)


def findings(path):
    """The findings by rule, in their order."""
    return {each["rule"]: each for each in analyze(path)["findings"]}


def first(path):
    """The first finding. What other programs do to the machine is not part of it."""
    found = [each for each in analyze(path)["findings"] if each["rule"] != "too_few_cpus"]
    assert found, analyze(path)
    return found[0]


def check_gains(report, found):
    """The gains of findings are what the statistic says about the same change in the same time."""
    window = f"{found['gains']['start_ns']}ns/{found['gains']['end_ns']}ns"
    for each in found["findings"]:
        if "what_if" not in each:
            continue
        done = prof("analyze", "-q", "-f", "csv", "--filter-time", window, "--what-if", each["what_if"], report)
        [row] = csv.DictReader(io.StringIO(done.stdout.strip()))
        assert int(row["Gain (ns)"]) == each["gain_ns"], (each, row)
        assert int(row["Replayed (ns)"]) == found["gains"]["replayed_ns"]
        assert each["gain_percent"] == pytest.approx(100 * each["gain_ns"] / found["gains"]["replayed_ns"])


def record(tmp_path, *command, options=(), **more):
    path = tmp_path / "report.db"
    done = prof("profile", "-t", "osrt", "-f", "true", "-o", path, *OPTIONS, *options, "--", *command, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return Report(path, done)


def waits(tmp_path, mode, options=()):
    return record(tmp_path, program("waits"), mode, tmp_path, options=options)


def python(tmp_path, code, options=(), **more):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(code))
    return record(tmp_path, sys.executable, script, options=options, **more)
