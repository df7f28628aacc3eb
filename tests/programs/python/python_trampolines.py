# Spends about 60, 30 and 10 % of its time in native code that three functions call, with stack trampolines
# (python -X perf, -X perf_jit). Prints the share of the CPU time of each.
import json
import os
import time
import zlib

DATA = bytes(range(256)) * 4096
spent = {}


def in_checksums(units):
    for _ in range(units):
        zlib.crc32(DATA)


def in_sums(units):
    for _ in range(units):
        sum(range(30_000))


def in_searches(units):
    for _ in range(units):
        DATA.find(b"not there")


def seconds(function, units):
    begin = time.thread_time()
    function(units)
    took = time.thread_time() - begin
    spent[function.__name__] = spent.get(function.__name__, 0) + took
    return took


def units_a_second(function):
    units = 16
    while (took := seconds(function, units)) < 0.02:
        units *= 2
    return units / took


def main():
    for function, part in ((in_checksums, 0.6), (in_sums, 0.3), (in_searches, 0.1)):
        units = int(part * units_a_second(function) / 4)
        for _ in range(6):
            seconds(function, units)
    whole = time.thread_time() / 100
    print(json.dumps({"pid": os.getpid(), "shares": {name: took / whole for name, took in spent.items()}}))


main()
