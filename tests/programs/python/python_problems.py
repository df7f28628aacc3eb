"""python_problems.py WAY: has one problem, or none. Times are CPU times."""
import multiprocessing
import random
import re
import sys
import threading
import time


def part(name):
    """A function of this name. Each of them takes as long as the others."""
    code = f"def {name}():\n    total = 0\n    for i in range(2000):\n        total += i\n    return total\n"
    space = {}
    exec(compile(code, f"{name}.py", "exec"), space)  # pylint: disable=exec-used
    return space[name]


PARTS = [part("part_" + letter) for letter in "abcdefgh"]


def slow():
    total = 0
    for i in range(60_000):
        total += i * i
    return total


def compute(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        for each in PARTS:
            each()


def hot():
    end = time.thread_time() + 0.5
    while time.thread_time() < end:
        slow()
        for each in PARTS:
            each()


def threads(count, seconds):
    workers = [threading.Thread(target=compute, args=(seconds,)) for _ in range(count)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def processes():
    """One process computes much longer than the others."""
    workers = [multiprocessing.Process(target=compute, args=(seconds,)) for seconds in (0.08, 0.8, 0.08)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


class Dataset:
    """Most of its time is in Python's library."""

    def parse(self, row):
        return [float(re.match(r"(\d+)\.(\d+)", field).group(0)) for field in re.split(r"\s*,\s*", row)]

    def disturb(self, fields):
        return [field + random.gauss(0, 1) for field in fields]

    def item(self, row):
        return self.disturb(self.parse(row))


def load(seconds):
    row = ", ".join(["0.5"] * 100)
    data = Dataset()
    end = time.process_time() + seconds
    while time.process_time() < end:
        data.item(row)


def loaders():
    """Two processes load data."""
    workers = [multiprocessing.Process(target=load, args=(0.6,)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


{"hot": hot, "loaders": loaders, "processes": processes, "balanced": lambda: compute(0.4), "threads": lambda: threads(3, 0.3),
 "one_thread": lambda: threads(1, 0.4)}[sys.argv[1]]()
