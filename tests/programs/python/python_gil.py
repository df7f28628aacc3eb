"""Threads that compute, one that sleeps with the interpreter's lock, and one that sleeps without it. Prints
what a profiler must find for each: CPU seconds in Python, sleeps with and without the lock."""
import ctypes
import json
import os
import sys
import threading
import time

SECONDS = 0.05
TIMES = 4
release = ctypes.CDLL(None).usleep
keep = ctypes.PyDLL(None).usleep
found = {}
go = threading.Barrier(4)


def note(kind, **more):
    found[threading.get_native_id()] = {"kind": kind, "cpu": time.thread_time(), **more}


def computes():
    go.wait()
    end = time.thread_time() + 0.2
    while time.thread_time() < end:
        sum(range(1000))
    note("computes")


def sleeps(sleep, kind):
    go.wait()
    for _ in range(TIMES):
        sleep(int(SECONDS * 1e6))
    note(kind)


def child():
    pid = os.fork()
    if pid == 0:
        sum(range(200_000))
        os._exit(0)
    os.waitpid(pid, 0)
    return pid


def main():
    threads = [threading.Thread(target=computes), threading.Thread(target=computes),
               threading.Thread(target=sleeps, args=(keep, "keeps")),
               threading.Thread(target=sleeps, args=(release, "releases"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    pid = child()
    print(json.dumps({"threads": found, "child": pid, "times": TIMES, "ns": SECONDS * 1e9}))


main()
