"""A job of MPI ranks, whose last rank is late in each step for the reason that is named. Otherwise all ranks do the
same. Prints how long the steps after the first one took, in ns.

Usage: late_rank.py LIBRARY none|sleep|data|lock|python|native|gc|cpu|faults [STEPS]
"""
import ctypes
import gc
import os
import signal
import sys
import threading
import time

STEPS = 24
LATE = 0.05  # s of a step
OWN = os.getpid()
LAST_CPU = max(os.sched_getaffinity(0))


def slow_sleep():
    time.sleep(LATE)


class SlowLoading:
    """Batches come through a pipe from another process, as from the workers of a data loader."""

    def __init__(self):
        self.batches, feed = os.pipe()
        self.worker = os.fork()
        if self.worker == 0:
            os.close(self.batches)
            try:
                while True:
                    time.sleep(LATE)
                    os.write(feed, b"x" * 1000)
            except OSError:
                os._exit(0)
        os.close(feed)

    def __call__(self):
        self.next_batch()

    def next_batch(self):
        return os.read(self.batches, 1000)

    def stop(self):
        os.close(self.batches)
        os.waitpid(self.worker, 0)


class HeldLock:
    """Another thread holds a lock for most of the time."""

    def __init__(self):
        self.lock = threading.Lock()
        self.ended = False
        self.is_held = threading.Event()
        self.wanted = threading.Event()
        self.thread = threading.Thread(target=self.hold)
        self.thread.start()

    def hold(self):
        while True:
            self.wanted.wait()
            self.wanted.clear()
            if self.ended:
                return
            with self.lock:
                self.is_held.set()
                time.sleep(LATE)

    def __call__(self):
        self.is_held.clear()
        self.wanted.set()
        self.is_held.wait()
        with self.lock:
            pass

    def stop(self):
        self.ended = True
        self.wanted.set()
        self.thread.join()


def slow_python():
    """Takes CPU time of this thread, so it is as long on a busy machine."""
    end = time.thread_time() + LATE
    while time.thread_time() < end:
        sum(range(1000))


class SlowNative:
    def __init__(self):
        self.rounds = 100_000
        began = time.thread_time()
        library.hot_loop(self.rounds)
        self.rounds = int(self.rounds * LATE / (time.thread_time() - began))

    def __call__(self):
        library.hot_loop(self.rounds)


class Garbage:
    """A collection looks at all of these objects."""

    def __init__(self):
        gc.disable()
        self.objects = [[] for _ in range(1_500_000)]

    def __call__(self):
        gc.collect()


class BusyCpu:
    """Three other processes run on the CPU of this one, so it gets a quarter of it."""

    def __init__(self):
        os.sched_setaffinity(0, {LAST_CPU})
        self.others = [os.fork() for _ in range(3) if os.getpid() == OWN]
        if os.getpid() == OWN:
            return
        while os.getppid() == OWN:
            sum(range(10_000))
        os._exit(0)

    def __call__(self):
        pass

    def stop(self):
        for each in self.others:
            os.kill(each, signal.SIGKILL)
            os.waitpid(each, 0)


def new_pages():
    library.touch_new_pages(128 << 20)


FAULTS = {"sleep": lambda: slow_sleep, "data": SlowLoading, "lock": HeldLock, "python": lambda: slow_python,
          "native": SlowNative, "gc": Garbage, "cpu": BusyCpu, "faults": lambda: new_pages}

library = ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)
library.hot_loop.argtypes = [ctypes.c_long]
library.touch_new_pages.argtypes = [ctypes.c_size_t]
steps = int(sys.argv[3]) if len(sys.argv) > 3 else STEPS
ranks = ctypes.c_int()
rank = library.begin(ctypes.byref(ranks))
fault = FAULTS[sys.argv[2]]() if sys.argv[2] != "none" and rank == ranks.value - 1 else None


# A rank that has a quarter of a CPU is late by three times of what this takes. The others leave it that CPU.
USUAL = 0.02 if sys.argv[2] == "cpu" else 0.004
if sys.argv[2] == "cpu" and not fault and len(os.sched_getaffinity(0)) > 1:
    os.sched_setaffinity(0, os.sched_getaffinity(0) - {LAST_CPU})


def usual_work():
    end = time.thread_time() + USUAL
    while time.thread_time() < end:
        sum(range(1000))


began = 0
for step in range(steps):
    usual_work()
    if fault:
        fault()
    library.reduce()
    began = began or time.monotonic_ns()
took = time.monotonic_ns() - began
library.end()
if hasattr(fault, "stop"):
    fault.stop()
if rank == 0:
    print(took)
