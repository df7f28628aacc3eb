"""Allocators of PyTorch (stand-ins) report what they hand out: torch_memory.py FOLDER_OF_LIBRARIES [before].

before: the first allocation is made before PyTorch is imported.

Prints how many calls arrived, and a sum over their arguments, which prof must not change.
"""
import ctypes
import os
import sys
import threading

import nvtx

folder = sys.argv[1]
# As Python loads extensions: their names are not in the program's scope.
allocators = [ctypes.CDLL(f"{folder}/libc10_{name}.so", mode=os.RTLD_LOCAL) for name in ("now", "lazy")]
c10 = ctypes.CDLL(f"{folder}/libc10.so")
c10.fake_calls.restype = c10.fake_sum.restype = ctypes.c_uint64
SUMS_AND_DEVICE = [ctypes.c_uint64, ctypes.c_uint64, ctypes.c_int, ctypes.c_int]
for library in allocators:
    library.fake_change.argtypes = [ctypes.c_uint64, ctypes.c_int64, *SUMS_AND_DEVICE]
    library.fake_failure.argtypes = [ctypes.c_int64, *SUMS_AND_DEVICE]

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "python_modules"))
now, lazy = allocators
CUDA, HIP = 1, 6
if sys.argv[2:] == ["before"]:
    now.fake_change(0x1000, 512, 512, 2048, CUDA, 0)
import torch  # noqa: E402, F401

if sys.argv[2:] != ["before"]:
    now.fake_change(0x1000, 512, 512, 2048, CUDA, 0)
with nvtx.annotate("aten::empty, op_id = 1, sizes = [[4, 8]]"):
    now.fake_change(0x2000, 1024, 1536, 2048, CUDA, 0)
with nvtx.annotate("aten::mm, op_id = 2, sizes = [[4, 8], [8, 4]]"):
    with nvtx.annotate("aten::resize_, op_id = 3, sizes = [[4, 4]]"):
        now.fake_change(0x3000, 4096, 5632, 8192, CUDA, 0)
now.fake_change(0x3000, -4096, 1536, 8192, CUDA, 0)
now.fake_failure(1 << 33, 1536, 8192, CUDA, 0)
now.fake_change(0x9000, -512, 1024, 8192, CUDA, 0)  # its allocation was never seen


def other():
    lazy.fake_change(0x1000, 256, 256, 4096, HIP, 3)
    lazy.fake_change(0x5000, 64, 320, 4096, HIP, 3)


thread = threading.Thread(target=other)
thread.start()
thread.join()
print(c10.fake_calls(), c10.fake_sum(), flush=True)
