"""messages.py big|small: a pool of two processes that adds up lists of numbers. "big" sends the lists, "small" only the
first and the last number."""
import multiprocessing
import sys


def add_up(numbers):
    return sum(numbers)


def add_up_range(first, last):
    return sum(i * i for i in range(first, last))


def big(pool):
    numbers = list(range(1_000_000))
    for _ in range(3):
        pool.map(add_up, [numbers, numbers], chunksize=1)


def small(pool):
    pool.starmap(add_up_range, [(i * 30_000, i * 30_000 + 30_000) for i in range(100)], chunksize=1)


if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as workers:
        {"big": big, "small": small}[sys.argv[1]](workers)
