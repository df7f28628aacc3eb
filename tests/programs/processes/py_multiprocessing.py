"""Worker processes like those of data loaders: forked and spawned, with pipes between them."""
import json
import multiprocessing
import os
import time


def work(number):
    time.sleep(0.002)
    return os.getpid(), number * number


def main():
    pids = {}
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            results = pool.map(work, range(20), chunksize=1)
        assert [square for _, square in results] == [n * n for n in range(20)]
        pids[method] = sorted({pid for pid, _ in results})
    print(json.dumps({"parent": os.getpid(), **pids}))


if __name__ == "__main__":
    main()
