"""Takes a lock of a file and keeps it: python3 locks_file.py KIND FILE. Prints the process id of the holder."""
import fcntl
import os
import struct
import sys
import time

F_OFD_SETLKW = 38
kind, path = sys.argv[1:]


def acquire(file):
    if kind == "posix":
        fcntl.lockf(file, fcntl.LOCK_EX)
    elif kind == "open_description":
        fcntl.fcntl(file, F_OFD_SETLKW, struct.pack("hhqqi", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))
    else:
        fcntl.flock(file, fcntl.LOCK_EX)


with open(path, "r+", encoding="utf8") as file:
    acquire(file)
    # The one that has taken the lock ends, and its child process still holds it.
    if kind == "inherited" and os.fork() != 0:
        os._exit(0)
    print(os.getpid(), flush=True)
    if kind == "twice":
        with open(path, "r+", encoding="utf8") as again:
            acquire(again)
    time.sleep(1000)
