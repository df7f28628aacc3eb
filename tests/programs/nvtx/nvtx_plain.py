"""Does not use NVTX: `python -m nvtx` annotates its functions."""


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def main():
    print(fibonacci(5))


main()
