"""Interrupting, terminating and killing prof: the target decides, then --kill; the data are kept."""
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from profiling import BUILD, PROF, Report, preloads_into_prof, prof, program


def start(tmp_path, *command, group=False, options=()):
    process = subprocess.Popen(
        [str(PROF), "profile", "-t", "nvtx,osrt", "--osrt-threshold", "0", *options, "-o",
         str(tmp_path / "r.db"), "--", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, start_new_session=group)
    return process


def wait_for_line(process):
    return process.stdout.readline()


HANDLER = ("import signal, sys, time\n"
           "signal.signal(signal.SIGTERM, lambda *_: sys.exit(5))\n"
           "print('ready', flush=True)\n"
           "while True: time.sleep(0.01)\n")


def test_sigterm_is_passed_on_and_the_report_written(tmp_path):
    process = start(tmp_path, "/usr/bin/python3", "-c", HANDLER)
    wait_for_line(process)
    time.sleep(0.2)  # a few rounds of its loop
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 5
    assert Report(tmp_path / "r.db").calls()["clock_nanosleep"] > 0


def test_interrupt_of_the_whole_group(tmp_path):
    process = start(tmp_path, "/usr/bin/python3", "-c",
                    "import time\nprint('ready', flush=True)\ntime.sleep(60)", group=True)
    wait_for_line(process)
    time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(20) != 0
    assert Report(tmp_path / "r.db").value("SELECT count(*) FROM OSRT_API") > 0


STUBBORN = ("import os, signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
            "print(os.getpid(), flush=True)\ntime.sleep(60)")


def test_third_interrupt_ends_a_stubborn_program(tmp_path):
    """At once, by the signal of --kill."""
    process = start(tmp_path, "/usr/bin/python3", "-c", STUBBORN)
    wait_for_line(process)
    for _ in range(3):
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
    assert process.wait(20) == 128 + signal.SIGTERM
    assert (tmp_path / "r.db").exists()


def test_an_interrupt_is_followed_by_the_signal_of_kill(tmp_path):
    """The program did not end by itself in the time that it has for that."""
    process = start(tmp_path, "/usr/bin/python3", "-c", STUBBORN, options=["--kill=sigkill"])
    wait_for_line(process)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 128 + signal.SIGKILL
    assert (tmp_path / "r.db").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_program_that_is_left_running(tmp_path, number):
    """With --kill=none the first signal makes the report. The program does not even get it."""
    process = start(tmp_path, "/usr/bin/python3", "-c",
                    "import os, time\nprint(os.getpid(), flush=True)\nwhile True: time.sleep(0.01)",
                    options=["--kill=none"])
    target = int(wait_for_line(process))
    time.sleep(0.1)
    process.send_signal(number)
    assert process.wait(20) == 0
    assert Report(tmp_path / "r.db").calls()["clock_nanosleep"] > 0
    os.kill(target, signal.SIGKILL)


def test_an_interrupt_ends_the_collection(tmp_path):
    """What the program does afterwards is not part of the report."""
    process = start(tmp_path, "/usr/bin/python3", "-S", "-c",
                    "import os, signal, sys, time\ndef handler(*_):\n time.sleep(0.3)\n"
                    " for _ in range(50): os.close(os.open('/', 0))\n sys.exit(3)\n"
                    "signal.signal(signal.SIGINT, handler)\nprint('ready', flush=True)\n"
                    "while True: time.sleep(0.01)\n")
    wait_for_line(process)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    ends_with(process, 3)
    report = Report(tmp_path / "r.db")
    calls = report.calls()
    assert calls["clock_nanosleep"] > 0 and calls["open64"] + calls["open"] + calls["openat"] < 50, calls
    assert report.value("SELECT max(start) FROM OSRT_API") <= report.value("SELECT duration FROM ANALYSIS_DETAILS")


def test_killed_profiler_leaves_a_recording(tmp_path):
    process = start(tmp_path, program("thousand_then"), "stop")
    spool = tmp_path / "r.db.spool"
    for _ in range(100):
        time.sleep(0.05)
        if spool.exists() and spool.stat().st_size > 50_000:
            break
    time.sleep(0.2)
    target = int(subprocess.run(["pgrep", "-P", str(process.pid)], stdout=subprocess.PIPE, check=True,
                                text=True).stdout.split()[0])
    process.kill()
    process.wait()
    os.kill(target, 0)  # the target runs on without prof
    os.kill(target, signal.SIGKILL)
    again = prof("profile", "-o", tmp_path / "r.db", "true")
    assert again.returncode == 1 and "prof recover" in again.stderr
    done = prof("recover", spool)
    assert done.returncode == 0, done.stderr
    report = Report(tmp_path / "r.db")
    assert report.value("PRAGMA integrity_check") == "ok"
    assert len(report.nvtx(59)) == 1000 and report.calls()["write"] == 1000
    assert any("recovered" in text for text in report.diagnostics())
    assert not spool.exists()


def test_torn_recording_keeps_what_is_whole(tmp_path):
    process = start(tmp_path, program("thousand_then"), "stop")
    time.sleep(0.5)
    target = int(subprocess.run(["pgrep", "-P", str(process.pid)], stdout=subprocess.PIPE, check=True,
                                text=True).stdout.split()[0])
    process.kill()
    process.wait()
    os.kill(target, signal.SIGKILL)
    spool = tmp_path / "r.db.spool"
    whole = spool.read_bytes()
    spool.write_bytes(whole[:len(whole) // 2])
    done = prof("recover", spool, "-o", tmp_path / "half.db")
    assert done.returncode == 0, done.stderr
    assert Report(tmp_path / "half.db").value("PRAGMA integrity_check") == "ok"


@preloads_into_prof
@pytest.mark.parametrize("environment, statuses", [({}, (3,)), ({"TAKE_STATUS": "1"}, (3, 0))])
def test_another_tool_inside_prof_takes_its_signals(tmp_path, environment, statuses):
    """compute-sanitizer, for example, adds threads to every program that it starts. prof still notices that the
    program has ended."""
    taker = BUILD / "bin" / "programs" / "libsignal_taker.so"
    done = prof("profile", "-t", "osrt", "-o", tmp_path / "r.db", "--", "sh", "-c", "sleep 0.3; exit 3",
                env={**os.environ, "LD_PRELOAD": str(taker), **environment}, timeout=30)
    assert done.returncode in statuses, done.stderr  # the first that waits gets the exit status
    assert ("taken by another tool" in done.stderr) == (done.returncode == 0)
    assert Report(tmp_path / "r.db").tables()


def python_target(text):
    return ["/usr/bin/python3", "-S", "-c", "import os, signal, sys, time\n" + text]


def ends_with(process, status):
    out, err = process.communicate(timeout=30)
    assert process.returncode == status, err
    return out, err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_a_program_ended_by_a_signal(tmp_path, number):
    process = start(tmp_path, "sh", "-c", "echo ready; ulimit -c 0; exec sleep 60")
    wait_for_line(process)
    time.sleep(0.2)
    process.send_signal(number)
    ends_with(process, 128 + number)
    assert Report(tmp_path / "r.db").calls()["clock_nanosleep"] == 0  # it never returned
    assert not list(tmp_path.glob("*.spool"))


def test_programs_that_need_two_interrupts(tmp_path):
    process = start(tmp_path, *python_target(
        # Not print(): the first signal may come while print() writes "ready", and Python allows no print() inside of that.
        "count = 0\ndef handler(*_):\n global count\n count += 1\n os.write(1, b'%d\\n' % count)\n"
        " if count == 2: sys.exit(3)\nsignal.signal(signal.SIGINT, handler)\nprint('ready', flush=True)\n"
        "while True: time.sleep(0.01)\n"))
    wait_for_line(process)
    for expected in ("1", "2"):
        process.send_signal(signal.SIGINT)
        assert wait_for_line(process).strip() == expected
    ends_with(process, 3)
    assert (tmp_path / "r.db").exists()


def test_many_interrupts_keep_the_report(tmp_path):
    """More interrupts than prof handles, while the session ends and the report is written."""
    process = start(tmp_path, "sh", "-c", "echo ready; exec sleep 60")
    wait_for_line(process)
    time.sleep(0.1)
    for _ in range(2):
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGHUP)
    ends_with(process, process.wait(30))
    assert (tmp_path / "r.db").exists() and process.returncode in (128 + 1, 128 + 2)


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT])
def test_signals_that_are_ignored_stay_ignored(tmp_path, number):
    """nohup, and a script's background jobs: the signal is for neither prof nor the program."""
    script = (f"trap '' {number.name[3:]}; exec {PROF} profile -t osrt -o {tmp_path}/r.db "
              "sh -c 'echo ready; sleep 1; exit 4'")
    process = subprocess.Popen(["sh", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
    wait_for_line(process)
    for _ in range(4):
        process.send_signal(number)
        time.sleep(0.05)
    _, err = ends_with(process, 4)
    assert "without waiting" not in err


def test_a_signal_that_the_program_sends_to_its_group(tmp_path):
    """The program ends its workers with kill(0, ...) and goes on. prof is in the same group, but must go on
    too."""
    process = start(tmp_path, *python_target(
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "for _ in range(4): os.kill(0, signal.SIGINT)\nos.kill(0, signal.SIGTERM)\n"
        "time.sleep(6)\nsys.exit(9)\n"), group=True)
    _, err = ends_with(process, 9)
    assert "without waiting" not in err
    assert Report(tmp_path / "r.db").calls()["clock_nanosleep"] == 1


def test_a_signal_to_its_group_from_a_program_that_has_just_joined(tmp_path):
    """prof is stopped until that program has ended, so it gets the signal before it learns of its sender."""
    sender = "import os, signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); os.kill(0, signal.SIGTERM)"
    process = subprocess.Popen(
        [str(PROF), "profile", "-t", "osrt", "-o", str(tmp_path / "r.db"), "--", *python_target(
            "import subprocess\ncount = 0\ndef handler(*_):\n global count\n count += 1\n"
            "signal.signal(signal.SIGTERM, handler)\nprint('ready', flush=True)\nsys.stdin.readline()\n"
            f"subprocess.run([sys.executable, '-c', {sender!r}])\nprint('sent', flush=True)\n"
            "sys.stdin.readline()\nsys.exit(count)\n")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)

    def is_pending():
        status = Path(f"/proc/{process.pid}/status").read_text()
        return int(re.search(r"ShdPnd:\s*(\w+)", status)[1], 16) >> signal.SIGTERM - 1 & 1

    wait_for_line(process)
    process.send_signal(signal.SIGSTOP)
    process.stdin.write("\n")
    process.stdin.flush()
    wait_for_line(process)
    assert is_pending()
    process.send_signal(signal.SIGCONT)
    while is_pending():
        time.sleep(0.01)
    _, err = process.communicate("\n", timeout=30)
    assert process.returncode == 1, "the target got it twice: " + err


def test_a_terminal_that_is_closed(tmp_path):
    pid, terminal = os.forkpty()
    if pid == 0:
        os.execv(PROF, [str(PROF), "profile", "-t", "osrt", "-o", str(tmp_path / "r.db"), "sh", "-c",
                        "echo ready; sleep 60"])
    assert b"ready" in os.read(terminal, 100)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 128 + signal.SIGHUP
    assert (tmp_path / "r.db").exists()


def test_a_terminals_interrupt(tmp_path):
    pid, terminal = os.forkpty()
    if pid == 0:
        os.execv(PROF, [str(PROF), "profile", "-t", "osrt", "-o", str(tmp_path / "r.db"), "--",
                        *python_target("count = 0\ndef handler(*_):\n global count\n count += 1\n"
                                       "signal.signal(signal.SIGINT, handler)\nprint('ready', flush=True)\n"
                                       "while not count: time.sleep(0.01)\n"
                                       "time.sleep(0.5)\nsys.exit(count)\n")])
    while b"ready" not in os.read(terminal, 100):
        pass
    os.write(terminal, b"\x03")
    text = b""
    try:
        while chunk := os.read(terminal, 1000):
            text += chunk
    except OSError:
        pass  # a terminal reports like this that all processes have closed it
    # Only once: a signal of the terminal is not passed on again.
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 1, text
    assert b"Generated" in text


@pytest.mark.parametrize("streams", ["<&- >&- 2>&-", "2>&-", ">&-", "<&-", "2>/dev/full", ">/dev/full"])
def test_standard_streams_that_are_closed_or_full(tmp_path, streams):
    listing = f"ls -l /proc/self/fd | sed 's/.*:.. //; s/[0-9][0-9]*//g' > {tmp_path}/descriptors; exit 7"
    (tmp_path / "script").write_text(listing)
    subprocess.run(["sh", "-c", f"sh {tmp_path}/script {streams}"], check=False)
    plain = (tmp_path / "descriptors").read_text()
    command = f"{PROF} profile -t osrt -o {tmp_path}/r.db sh {tmp_path}/script {streams}"
    assert subprocess.run(["sh", "-c", command], check=False, timeout=60).returncode == 7
    assert (tmp_path / "descriptors").read_text() == plain
    assert Report(tmp_path / "r.db").value("PRAGMA integrity_check") == "ok"
    assert not list(tmp_path.glob("*.spool"))


def test_messages_that_nobody_reads(tmp_path):
    command = (f"({PROF} profile -t osrt -o {tmp_path}/r.db {program('static_program')} >/dev/null; "
               f"echo $? > {tmp_path}/status) 2>&1 | true")
    subprocess.run(["sh", "-c", command], check=True, timeout=60)
    while not (tmp_path / "status").exists() or not (tmp_path / "status").read_text():
        time.sleep(0.05)
    assert (tmp_path / "status").read_text() == "6\n"
    assert (tmp_path / "r.db").exists() and not list(tmp_path.glob("*.spool"))


def test_a_background_job_of_an_interactive_shell(tmp_path):
    """Stopped together with the program when that reads from the terminal, and continued with it."""
    pid, terminal = os.forkpty()
    if pid == 0:
        os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
    lines = (f"{PROF} profile -t osrt -o {tmp_path}/r.db sh -c 'read x; echo got $x; exit 6' &\n",
             "sleep 1; jobs; fg\n", "word\n", "echo status $?\n", "exit\n")
    text = b""
    for line in lines:
        os.write(terminal, line.encode())
        time.sleep(1.5 if "jobs" in line else 0.5)
    try:
        while chunk := os.read(terminal, 4096):
            text += chunk
    except OSError:
        pass
    os.waitpid(pid, 0)
    assert b"got word" in text and b"status 6" in text, text
    assert (tmp_path / "r.db").exists()
