"""Python 3.9 to 3.12 whose list of threads is a circle and whose name has codes that a terminal obeys."""
import ctypes
import sys
import time

NEXT = 8  # of a thread state: prev, next

python = ctypes.PyDLL(None)
python.PyThreadState_Get.restype = ctypes.c_void_p
state = python.PyThreadState_Get()
if sys.version_info < (3, 13):
    ctypes.c_void_p.from_address(state + NEXT).value = state
python.prctl(15, b"\x1b[31mred", 0, 0, 0)
print("ready", flush=True)
time.sleep(1e6)
