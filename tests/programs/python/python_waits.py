"""Waits in known functions, in ways that end in calls of the OS runtime. Prints where, how often and how long
(ms)."""
import json
import os
import sys
import threading
import time

WAIT = 0.03
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


def switches():
    """How often the main thread has left the CPU. None while it runs."""
    with open(f"/proc/self/task/{os.getpid()}/status", encoding="utf-8") as file:
        status = dict(line.split(":", 1) for line in file)
    waiting = status["State"].split()[0] == "S"
    return (status["voluntary_ctxt_switches"], status["nonvoluntary_ctxt_switches"]) if waiting else None


def when_main_has_waited(action):
    """On a busy machine the main thread may reach its wait late: the action follows only when the thread has
    not run for WAIT."""
    before = None
    while before is None or before != switches():
        before = switches()
        time.sleep(WAIT)
    action()


def later(action):
    threading.Thread(target=when_main_has_waited, args=(action,)).start()


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
