"""Works under many interpreter frames: each level goes through C code."""
import time


def level(number):
    if number > 0:
        return max([number], key=lambda n: level(n - 1))
    end = time.process_time() + 0.7
    while time.process_time() < end:
        sum(map(int, "1234567890"))
    return 0


level(120)
