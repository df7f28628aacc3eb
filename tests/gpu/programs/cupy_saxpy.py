"""y = a*x + y by a kernel that CuPy compiles while the program runs; checks every element.

    cupy_saxpy.py [--launches N]
"""
import argparse
import json
import os

import cupy
import numpy

saxpy = cupy.ElementwiseKernel("float32 a, float32 x", "float32 y", "y = a * x + y", "saxpy")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--launches", type=int, default=10)
    launches = parser.parse_args().launches
    count = 1 << 20
    x = numpy.arange(count, dtype=numpy.float32) % 1024
    y = numpy.ones(count, dtype=numpy.float32)
    on_device_x, on_device_y = cupy.asarray(x), cupy.asarray(y)
    for _ in range(launches):
        saxpy(numpy.float32(2), on_device_x, on_device_y)
    result = cupy.asnumpy(on_device_y)
    assert (result == 2 * launches * x + 1).all()  # exact: small integers
    print(json.dumps({"pid": os.getpid(), "kernels": {"saxpy": launches}, "ok": True,
                      "memcpy": {"HtoD": [2, 2 * x.nbytes], "DtoH": [1, y.nbytes]}}))


if __name__ == "__main__":
    main()
