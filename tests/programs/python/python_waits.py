"""Waits in known functions, in ways that end in calls of the OS runtime. Prints where, how often and how long
(ms)."""
import json
import os
import sys
import threading
import time

WAIT = 0.03  # longer than a busy machine keeps a thread off the CPU
waits = {}


def note(function, times):
    waits[function] = {"line": sys._getframe(1).f_lineno + 1, "times": times}


def sleeps():
    for _ in range(4):
        note("sleeps", 4)
        time.sleep(WAIT)


def waits_for_lock(lock):
    note("waits_for_lock", 1)
    lock.acquire()


def reads(pipe):
    note("reads", 1)
    os.read(pipe, 1)


def later(action):
    threading.Timer(WAIT, action).start()


def main():
    sleeps()
    lock = threading.Lock()
    lock.acquire()
    later(lock.release)
    waits_for_lock(lock)
    readable, writable = os.pipe()
    later(lambda: os.write(writable, b"x"))
    reads(readable)
    print(json.dumps(waits))


main()
