"""Spends known shares of its CPU time in three functions, 50, 30 and 20 %, and as much time again
asleep; prints what it did, by the CPU clock of the thread."""
import json
import sys
import threading
import time

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 2


def burn(seconds):
    """Spins in here, whoever asks."""
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
    for _ in range(20):
        for function in (half, third, fifth):
            function(SECONDS / 20)
    sleeper.join()
    print(json.dumps({"half": 50, "third": 30, "fifth": 20, "seconds": SECONDS}))


main()
