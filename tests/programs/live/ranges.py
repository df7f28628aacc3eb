"""Ends ranges without end: "outer" holds "inner" and "other". The first ones are called "early"."""
import ctypes
import time

import nvtx

with nvtx.annotate("early"):
    time.sleep(0.01)
libc = ctypes.CDLL(None)
while True:
    with nvtx.annotate("outer"):
        with nvtx.annotate("inner"):
            libc.usleep(2000)
        with nvtx.annotate("other"):
            sum(range(10000))
