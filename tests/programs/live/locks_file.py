"""Takes a lock of a file and keeps it: python3 locks_file.py KIND FILE [SECOND]. Prints the process id of the holder.
Takes a lock of the second file when its input has ended."""
import fcntl
import os
import struct
import sys
import time

F_OFD_SETLKW = 38
kind, path, *second = sys.argv[1:]


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
    for each in second:
        sys.stdin.read()
        with open(each, "r+", encoding="utf8") as other:
            acquire(other)
    time.sleep(1000)
