"""The interface of a foreign test suite to compare.py, and the code that runs its parts."""
import ctypes
import os
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

PR_SET_CHILD_SUBREAPER = 36


@dataclass
class Part:
    """One command of a suite. `outcomes` reads {case: outcome} from its output and its scratch folder. The exit
    status is a case too."""
    name: str
    command: list
    outcomes: Callable[[str, Path], dict]
    limit: float  # seconds
    directory: Path = None  # null: the scratch folder
    environment: dict = field(default_factory=dict)
    prepare: Callable[[], None] = lambda: None


@dataclass
class Run:
    outcomes: dict
    seconds: float
    log: str


def adopt_orphans():
    """Makes processes that a suite leaves over children of this process, also daemons, so that sweep() finds
    them."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children():
    mine, found = str(os.getpid()), []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        if fields[1] == mine:
            found.append(int(stat.parent.name))
    return found


def sweep():
    """Ends and reaps all processes that a part has left over."""
    for _ in range(100):
        left = children()
        if not left:
            break
        for pid in left:
            try:
                ended, _ = os.waitpid(pid, os.WNOHANG)
                if ended == 0:
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)
            except (ChildProcessError, ProcessLookupError):
                pass


def default_signals():
    """A shell's background, or nohup, ignores these. Suites expect that they end a process."""
    for number in (signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


def run(part, prefix, scratch):
    """Runs `part` after the words of `prefix`. Its files are written to `scratch`."""
    scratch.mkdir(parents=True)
    temporary = scratch / "tmp"
    temporary.mkdir()
    part.prepare()
    log = scratch / "log"

    def filled(word):
        return str(word).replace("{scratch}", str(scratch))

    environment = {**os.environ, "TMPDIR": str(temporary), "LC_ALL": "C.UTF-8",
                   **{name: filled(value) for name, value in part.environment.items()}}
    words = [filled(word) for word in [*prefix, *part.command]]
    start = time.monotonic()
    with open(log, "wb") as output:
        process = subprocess.Popen(words, cwd=part.directory or scratch, env=environment,
                                   stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                   start_new_session=True, preexec_fn=default_signals)
        try:
            status = process.wait(part.limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            status = "over the limit"
    seconds = time.monotonic() - start
    text = log.read_text(errors="replace")
    sweep()
    return Run({"(exit status)": str(status), **part.outcomes(text, scratch)}, seconds, text)
