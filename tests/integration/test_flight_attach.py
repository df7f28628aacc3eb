"""A flight recorder of a program that runs already: prof attach --flight-recorder."""
import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from flight import causes, folders, requests
from profiling import HAS_SANITIZER, Report, program
from sessions import consecutive, sessions, wait_until_ended  # noqa: F401

pytestmark = pytest.mark.skipif(HAS_SANITIZER, reason="the injected library is built with a sanitizer's runtime")
TRACE = "-t", "nvtx,osrt", "--sample=none", "--cpuctxsw=none"
SECOND = 10**9


class Server:
    """commanded_server, not started by prof, and the recorder that is attached to it."""

    def __init__(self, sessions, path):
        self.sessions, self.path = sessions, path
        self.process = subprocess.Popen([program("commanded_server")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        self.collectors = set()
        self.ask("hello")

    def attach(self, *options):
        self.prof = self.sessions.background("attach", self.process.pid, "--flight-recorder=1s", *TRACE, *options, "-o",
                                             self.path / "r", cwd=self.path)
        for line in self.prof.stderr:
            if line.startswith("prof: attached to "):
                with contextlib.suppress(ValueError):  # it has ended already
                    self.collectors.add(self.collector())
                return
        pytest.fail("prof attach failed")

    def collector(self):
        return self.sessions.described(f"attach-{self.process.pid}")["id"]

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def serve(self, seconds):
        time.sleep(seconds)
        return self.ask("hello")

    def is_as_before(self):
        maps = Path(f"/proc/{self.process.pid}/maps").read_text()
        return "memfd:prof" not in maps and len(os.listdir(f"/proc/{self.process.pid}/task")) == 1

    def wait_for_report(self, name):
        deadline = time.monotonic() + 60
        while not (self.path / name).exists() or list(self.path.glob(f"{name}.*")):
            assert time.monotonic() < deadline, list(self.path.iterdir())
            time.sleep(0.02)
        return Report(self.path / name)


@pytest.fixture
def server(sessions, tmp_path):
    made = Server(sessions, tmp_path)
    yield made
    made.process.kill()
    made.process.wait()
    for folder in (folder for collector in made.collectors for folder in folders(collector)):
        subprocess.run(["rm", "-r", folder], check=True)


def test_snapshots_a_trigger_and_the_end(server, sessions):
    trigger = "osrt:usleep:>250ms"
    server.attach("--trigger", trigger)
    last = server.serve(2.5)
    sessions.works("snapshot", "-o", server.path / "first")
    first = Report(server.path / "first.db")
    found = consecutive(sorted(requests(first)))
    assert found[-1] >= last and abs(first.value("SELECT duration FROM ANALYSIS_DETAILS") - SECOND) < SECOND / 100
    assert [each["TRIGGER"] for each in causes(first)] == ["request"]
    os.kill(server.prof.pid, signal.SIGUSR1)
    assert [each["TRIGGER"] for each in causes(server.wait_for_report("r.1.db"))] == ["signal"]
    slow = server.ask("slow") - 1
    report = server.wait_for_report("r.2.db")
    cause = causes(report)[0]
    assert cause["TRIGGER"] == trigger and cause["PID"] == str(server.process.pid)
    start, end = requests(report)[slow]
    assert end - start >= 300_000_000
    why = (f"the session attach-{server.process.pid} is a flight recorder; prof snapshot writes its last seconds, prof "
           "shutdown ends it")
    assert sessions.refuses("stop", "--session", f"attach-{server.process.pid}") == why
    last = server.serve(0.3)
    server.prof.send_signal(signal.SIGINT)
    assert server.prof.wait(60) == 0
    end = Report(server.path / "r.db")
    assert max(requests(end)) >= last
    assert [each["CAUSE"] for each in causes(end)] == ["The session was ended; the program went on."]
    assert server.is_as_before() and not sessions.states()
    # A second one, which another command ends. It does not end the program.
    server.attach("-f", "true")
    server.serve(0.5)
    sessions.works("shutdown", "--session", f"attach-{server.process.pid}")
    assert server.prof.wait(60) == 0
    server.serve(0.1)
    assert server.is_as_before()
    server.process.stdin.close()
    assert server.process.wait(60) == 0


@pytest.mark.parametrize("command, number", [("crash", signal.SIGSEGV), ("kill", signal.SIGKILL), ("end", 0)])
def test_the_program_ends(server, command, number):
    server.attach()
    last = server.serve(1.2)
    if command == "kill":
        server.process.kill()
    else:
        server.process.stdin.write(command + "\n")
        server.process.stdin.flush()
    assert server.process.wait(60) == -number
    assert server.prof.wait(60) == 0
    report = Report(server.path / "r.db")
    assert max(requests(report)) >= last - 1
    text, = (each["CAUSE"] for each in causes(report))
    major, minor = map(int, os.uname().release.split(".")[:2])
    if (major, minor) < (6, 15):
        assert text.startswith("The program ended. Its exit status is known")
    elif number:
        assert text.startswith(f"The program was ended by signal {number} (")
    else:
        assert text == "The program ended with exit status 0."


@pytest.mark.parametrize("who", ["prof", "collector", "all"])
def test_who_is_killed(server, sessions, who):
    """Nothing of the last second is lost, and the program is as before."""
    server.attach()
    last = server.serve(1.5)
    time.sleep(0.3)
    collector = server.collector()
    if who == "all":
        os.kill(collector, signal.SIGSTOP)
        os.killpg(server.prof.pid, signal.SIGKILL)
        server.process.kill()
    os.kill(server.prof.pid if who == "prof" else collector, signal.SIGKILL)
    if who == "prof":  # its guard ends the recording
        server.prof.wait(60)
        report = server.wait_for_report("r.db")
    else:
        wait_until_ended(collector)  # prof recover removes its folder
        if who == "collector":
            assert server.prof.wait(60) != 0  # by itself
        deadline = time.monotonic() + 60
        while (done := sessions.command("recover", server.path / "r.db.spool")).returncode:
            assert time.monotonic() < deadline, done.stderr
            time.sleep(0.2)
        report = Report(server.path / "r.db")
        assert any("prof was killed" in text for text in report.diagnostics())
    found = consecutive(sorted(requests(report)))
    assert found[-1] >= last - 1 and not (server.path / "r.db.spool").exists()
    sessions.wait_for(lambda states: not states)
    if who != "all":
        deadline = time.monotonic() + 60
        while not server.is_as_before():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        server.ask("hello")


def test_what_it_does_not_go_with(server, sessions):
    pid = server.process.pid
    assert "does not go with" in sessions.refuses("attach", pid, "--flight-recorder=1s", "-d", "1")
    assert "does not go with" in sessions.refuses("attach", pid, "--flight-recorder=1s", "--stats=true")
    assert "need --flight-recorder" in sessions.refuses("attach", pid, "--trigger", "osrt:usleep:>1s")
    (server.path / "r.db").touch()
    assert "r.db exists" in sessions.refuses("attach", pid, "--flight-recorder=1s", "-o", server.path / "r.db")
    assert server.is_as_before() and not sessions.states()
