"""prof attach: what it records of a program that runs, and what it leaves in the program."""
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cuda_app import APP, CUPTI, needs_cuda
from difficult_runs import NOBODY
from profiling import BUILD, HAS_SANITIZER, Report, children, program
from sessions import consecutive, sessions  # noqa: F401

pytestmark = pytest.mark.skipif(HAS_SANITIZER, reason="the injected library is built with a sanitizer's runtime")
PLUGIN = BUILD / "bin" / "programs" / "opened" / "libattach_plugin.so"
OPTIONS = "-t", "nvtx,osrt", "--osrt-threshold=0", "--sample=none"


def pointers_to_prof(process):
    """How many words in variables of a program's files are addresses in prof's library."""
    ranges = [(int(a, 16), int(b, 16), what, path) for a, b, what, path in
              re.findall(r"^(\w+)-(\w+) (\S+) \S+ \S+ \d+ +(/.*)$", Path(f"/proc/{process}/maps").read_text(), re.M)]
    ours = [(begin, end) for begin, end, _, path in ranges if path.endswith("libprof_inject.so")]
    if not ours:
        return 0
    low, high = min(ours)[0], max(ours)[1]
    found = 0
    with open(f"/proc/{process}/mem", "rb", buffering=0) as memory:
        for begin, end, what, path in ranges:
            if "x" in what or "prof" in Path(path).name or "ld-linux" in path or path.endswith("libc.so.6"):
                continue
            memory.seek(begin)
            with contextlib.suppress(OSError):
                words = memoryview(memory.read(end - begin)).cast("Q")
                found += sum(low <= word < high for word in words)
    return found


class Program:
    """A program that does what is written to its standard input."""

    def __init__(self, *command, **options):
        self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
        assert self.process.stdout.readline() == "ready\n"
        self.pid = self.process.pid

    def does(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n"

    def end(self):
        out, error = self.process.communicate(timeout=60)
        return self.process.returncode, out, error

    def mappings(self):
        """Without addresses of the heap and of stacks, which the program changes itself."""
        return [line for line in Path(f"/proc/{self.pid}/maps").read_text().splitlines() if "[" not in line]

    def pointers_to_prof(self):
        return pointers_to_prof(self.pid)

    def state(self):
        return (self.mappings(), sorted(os.listdir(f"/proc/{self.pid}/fd")), len(os.listdir(f"/proc/{self.pid}/task")),
                self.pointers_to_prof(), Path(f"/proc/{self.pid}/environ").read_bytes())


@pytest.fixture
def server():
    started = []

    def start(name="attach_server", threads=4):
        started.append(Program(program(name), threads))
        return started[-1]

    yield start
    for each in started:
        if each.process.poll() is None:
            assert each.end() == (7, "", "")


class Attached:
    """prof attach in the background, until it is interrupted."""

    def __init__(self, sessions, pid, output, *options):
        self.output = output
        self.prof = sessions.background("attach", pid, "-o", output, *options)
        lines = iter(self.prof.stderr.readline, "")
        said = []
        for line in lines:
            said.append(line)
            if line.startswith("prof: attached to "):
                break
        else:
            pytest.fail("".join(said))
        self.first = said[-1]

    def ends(self):
        """By ^C."""
        self.prof.send_signal(signal.SIGINT)
        out, error = self.prof.communicate(timeout=60)
        assert self.prof.returncode == 0, out + error
        return Report(self.output)


def calls(report, name):
    return report.value("SELECT count(*) FROM OSRT_API o JOIN StringIds s ON s.id = o.nameId WHERE s.value = ?", name)


def ranges(report, text):
    return report.value("SELECT count(*) FROM NVTX_EVENTS n LEFT JOIN StringIds s ON s.id = n.textId "
                        "WHERE n.eventType = 59 AND coalesce(n.text, s.value) = ?", text)


@pytest.mark.parametrize("name", ["attach_server", "attach_server_lazy"])
def test_calls_and_ranges_are_those_that_the_program_made(sessions, server, tmp_path, name):
    running = server(name)
    running.does("work 100")
    attached = Attached(sessions, running.pid, tmp_path / "r.db", *OPTIONS)
    running.does("work 250")
    running.does(f"load {PLUGIN} 37")
    running.does("fork 21")
    running.does("domain 5")
    report = attached.ends()
    running.does("work 100")
    assert calls(report, "sched_yield") == 4 * 250 + 37 + 21
    assert ranges(report, "request") == 4 * 250 and ranges(report, "step") == 10
    assert calls(report, "fork") == 1
    named = report.query("SELECT coalesce(n.text, s.value) name FROM NVTX_EVENTS n LEFT JOIN StringIds s "
                         "ON s.id = n.textId WHERE n.eventType = 75")
    assert [row["name"] for row in named] == ["late"]
    assert running.end() == (7, "", "")


@pytest.mark.parametrize("name", ["attach_server", "attach_server_lazy"])
def test_nothing_is_left_behind(sessions, server, tmp_path, name):
    """Except for the library, which is used again: nothing grows."""
    running = server(name)
    running.does("work 10")
    running.does(f"load {PLUGIN} 1")
    running.does("fork 1")
    _, descriptors, threads, pointers, environment = running.state()
    assert pointers == 0
    states = []
    for i in range(4):
        attached = Attached(sessions, running.pid, tmp_path / f"r{i}.db", *OPTIONS)
        assert running.pointers_to_prof() > 0
        running.does(f"work {i + 1}")
        report = attached.ends()
        assert calls(report, "sched_yield") == ranges(report, "request") == 4 * (i + 1)
        states.append(running.state())
    assert states[1] == states[2] == states[3]
    assert states[3][1:] == (descriptors, threads, 0, environment)


def test_a_domain_is_known_to_later_sessions(sessions, server, tmp_path):
    running = server()
    for i in range(2):
        attached = Attached(sessions, running.pid, tmp_path / f"r{i}.db", *OPTIONS)
        running.does("domain 3")
        report = attached.ends()
        names = report.query("SELECT coalesce(n.text, s.value) name FROM NVTX_EVENTS n LEFT JOIN StringIds s "
                             "ON s.id = n.textId WHERE n.eventType = 75")
        assert {row["name"] for row in names} == {"late"}


def test_registers_and_sleeps_are_as_before(sessions, tmp_path):
    running = Program(program("attach_registers"))
    for i in range(5):
        sessions.works("attach", running.pid, "-d", "0.05", "-o", tmp_path / f"r{i}.db", "--sample=none")
    assert running.end() == (0, "", "")


def test_for_some_time(sessions, server, tmp_path):
    running = server()
    done = sessions.works("attach", running.pid, "-d", "0.2", "-o", tmp_path / "r.db", "-t", "osrt")
    assert str(running.pid) in done.stderr and (tmp_path / "r.db").exists()
    sessions.wait_for(lambda states: not states)
    assert running.pointers_to_prof() == 0


def test_the_program_ends_first(sessions, server, tmp_path):
    running = server()
    attached = Attached(sessions, running.pid, tmp_path / "r.db", *OPTIONS)
    running.does("work 11")
    assert running.end() == (7, "", "")
    assert attached.prof.wait(60) == 0
    assert calls(Report(tmp_path / "r.db"), "sched_yield") == 44
    sessions.wait_for(lambda states: not states)


@pytest.mark.parametrize("who", ["prof", "collector"])
def test_who_is_killed(sessions, server, tmp_path, who):
    """Nothing of prof's is called any more, and the program can be attached to again."""
    running = server()
    attached = Attached(sessions, running.pid, tmp_path / "r.db", *OPTIONS)
    running.does("work 3")
    collector = sessions.described(f"attach-{running.pid}")["id"]
    os.kill(attached.prof.pid if who == "prof" else collector, signal.SIGKILL)
    if who == "collector":
        attached.prof.send_signal(signal.SIGINT)
    attached.prof.wait(60)
    deadline = time.monotonic() + 60
    while running.pointers_to_prof() > 0 or len(os.listdir(f"/proc/{running.pid}/task")) > 5:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    sessions.wait_for(lambda states: not states)
    running.does("work 5")
    again = Attached(sessions, running.pid, tmp_path / "again.db", *OPTIONS)
    running.does("work 2")
    assert calls(again.ends(), "sched_yield") == 8


def kill_with_guard(prof):
    both = (*children(prof.pid), prof.pid)
    for number in (signal.SIGSTOP, signal.SIGKILL):  # stopped, the guard cannot see prof end and detach
        for pid in both:
            os.kill(pid, number)
    prof.wait()  # the collector has its standard error, too


def test_prof_and_its_guard_are_killed_together(sessions, server, tmp_path):
    """The session's collector writes the report and detaches."""
    running = server()
    attached = Attached(sessions, running.pid, tmp_path / "r.db", *OPTIONS)
    running.does("work 5")
    kill_with_guard(attached.prof)
    sessions.wait_for(lambda states: not states)
    assert running.pointers_to_prof() == 0
    assert calls(Report(attached.output), "sched_yield") == 20


def test_prof_its_guard_and_the_collector_are_killed(sessions, server, tmp_path):
    """The next prof attach takes back what they have changed."""
    running = server()
    attached = Attached(sessions, running.pid, tmp_path / "r.db", *OPTIONS)
    collector = sessions.described(f"attach-{running.pid}")["id"]
    os.kill(collector, signal.SIGSTOP)
    kill_with_guard(attached.prof)
    assert "is attached to already" in sessions.refuses("attach", running.pid)
    os.kill(collector, signal.SIGKILL)
    again = Attached(sessions, running.pid, tmp_path / "again.db", *OPTIONS)
    running.does("work 2")
    assert calls(again.ends(), "sched_yield") == 8
    assert running.pointers_to_prof() == 0


def test_nothing_stays_if_the_recording_cannot_begin(sessions, server, tmp_path):
    running = server()
    (tmp_path / "r.db").write_text("of somebody")
    assert "r.db exists" in sessions.refuses("attach", running.pid, "-o", tmp_path / "r.db", *OPTIONS)
    assert running.pointers_to_prof() == 0 and sessions.list() == []
    assert (tmp_path / "r.db").read_text() == "of somebody"


def test_another_session_that_does_not_answer(sessions, server, tmp_path):
    """Its collector is stopped. Everything about other sessions works, and prof sessions names it."""
    sessions.running("-t", "nvtx", "--session-new=stuck", "sleep", 60, name="stuck")
    stuck = sessions.described("stuck")["id"]
    os.kill(stuck, signal.SIGSTOP)
    try:
        running = server()
        attached = Attached(sessions, running.pid, tmp_path / "r.db", *OPTIONS)
        running.does("work 5")
        assert calls(attached.ends(), "sched_yield") == 20
        listed = sessions.works("sessions", "list").stdout.splitlines()
        assert [line.split()[-1] for line in listed if "No answer" in line] == ["stuck"]
    finally:
        os.kill(stuck, signal.SIGCONT)
    sessions.works("shutdown", "--session=stuck", "--kill=sigkill")


def test_prof_is_killed_at_any_moment(sessions, server, tmp_path):
    """With the process that traces the program: its thread comes back alone."""
    running = server()
    for i in range(12):
        prof = sessions.background("attach", running.pid, "-o", tmp_path / f"k{i}.db", *OPTIONS)
        time.sleep(0.004 * i)
        os.killpg(prof.pid, signal.SIGKILL)
        prof.communicate()
        running.does("work 3")
    deadline = time.monotonic() + 60
    while (refused := sessions.command("attach", running.pid, "-d", "0.01", "-f", "true", "-o", tmp_path / "r.db")).returncode:
        assert time.monotonic() < deadline, refused.stderr
        time.sleep(0.2)
    attached = Attached(sessions, running.pid, tmp_path / "last.db", *OPTIONS)
    running.does("work 7")
    assert calls(attached.ends(), "sched_yield") == 28
    assert running.pointers_to_prof() == 0


def test_the_whole_tree(sessions, server, tmp_path):
    running = Program(sys.executable, "-c", f"""
import subprocess, sys
subprocess.run([{program("attach_server")!r}, "3"], check=False)
""")
    attached = Attached(sessions, running.pid, tmp_path / "r.db", *OPTIONS)
    assert "2 processes" in attached.first
    running.does("work 9")
    assert calls(attached.ends(), "sched_yield") == 27
    assert running.end() == (0, "", "")


def test_by_name(sessions, tmp_path):
    named = tmp_path / "some_server"
    shutil.copy(program("attach_server"), named)
    running = Program(named, 1)
    attached = Attached(sessions, "some_server", tmp_path / "r.db", *OPTIONS)
    running.does("work 9")
    assert calls(attached.ends(), "sched_yield") == 9
    second = Program(named, 1)
    assert "2 processes are named some_server" in sessions.refuses("attach", "some_server")
    assert running.end() == second.end() == (7, "", "")


@needs_cuda
def test_cuda(sessions, tmp_path):
    with subprocess.Popen([APP, "serve", "60"], stdout=subprocess.PIPE, text=True) as running:
        time.sleep(0.5)
        for i in range(2):
            sessions.works("attach", running.pid, "-d", "0.5", "-o", tmp_path / f"r{i}.db", "-t", "cuda,nvtx,osrt",
                           "--cupti-path", CUPTI, "--sample=none")
            found = [row["gridX"] for row in Report(tmp_path / f"r{i}.db").query(
                "SELECT gridX FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY start")]
            assert len(consecutive(found)) > 10
        running.kill()


def test_python(sessions, tmp_path):
    running = subprocess.Popen([sys.executable, "-c", """
import time, zlib
def busy():
    for _ in range(200): zlib.crc32(b"x" * 100000)
while True:
    busy(); time.sleep(0.001)
"""])
    try:
        time.sleep(0.5)
        sessions.works("attach", running.pid, "-d", "1", "-o", tmp_path / "r.db", "--python-sampling=true")
    finally:
        running.kill()
        running.wait()
    names = {row["value"] for row in Report(tmp_path / "r.db").query("SELECT value FROM StringIds")}
    assert any("busy" in name for name in names)


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("setpriv") is None, reason="root attaches to others")
def test_root_attaches_to_a_program_of_another_user(sessions, tmp_path):
    running = subprocess.Popen([*NOBODY, "/usr/bin/env", "sh", "-c", "while :; do sleep 0.01; done"])
    try:
        time.sleep(0.5)
        assert os.stat(f"/proc/{running.pid}").st_uid == 65534
        done = sessions.command("attach", running.pid, "-d", "1", "-o", tmp_path / "r.db", "-t", "osrt", "--sample=none")
        if "may not read" in done.stderr:
            pytest.skip("prof was built where another user cannot read it")
        assert done.returncode == 0 and "attached to 1 process" in done.stderr, done.stderr
    finally:
        running.kill()
        running.wait()
    report = Report(tmp_path / "r.db")
    assert sum(calls(report, name) for name in ("wait3", "wait4", "waitpid", "fork", "vfork")) > 5


def test_refusals(sessions, tmp_path):
    assert sessions.refuses("attach", "999999999") == "there is no process 999999999"
    ended = subprocess.Popen(["true"])
    os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
    assert sessions.refuses("attach", ended.pid) == f"process {ended.pid} (true) has ended"
    ended.wait()
    assert "no process or container" in sessions.refuses("attach", "no_such_program")
    static = subprocess.Popen([program("system_calls_static")], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    sleeper = subprocess.Popen(["sleep", "60"])
    sleeper.send_signal(signal.SIGSTOP)
    time.sleep(0.2)
    with contextlib.suppress(AssertionError):
        if static.poll() is None:
            assert "statically linked" in sessions.refuses("attach", static.pid)
    assert "is stopped" in sessions.refuses("attach", sleeper.pid)
    assert "not a number of seconds" in sessions.refuses("attach", sleeper.pid, "-d", "soon")
    for each in static, sleeper:
        each.kill()
        each.wait()
