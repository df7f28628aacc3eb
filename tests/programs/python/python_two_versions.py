"""Works in two functions. The argument is the work of the second one; the first one does 100."""
import sys


def parse(amount):
    total = 0
    for number in range(amount * 30_000):
        total += number * 3
    return total


def render(amount):
    total = 0
    for number in range(amount * 30_000):
        total += number * 5
    return total


parse(100)
render(int(sys.argv[1]))
