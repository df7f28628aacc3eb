"""messages.py big|small: a pool of two processes that adds up lists of numbers. "big" sends the lists, "small" only the
first and the last number."""
import multiprocessing
import sys


def add_up(numbers):
    return sum(numbers)


# Four ways that take about as long each, so that none of them takes much of the program's time.
def add_up_squares(first, last):
    total = 0
    for i in range(first, last, 7):
        total += i * i
    return total


def add_up_digits(first, last):
    return len("".join(map(str, range(first, last, 12))))


def add_up_remainders(first, last):
    return sum([i % 7 for i in range(first, last, 6)])


def add_up_sorted(first, last):
    return sorted(range(first, last, 4), key=int.bit_length)[0]


WAYS = (add_up_squares, add_up_digits, add_up_remainders, add_up_sorted)


def add_up_range(way, first, last):
    return WAYS[way](first, last)


def big(pool):
    numbers = list(range(1_000_000))
    for _ in range(3):
        pool.map(add_up, [numbers, numbers], chunksize=1)


def small(pool):
    pool.starmap(add_up_range, [(i % 4, i * 90_000, i * 90_000 + 90_000) for i in range(100)], chunksize=1)


if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as workers:
        {"big": big, "small": small}[sys.argv[1]](workers)
