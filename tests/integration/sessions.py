"""Runs sessions on demand (prof launch, start, stop, ...), each test with separate sessions."""
import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from profiling import PROF, Report, prof, wait_until


class Sessions:
    """The sessions of one runtime folder, and the commands that a user gives."""

    def __init__(self, folder, prefix=()):
        self.prefix = [*prefix]  # of all commands
        self.folder = Path(folder)
        self.launched = []
        self.environment = {**os.environ, "XDG_RUNTIME_DIR": str(folder), "TMPDIR": str(folder)}

    def command(self, *arguments, **options):
        if not self.prefix:
            return prof(*arguments, env=self.environment, **options)
        return subprocess.run([*self.prefix, str(PROF), *map(str, arguments)], stdout=subprocess.PIPE, check=False,
                              stderr=subprocess.PIPE, text=True, env=self.environment, **options)

    def works(self, *arguments, **options):
        done = self.command(*arguments, **options)
        assert done.returncode == 0, f"{arguments}: status {done.returncode}: {done.stdout}{done.stderr}"
        return done

    def refuses(self, *arguments):
        """The one line that says why, without "prof: "."""
        done = self.command(*arguments)
        assert done.returncode in (1, 2) and done.stderr.count("\n") == 1, done
        assert done.stderr.startswith("prof: ")
        return done.stderr[6:-1]

    def launch(self, *arguments, **options):
        return self.background("launch", *arguments, **options)

    def background(self, *arguments, environment=(), **options):
        launched = subprocess.Popen([*self.prefix, str(PROF), *map(str, arguments)], stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True, start_new_session=True,
                                    env={**self.environment, **dict(environment)}, **options)
        self.launched.append(launched)
        return launched

    def list(self):
        """Without sessions of others on this machine, which are in other folders."""
        found = json.loads(self.works("sessions", "list", "--json").stdout)
        return [each for each in found if each.get("commands", "").startswith(f"{self.folder}/")]

    def states(self):
        return {each["name"]: each["state"] for each in self.list()}

    def described(self, name="[default]"):
        found, = (each for each in self.list() if each["name"] == name)
        return found

    def wait_for(self, condition, seconds=60):
        deadline = time.monotonic() + seconds
        while not condition(self.states()):
            assert time.monotonic() < deadline, self.states()
            time.sleep(0.02)

    def running(self, *arguments, name="[default]", **options):
        """Launches and waits until the program runs."""
        launched = self.launch(*arguments, **options)
        self.wait_for(lambda states: states.get(name) in ("Launched", "Collection")
                      and self.described(name)["programs"])
        wait_until_joined(self.described(name)["programs"][0])
        return launched

    def end(self):
        for launched in self.launched:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(launched.pid, signal.SIGKILL)
            launched.communicate()
        for each in self.list():
            self.command("shutdown", "--session", each["name"], "--kill=sigkill")
        self.wait_for(lambda states: not states)
        deadline = time.monotonic() + 60
        while (left := list(self.folder.iterdir())) and time.monotonic() < deadline:
            time.sleep(0.01)  # the last collector removes what is there
        shutil.rmtree(self.folder)
        assert not left, left


def wait_until_joined(pid, seconds=60):
    """Until the process has executed the program and mapped the event buffer."""
    wait_until(lambda: "memfd:prof" in Path(f"/proc/{pid}/maps").read_text(), seconds)


def wait_until_ended(pid, seconds=60):
    """Until the process holds no file any more: it is gone, or a zombie. Files of one that is killed are closed one by one."""
    with contextlib.suppress(OSError):
        wait_until(lambda: Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX", seconds)


@pytest.fixture
def sessions():
    # A short name: the path of a socket has at most 107 bytes.
    made = Sessions(tempfile.mkdtemp(prefix="prof-t-", dir="/tmp"))
    yield made
    made.end()


def numbers(path):
    """The numbers of the complete ranges of numbered_ranges in a report, in the order of time."""
    report = Report(path)
    assert report.value("PRAGMA integrity_check") == "ok"
    return [row["int64Value"] for row in report.query(
        "SELECT int64Value FROM NVTX_EVENTS WHERE eventType = 59 AND int64Value IS NOT NULL ORDER BY start")]


def consecutive(found):
    assert found == list(range(found[0], found[0] + len(found)))
    return found
