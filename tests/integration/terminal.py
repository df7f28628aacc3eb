"""Runs prof with a terminal of a chosen size as its standard streams."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

from profiling import PROF

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def on_terminal(*arguments, columns=120, rows=50, cwd=None, **environment):
    """What appears on the terminal, with \\n as the ends of lines, and the exit status."""
    own, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    settings = {"PATH": os.environ["PATH"], "TERM": "xterm", "PAGER": "cat", "LC_ALL": "C.UTF-8", **environment}
    with subprocess.Popen([str(PROF), *map(str, arguments)], stdin=theirs, stdout=theirs, stderr=theirs, cwd=cwd,
                          env={name: value for name, value in settings.items() if value is not None}) as done:
        os.close(theirs)
        output = b""
        while True:
            try:
                piece = os.read(own, 1 << 16)
            except OSError:  # the other side is closed
                break
            if not piece:
                break
            output += piece
    os.close(own)
    return output.decode().replace("\r\n", "\n"), done.returncode


def titles(text):
    return re.findall(r"^ \*\* .* \((\S+)\):$", COLOUR.sub("", text), re.M)
