"""Spends 50, 30 and 20 % of its CPU time in three functions, a few milliseconds at a time, and sleeps as long
as it works. Prints each function's share of the elapsed time, which is not the same on a busy machine: a
function may have to wait for a CPU."""
import json
import sys
import threading
import time

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 2


def burn(seconds):
    """Spins in this function, for any caller."""
    end = time.thread_time() + seconds
    count = 0
    while time.thread_time() < end:
        for number in range(50):
            count += number * number
    return count


def half(seconds):
    return burn(seconds * 0.5)


def third(seconds):
    return burn(seconds * 0.3)


def fifth(seconds):
    return burn(seconds * 0.2)


def idle():
    time.sleep(SECONDS)


def main():
    sleeper = threading.Thread(target=idle)
    sleeper.start()
    spent = {half: 0, third: 0, fifth: 0}
    for _ in range(100):
        for function in spent:
            start = time.monotonic()
            function(SECONDS / 100)
            spent[function] += time.monotonic() - start
    sleeper.join()
    print(json.dumps({function.__name__: 100 * seconds / sum(spent.values()) for function, seconds in spent.items()}))


main()
