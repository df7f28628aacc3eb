"""What each signal does that prof gets itself. docs/sessions.md has the table."""
import os
import signal
import subprocess
import time

import pytest
from profiling import PROF, Report, profile
from sessions import sessions  # noqa: F401

ENDING = [signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGABRT, signal.SIGTRAP, signal.SIGSYS]
PASSED_OVER = [signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGVTALRM, signal.SIGPROF, signal.SIGIO, signal.SIGPWR,
               signal.SIGSTKFLT, signal.SIGRTMIN, signal.SIGRTMIN + 7, signal.SIGRTMAX]
WITHOUT_EFFECT = [signal.SIGPIPE, signal.SIGXFSZ, signal.SIGURG, signal.SIGWINCH, signal.SIGCHLD, signal.SIGCONT]
# SIGINT ends the program, as it does in C: Python's own handler only sets a mark, so a signal that comes just before the
# program begins to read would have no effect.
PROGRAM = ("import signal, sys, os, time\n"
           "signal.signal(signal.SIGINT, signal.SIG_DFL)\n"
           "print(os.getpid(), flush=True)\n"
           "sys.stdin.readline()\n"
           "for i in range(5): time.sleep(0.001)\n"
           "sys.exit(4)\n")


def start(tmp_path, *options):
    running = subprocess.Popen([str(PROF), "profile", "-t", "osrt", "--osrt-threshold=0", "-s", "none", *options, "-o",
                                str(tmp_path / "r.db"), "--", "/usr/bin/python3", "-c", PROGRAM], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return running, int(running.stdout.readline())


@pytest.mark.parametrize("number", PASSED_OVER + WITHOUT_EFFECT)
def test_signals_that_do_nothing(tmp_path, number):
    """The recording goes on to the program's end."""
    running, _ = start(tmp_path)
    for _ in range(3):
        running.send_signal(number)
        time.sleep(0.05)
    _, messages = running.communicate("\n", timeout=60)
    assert running.returncode == 4
    assert Report(tmp_path / "r.db").calls()["clock_nanosleep"] >= 5
    assert messages.count("does not pass it on") == (1 if number in PASSED_OVER else 0), messages


@pytest.mark.parametrize("number", ENDING)
def test_signals_that_end(tmp_path, number):
    """The program gets them, too."""
    running, _ = start(tmp_path)
    running.send_signal(number)
    assert running.wait(60) == 128 + number
    assert Report(tmp_path / "r.db").value("SELECT count(*) FROM OSRT_API") > 0


def test_the_limit_of_cpu_time(tmp_path):
    """The report is written at once, and the program goes on."""
    running, program = start(tmp_path)
    running.send_signal(signal.SIGXCPU)
    assert "limit of CPU time" in running.stderr.readline() and running.wait(60) == 0
    assert Report(tmp_path / "r.db").value("SELECT count(*) FROM OSRT_API") > 0
    os.kill(program, signal.SIGTERM)
    running.communicate(timeout=60)


def test_a_session_goes_on(tmp_path, sessions):  # noqa: F811
    """The collector of a session and prof launch get the signals of a whole batch job, too."""
    launched = sessions.running("/usr/bin/python3", "-c", "import signal, sys\nsignal.signal(signal.SIGUSR1, lambda *_: "
                                "print('passed on', flush=True))\nprint('ready', flush=True)\nsys.stdin.readline()",
                                stdin=subprocess.PIPE)
    assert launched.stdout.readline() == "ready\n"
    sessions.works("start", "-o", tmp_path / "r.db")
    for number in PASSED_OVER:
        os.kill(sessions.described()["id"], number)
    launched.send_signal(signal.SIGUSR1)
    assert launched.stdout.readline() == "passed on\n"
    sessions.works("stop")
    assert Report(tmp_path / "r.db").value("PRAGMA integrity_check") == "ok"
    launched.communicate("\n", timeout=60)
    assert launched.returncode == 0


def test_the_program_has_the_dispositions_and_the_mask_that_it_has_without_prof(tmp_path):
    lines = "grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status"
    for before in ("", "trap '' USR1 PIPE; ", "trap '' HUP XCPU CHLD; "):
        alone = subprocess.run(["sh", "-c", f"{before}exec {lines}"], stdout=subprocess.PIPE, text=True, check=True).stdout
        done = subprocess.run(["sh", "-c", f"{before}exec \"$0\" profile -t osrt -s none -f true -o \"$1\" {lines}", str(PROF),
                               str(tmp_path / "r.db")], stdout=subprocess.PIPE, text=True, check=True, timeout=60)
        assert done.stdout == alone


def test_a_timer_that_prof_inherits_is_the_programs(tmp_path):
    """An alarm stays over an exec: a time limit that a wrapper sets before it runs the program."""
    command = "import os, signal, sys\nsignal.setitimer(signal.ITIMER_REAL, 4)\nos.execv(sys.argv[1], sys.argv[1:])"
    done = subprocess.run(["/usr/bin/python3", "-c", command, str(PROF), "profile", "-t", "osrt", "-s", "none", "-o",
                           str(tmp_path / "r.db"), "sleep", "60"], stderr=subprocess.PIPE, text=True, check=False, timeout=50)
    assert done.returncode == 128 + signal.SIGALRM
    assert Report(tmp_path / "r.db").value("PRAGMA integrity_check") == "ok"


def test_waiting_for_the_program_only(tmp_path):
    """It may end before prof knows of it."""
    for _ in range(20):
        report = profile(tmp_path, "/bin/true", traces="osrt", options=["--wait=primary"])
        assert "nothing was traced" not in report.done.stderr
