"""Runs a check of many files at the same time."""
import os
from concurrent.futures import ThreadPoolExecutor


def count_failures(check, files):
    """check(file) returns what it has to say, and whether the file is right. Prints the texts in the order of the files."""
    failed = 0
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for text, is_right in pool.map(check, files):
            failed += not is_right
            print(text, end="", flush=True)
    return failed
