"""Multiplies bf16 matrices for two seconds, each shape in an NVTX range.

    matrix_products.py

square: the tensor cores have enough to do. thin: a few rows by a large matrix, so the memory is the bottleneck.
"""
import time

import torch

LARGE = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
ROWS = {"square": LARGE, "thin": LARGE[:16]}

for rows in ROWS.values():
    rows @ LARGE
torch.cuda.synchronize()
for name, rows in ROWS.items():
    with torch.cuda.nvtx.range(name):
        end = time.monotonic() + 1
        while time.monotonic() < end:
            for _ in range(20):
                rows @ LARGE
            torch.cuda.synchronize()
