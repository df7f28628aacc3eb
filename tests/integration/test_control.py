"""Recording begun and ended by signals, files, lines of text, and the program itself."""
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from profiling import PROF, Report, children, prof, program, wait_until
from sessions import numbers, sessions  # noqa: F401

TRACE = "-t", "nvtx,osrt"
MODULE = Path(__file__).resolve().parents[2] / "exporters" / "python"


def ask(path, *lines):
    """The answers of a command socket."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(path))
        connection.sendall("".join(line + "\n" for line in lines).encode())
        with connection.makefile() as answers:
            return [answers.readline().rstrip("\n") for _ in lines]


def consecutive(path):
    found = numbers(path)
    assert found and found == list(range(found[0], found[0] + len(found))), found
    return found


def marks(path):
    return [row["name"] for row in Report(path).nvtx(34)]


def profile(tmp_path, *options, words=(), **more):
    return subprocess.Popen([str(PROF), "profile", *TRACE, "--kill=none", "-o", str(tmp_path / "r.db"), *options,
                             *map(str, words or (program("numbered_ranges"), 60))], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, start_new_session=True, **more)


def commands_of(pid):
    """The command socket of the session that a program runs in."""
    words = dict(word.split("=", 1) for word in Path(f"/proc/{pid}/environ").read_text().split("\0") if "=" in word)
    return Path(words["PROF_SESSION"]) / "commands" if "PROF_SESSION" in words else None


def goes_on(pid):
    """Returns when the program has made some more ranges: it sleeps in each."""
    def sleeps():
        return int(re.search(r"(?m)^voluntary_ctxt_switches:\s*(\d+)", Path(f"/proc/{pid}/status").read_text())[1])
    before = sleeps()
    wait_until(lambda: sleeps() >= before + 50)


def running(process):
    """The program, when it has joined the session and made its first ranges."""
    wait_until(lambda: children(process.pid))
    pid, = children(process.pid)
    wait_until(lambda: commands_of(pid) and "memfd:prof" in Path(f"/proc/{pid}/maps").read_text())
    goes_on(pid)
    return pid


def ended(process, pid):
    """prof is done and leaves the program running."""
    process.wait(60)
    os.kill(pid, signal.SIGKILL)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors


@pytest.mark.parametrize("stop", [signal.SIGUSR2, signal.SIGUSR1])
def test_signals_to_prof(tmp_path, stop):
    """Two signals, or one that does both. The program gets none of them."""
    process = profile(tmp_path, "--start-on=signal:SIGUSR1", f"--stop-on=signal:{stop.name[3:]}")
    pid = running(process)
    state = commands_of(pid)
    assert ask(state, "status") == ["ok DelayedCollection"]
    process.send_signal(signal.SIGUSR1)
    wait_until(lambda: ask(state, "status") == ["ok Collection"])
    goes_on(pid)
    process.send_signal(stop)
    ended(process, pid)
    assert consecutive(tmp_path / "r.db")[0] > 0


def test_files_that_appear(tmp_path):
    """A file that was there before is an event only when it is touched."""
    (tmp_path / "go").write_text("old")
    process = profile(tmp_path, "--start-on=file:go", f"--stop-on=file:{tmp_path}/done", cwd=tmp_path)
    pid = running(process)
    state = commands_of(pid)
    time.sleep(0.3)
    assert ask(state, "status") == ["ok DelayedCollection"]
    os.utime(tmp_path / "go")
    wait_until(lambda: ask(state, "status") == ["ok Collection"])
    goes_on(pid)
    (tmp_path / "done").write_text("")
    ended(process, pid)
    assert consecutive(tmp_path / "r.db")[0] > 0


def test_a_recording_that_only_has_an_end(tmp_path):
    process = profile(tmp_path, "--stop-on=signal:12")
    pid = running(process)
    process.send_signal(12)
    ended(process, pid)
    assert consecutive(tmp_path / "r.db")[0] == 0


def test_nothing_starts_it(tmp_path):
    done = prof("profile", *TRACE, "--start-on=file:never", "-o", tmp_path / "r", program("numbered_ranges"), 0.1)
    assert done.returncode == 0 and "nothing had started the recording (--start-on=file:never)" in done.stderr
    assert not numbers(tmp_path / "r.db")


@pytest.mark.parametrize("words, why", [
    (("--start-on=hotkey",), "hot keys are not supported"),
    (("--start-on=hotkey:F12",), "hot keys are not supported"),
    (("--start-on=signal:SIGINT",), "prof cannot wait for SIGINT"),
    (("--stop-on=signal:SIGNOT",), "not a signal: SIGNOT"),
    (("--stop-on=file:",), "unknown event file:"),
    (("--start-on=word",), "unknown event word (known: none, signal:SIGNAL, file:PATH, control)"),
    (("--start-on=control", "-y", "1"), "--start-on and --delay contradict each other"),
    (("--start-on=control", "-c", "cudaProfilerApi"), "do not go with --capture-range")])
def test_what_is_refused(words, why):
    done = prof("profile", *words, "true")
    assert done.returncode == 2 and why in done.stderr and done.stderr.count("\n") == 1, done


def test_lines_of_text(sessions, tmp_path):
    sessions.running(*TRACE, program("numbered_ranges"), 60)
    path = sessions.described()["commands"]
    assert ask(path, "status", "stop", "nonsense", "mark before") == [
        "ok Launched", "error the session [default] is not collecting",
        "error unknown command; known: start, stop, mark, status", "ok"]
    assert ask(path, f"start -o '{tmp_path}/a b' -f true", "start") == [
        f"ok {tmp_path}/a b.db", "error the session [default] is collecting already; prof stop ends that"]
    assert ask(path, "mark  one two ", "status") == ["ok", "ok Collection"]
    goes_on(sessions.described()["programs"][0])
    assert ask(path, "stop", "mark after", "status") == [f"ok {tmp_path}/a b.db", "ok", "ok Launched"]
    wait_until((tmp_path / "a b.db").exists)
    consecutive(tmp_path / "a b.db")
    assert marks(tmp_path / "a b.db") == ["one two"]
    assert "unknown option --nosuch" in ask(path, "start --nosuch")[0]
    assert ask(path, "start -o '") == ["error start: a quotation mark is missing"]
    sessions.works("shutdown")


def test_lines_of_a_shell(sessions, tmp_path):
    """As a probe of Kubernetes or a script sends them. The report is made in the folder of prof launch."""
    sessions.running(*TRACE, program("numbered_ranges"), 60, cwd=tmp_path)
    path = sessions.described()["commands"]
    for command, answer in (("start", f"ok {tmp_path}/report1.db\n"), ("stop", f"ok {tmp_path}/report1.db\n")):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(path)
            connection.sendall(command.encode())  # no line end, as by printf
            connection.shutdown(socket.SHUT_WR)
            assert connection.makefile().read() == answer
        goes_on(sessions.described()["programs"][0])
    wait_until((tmp_path / "report1.db").exists)
    consecutive(tmp_path / "report1.db")
    sessions.works("shutdown")


def test_a_line_without_end(sessions):
    sessions.running(*TRACE, program("numbered_ranges"), 60)
    path = sessions.described()["commands"]
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        try:
            connection.sendall(b"x" * 100_000)
        except OSError:
            pass  # it has been refused before all of it was sent
    idle = [socket.socket(socket.AF_UNIX) for _ in range(200)]  # more than are heard at once
    for connection in idle:
        connection.setblocking(False)
        connection.connect_ex(path)
    assert sessions.states() == {"[default]": "Launched"}
    for connection in idle:
        connection.close()
    assert ask(path, "status") == ["ok Launched"]
    sessions.works("shutdown")


def test_triggers_in_a_session(sessions, tmp_path):
    """The signal goes to the session's collector, whose id prof sessions list prints."""
    launched = sessions.running(*TRACE, program("numbered_ranges"), 60)
    collector = sessions.described()["id"]
    for i in range(2):
        sessions.works("start", "-o", tmp_path / f"r{i}", "--start-on=signal:USR1", "--stop-on=file:done", cwd=tmp_path)
        assert sessions.states() == {"[default]": "DelayedCollection"}
        assert "waits for --start-on" in sessions.refuses("stop")
        assert "waits for --start-on" in sessions.refuses("start")
        os.kill(collector, signal.SIGUSR1)
        sessions.wait_for(lambda states: states == {"[default]": "Collection"})
        goes_on(sessions.described()["programs"][0])
        (tmp_path / "done").touch()
        sessions.wait_for(lambda states: states == {"[default]": "Launched"})
        wait_until((tmp_path / f"r{i}.db").exists)
        consecutive(tmp_path / f"r{i}.db")
    os.kill(collector, signal.SIGUSR1)  # nothing waits for it any more
    sessions.works("start", "-o", tmp_path / "never", "--start-on=control")
    sessions.works("cancel")
    sessions.works("start", "-o", tmp_path / "never", "--start-on=control")
    sessions.works("shutdown")
    launched.wait(60)
    assert not (tmp_path / "never.db").exists()


def test_a_trigger_that_never_comes(sessions, tmp_path):
    sessions.works("start", "-o", tmp_path / "r", "--start-on=control")
    done = sessions.works("launch", *TRACE, program("numbered_ranges"), 0.1)
    assert "before anything started the collection (--start-on=control)" in done.stderr
    assert not list(tmp_path.iterdir()) and not sessions.list()


PYTHON = ("import prof_control, sys, warnings; warnings.simplefilter('error')\n"
          "print(prof_control.mark('outside'), prof_control.start(sys.argv[1]), prof_control.mark('in\\nside'),\n"
          "      prof_control.stop(), prof_control.mark('outside'), flush=True)\n"
          "try: prof_control.stop()\nexcept RuntimeWarning as warning: print(warning)\n")


def test_the_python_module(sessions, tmp_path):
    environment = {"PYTHONPATH": str(MODULE)}
    done = sessions.works("launch", *TRACE, "-e", f"PYTHONPATH={MODULE}", sys.executable, "-c", PYTHON,
                          f"-o {tmp_path}/r")
    assert done.stdout == ("True True True True True\n"
                           "prof: stop: the session [default] is not collecting\n")
    assert marks(tmp_path / "r.db") == ["in side"]
    plain = subprocess.run([sys.executable, "-c", PYTHON, ""], env={**os.environ, **environment}, check=True,
                           stdout=subprocess.PIPE, text=True)
    assert plain.stdout == "False False False False False\n"
    gone = subprocess.run([sys.executable, "-c", PYTHON, ""], check=True, stdout=subprocess.PIPE, text=True,
                          env={**os.environ, **environment, "PROF_SESSION": "/nonexistent"})
    assert gone.stdout == "False False False False False\n"


@pytest.mark.parametrize("name", ["controls_itself", "controls_itself_cxx"])
def test_the_header(sessions, tmp_path, name):
    """It numbers its ranges; those with 10 to 19 are recorded."""
    done = sessions.works("launch", *TRACE, program(name), cwd=tmp_path)
    assert done.stdout == "1 1 1 1, refused -1\n"
    assert numbers(tmp_path / "report1.db") == list(range(10, 20))
    assert marks(tmp_path / "report1.db") == ["in the middle"]
    plain = subprocess.run([program(name)], check=True, stdout=subprocess.PIPE, text=True)
    assert plain.stdout == "0 0 0 0, refused 0\n"


def test_a_program_that_controls_prof_profile(tmp_path):
    done = prof("profile", *TRACE, "--start-on=control", "--stop-on=control", "--kill=none", "-o", tmp_path / "r",
                program("controls_itself"))
    assert done.returncode == 0 and numbers(tmp_path / "r.db") == list(range(10, 20))
    assert marks(tmp_path / "r.db") == ["in the middle"]
    whole = prof("profile", *TRACE, "-o", tmp_path / "whole", program("controls_itself"))
    assert whole.stdout == "-1 1 1 -1, refused -1\n" and numbers(tmp_path / "whole.db") == list(range(30))
    assert marks(tmp_path / "whole.db") == ["in the middle", "after it"]
