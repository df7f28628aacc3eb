"""Reads from a child process that it traces and that has stopped. Prints the process id of the child."""
import ctypes
import os
import signal

PTRACE_TRACEME = 0
from_child, to_parent = os.pipe()
child = os.fork()
if child == 0:
    ctypes.CDLL(None).ptrace(PTRACE_TRACEME, 0, 0, 0)
    os.kill(os.getpid(), signal.SIGSTOP)
    os._exit(0)
os.close(to_parent)
print(child, flush=True)
os.read(from_child, 1)
