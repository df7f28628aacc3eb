"""prof profile with a delay or a duration, and options from files."""
import contextlib
import os
import signal
import subprocess
import time

import pytest
from profiling import PROF, Report, prof, program
from sessions import consecutive, numbers

TRACE = "-t", "nvtx,osrt", "--sample=none", "--cpuctxsw=none"


def timed(tmp_path, *options, seconds=60, **run_options):
    return prof("profile", *TRACE, "-o", tmp_path / "r.db", *options, program("numbered_ranges"), seconds,
                **run_options)


def duration(tmp_path):
    return Report(tmp_path / "r.db").value("SELECT duration FROM ANALYSIS_DETAILS") / 1e9


def test_a_duration_ends_the_program(tmp_path):
    done = timed(tmp_path, "-d", "0.5")
    assert done.returncode == 0 and done.stdout == ""
    assert consecutive(numbers(tmp_path / "r.db"))[0] == 0
    assert 0.45 <= duration(tmp_path) <= 0.6


def test_a_delay_and_a_duration(tmp_path):
    done = timed(tmp_path, "-y", "0.3", "--duration=0.4")
    assert done.returncode == 0
    assert consecutive(numbers(tmp_path / "r.db"))[0] > 10
    assert 0.35 <= duration(tmp_path) <= 0.5


def test_a_delay_alone(tmp_path):
    done = timed(tmp_path, "--delay", "0.2", seconds=0.6)
    found = consecutive(numbers(tmp_path / "r.db"))
    assert found[0] > 10 and found[-1] == int(done.stdout) - 1


def test_the_program_goes_on(tmp_path):
    began = time.monotonic()
    out = (tmp_path / "out").open("w+")
    done = subprocess.run([str(PROF), "profile", *TRACE, "-o", str(tmp_path / "r.db"), "-d", "0.3", "--kill=none",
                           program("numbered_ranges"), "4"], stdout=out, stderr=subprocess.DEVNULL, check=False)
    assert done.returncode == 0 and time.monotonic() - began < 3.5
    assert out.tell() == 0 and len(consecutive(numbers(tmp_path / "r.db"))) > 10


def test_a_program_that_ends_before(tmp_path):
    done = timed(tmp_path, "-y", "30", seconds=0.1)
    assert done.returncode == 0 and "before --delay was over" in done.stderr and not numbers(tmp_path / "r.db")


def test_record_on_after_the_program(tmp_path):
    began = time.monotonic()
    done = timed(tmp_path, "-x", "false", "-d", "1", seconds=0.1)
    assert done.returncode == 0 and time.monotonic() - began >= 1
    assert len(numbers(tmp_path / "r.db")) == int(done.stdout)


@pytest.mark.parametrize("options, says", [
    (("-d", "soon"), "not a number of seconds"), (("-y", "-1"), "not a number of seconds"),
    (("-x", "false"), "needs --duration"), (("--run-as=nobody",), "sudo -u USER"),
    (("-Y", "true", "--flight-recorder=9s"), "begins at once"), (("--command-file=/no/such",), "cannot read /no/such"),
    (("--command-file=/",), "cannot read /: Is a directory")])
def test_refusals(tmp_path, options, says):
    done = timed(tmp_path, *options, seconds=0)
    assert done.returncode == 2 and says in done.stderr and done.stderr.count("\n") == 1


def test_what_prof_does_anyway_is_accepted(tmp_path):
    done = timed(tmp_path, "--dask", "none", "--resolve-symbols=true", "-Y", "false", "--gpuctxsw=false", seconds=0)
    assert done.returncode == 0, done.stderr


def test_options_from_files(tmp_path):
    """The command line wins over a command file, and that over the defaults."""
    defaults = tmp_path / "config" / "prof" / "defaults"
    defaults.parent.mkdir(parents=True)
    defaults.write_text("# of this user\nprofile --osrt-threshold=5 -f true\nlaunch -t cuda\n")
    commands = tmp_path / "commands"
    commands.write_text("--osrt-threshold=7\n-t nvtx   # not osrt\n-o '%s'\n" % (tmp_path / "a report.db"))
    environment = {"PATH": "/usr/bin:/bin", "XDG_CONFIG_HOME": str(tmp_path / "config")}

    def threshold(*options):
        done = prof("profile", "--command-file", commands, *options, "true", env=environment)
        assert done.returncode == 0, done.stderr
        return dict(Report(tmp_path / "a report.db").query("SELECT name, value FROM META_DATA_CAPTURE"))

    found = threshold()
    assert found["OS_RUNTIME_OPTIONS:DURATION_THRESHOLD_NS"] == "7" and found["PROCESS_0:COLLECT_NVTX_TRACE"] == "true"
    assert threshold("--osrt-threshold", "9")["OS_RUNTIME_OPTIONS:DURATION_THRESHOLD_NS"] == "9"
    done = prof("profile", "-t", "osrt", "-o", tmp_path / "a report.db", "true", env=environment)
    assert done.returncode == 0  # -f true comes from the defaults
    commands.write_text("-t 'nvtx")
    done = prof("profile", "--command-file", commands, "true", env=environment)
    assert done.returncode == 2 and "quotation mark" in done.stderr
    commands.write_text("--no-such-option")
    done = prof("profile", "--command-file", commands, "true", env=environment)
    assert done.returncode == 2 and str(commands) in done.stderr and "unknown option" in done.stderr


def interrupted(tmp_path, signals, program_words):
    run = subprocess.Popen([str(PROF), "profile", *TRACE, "-o", str(tmp_path / "r.db"), *program_words],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    run.stdout.readline()
    for each in signals:
        run.send_signal(each)
        time.sleep(0.3)
    return run


DEAF = ["sh", "-c", "trap '' INT TERM; echo ready; sleep 30; sleep 30"]


def test_two_interrupts_write_the_report_at_once(tmp_path):
    """A program that ignores them goes on."""
    began = time.monotonic()
    run = interrupted(tmp_path, [signal.SIGINT, signal.SIGINT], DEAF)
    run.wait(60)
    assert time.monotonic() - began < 25 and (tmp_path / "r.db").exists()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(run.pid, signal.SIGKILL)


def test_a_terminated_prof_writes_the_report(tmp_path):
    run = interrupted(tmp_path, [signal.SIGTERM], ["sh", "-c", "echo ready; sleep 30"])
    run.wait(60)
    assert Report(tmp_path / "r.db").value("SELECT count(*) FROM PROCESSES") >= 1
