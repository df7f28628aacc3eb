"""Lets a program say when prof records it.

    import prof_control

    prof_control.start()        # the session begins to record
    prof_control.mark("peak")   # a mark in the report
    prof_control.stop()         # the recording ends, and its report is written

They work in programs of a session (prof launch), and of prof profile with --start-on=control or --stop-on=control.
Without prof they look up one environment variable and return False. If prof refuses, they warn and return False. The
module needs no other file: it may be copied into a project.
"""

import os
import socket
import warnings

__all__ = ["mark", "start", "stop"]

_PATIENCE = 10  # seconds


def _ask(line):
    """The answer of prof, or None without a session."""
    session = os.environ.get("PROF_SESSION")
    if session is None:
        return None
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(_PATIENCE)
            connection.connect(session + "/commands")
            connection.sendall(line.encode(errors="replace") + b"\n")
            with connection.makefile(encoding="utf-8", errors="replace") as answers:
                return answers.readline().rstrip("\n") or "error no answer"
    except socket.timeout:
        return "error no answer"
    except OSError:  # the session is over
        return None


def _do(command, text=""):
    answer = _ask(f"{command} {text}".rstrip())
    if answer is None:
        return False
    word, _, rest = answer.partition(" ")
    if word == "ok":
        return True
    warnings.warn(f"prof: {command}: {rest}", RuntimeWarning, stacklevel=3)
    return False


def start(options=""):
    """Begins a collection. Options are those of prof start, as in "-o peak -f true". Whether prof did it."""
    return _do("start", " ".join(options.splitlines()))


def stop():
    """Ends the collection. Does not wait for its report. Whether prof did it."""
    return _do("stop")


def mark(text):
    """Sets a mark, which the report shows among the NVTX marks. Whether prof did it."""
    return _do("mark", " ".join(str(text).splitlines()))
