"""y = a*x + y by a kernel that Numba compiles; checks every element.

    numba_saxpy.py [--launches N]
"""
import argparse
import json
import os

import numpy
from numba import cuda


@cuda.jit
def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = a * x[i] + y[i]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--launches", type=int, default=10)
    launches = parser.parse_args().launches
    count, threads = 1 << 20, 256
    x = numpy.arange(count, dtype=numpy.float32) % 1024
    y = numpy.ones(count, dtype=numpy.float32)
    on_device_x, on_device_y = cuda.to_device(x), cuda.to_device(y)
    for _ in range(launches):
        saxpy[count // threads, threads](numpy.float32(2), on_device_x, on_device_y)
    result = on_device_y.copy_to_host()
    assert (result == 2 * launches * x + 1).all()  # exact: small integers
    print(json.dumps({"pid": os.getpid(), "kernels": {"saxpy": launches}, "ok": True,
                      "memcpy": {"HtoD": [2, 2 * x.nbytes], "DtoH": [1, y.nbytes]}}))


if __name__ == "__main__":
    main()
