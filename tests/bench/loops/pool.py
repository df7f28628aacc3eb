"""Short tasks for four worker processes of multiprocessing: pool.py TASKS

Every third of the tasks gets a new pool, so workers also start and end.
"""
import multiprocessing
import sys


def work(number):
    return sum(i * i for i in range(number % 300 + 200))


if __name__ == "__main__":
    multiprocessing.set_start_method("fork")
    for _ in range(3):
        with multiprocessing.Pool(4) as pool:
            sum(pool.imap_unordered(work, range(int(sys.argv[1]) // 3), chunksize=4))
