"""Repeats the same work every 2 ms of the clock: half a millisecond in each of two functions, then sleep.
Prints the first function's share of the work, in percent."""
import json
import sys
import time

PERIOD = 2_000_000
spent = {"first": 0, "second": 0}


def first(end):
    while time.monotonic_ns() < end:
        pass


def second(end):
    while time.monotonic_ns() < end:
        pass


def main():
    start = (time.monotonic_ns() // PERIOD + 2) * PERIOD
    for tick in range(start, start + int(float(sys.argv[1]) * 1e9), PERIOD):
        while time.monotonic_ns() < tick:
            time.sleep(max(0, (tick - time.monotonic_ns()) / 1e9))
        times = [time.monotonic_ns()]
        for function in (first, second):
            function(times[-1] + PERIOD // 4)
            times.append(time.monotonic_ns())
        spent["first"] += times[1] - times[0]
        spent["second"] += times[2] - times[1]
    print(json.dumps({"first": 100 * spent["first"] / sum(spent.values())}))


main()
