"""Runs a program without and with prof, and compares what is visible from outside."""
import itertools
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from profiling import PROF, Report, source_of

NOBODY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--"]
LIBRARIES = "/usr/lib/x86_64-linux-gnu"

is_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


def works(*command):
    """Returns whether this machine can run the command."""
    try:
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                              timeout=20).returncode == 0
    except OSError:
        return False


def has_namespaces():
    return works("unshare", "-Urnmp", "--fork", "--mount-proc", "true")


def says(stderr):
    """The program's own lines of stderr, without prof's messages."""
    lines = stderr.splitlines(keepends=True)
    return "".join(line for line in lines
                   if not line.startswith(("prof: ", "Generated:")) and not re.match(r"\t/.*\.db$", line))


def both(tmp_path, *command, options=(), prefix=(), name="r.db", reported=None, traces="nvtx,osrt",
         **run_options):
    """Runs a command without and with prof, and compares everything that is visible from outside."""
    command = [str(word) for word in command]
    options = ["-t", traces, "--osrt-threshold", "0", "-f", "true", *options]
    run_options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "timeout": 60,
                   "stdin": subprocess.DEVNULL, **run_options}
    plain = subprocess.run([*prefix, *command], check=False, **run_options)
    path = tmp_path / name
    done = subprocess.run([*prefix, str(PROF), "profile", *options, "-o", str(path), "--", *command],
                          check=False, **run_options)
    status = plain.returncode if plain.returncode >= 0 else 128 - plain.returncode
    seen = (done.returncode, done.stdout, says(done.stderr))
    lines = itertools.zip_longest(plain.stdout.splitlines(), done.stdout.splitlines())
    different = [pair for pair in lines if len(set(pair)) > 1]
    assert seen == (status, plain.stdout, plain.stderr), f"{done.stderr}{different[:5]}"
    report = Report(path, done)
    assert report.value("PRAGMA integrity_check") == "ok"
    assert not [text for text in report.diagnostics()
                if ("dropped" in text and "CPU samples" not in text) or "amaged" in text]
    if reported is not None:  # both in the report and to the user
        assert any(reported in text for text in report.diagnostics()), report.diagnostics()
        assert reported in done.stderr
    return report


def check(report, function="write"):
    assert report.calls()[function] == report.expected()[function]


def compiled(tmp_path, compiler, *options, source="plain", name="built"):
    """Compiles a program of tests/programs in another way. Skips the test if that is not possible."""
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler} here")
    out = tmp_path / name
    done = subprocess.run([compiler, "-pthread", str(source_of(f"{source}.c")), "-o", str(out), *options],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"{compiler} {' '.join(options)} does not work here")
    tmp_path.chmod(0o755)
    return str(out)


@pytest.fixture(name="open_path")
def fixture_open_path():
    """A folder that every user may enter and write to. It is not below tmp_path, because pytest closes that to
    others."""
    with tempfile.TemporaryDirectory(prefix="prof-test-") as folder:
        os.chmod(folder, 0o777)
        yield Path(folder)
