"""Multiplies fp16 matrices in bursts of ten, with a pause after each: matrix_bursts.py SECONDS [FILE]. The file is made when
the bursts begin. The same kernel each time, so its metrics are the same, whenever they are sampled."""
import sys
import time
from pathlib import Path

import torch

a = torch.randn(4096, 4096, device="cuda", dtype=torch.float16)
a @ a
torch.cuda.synchronize()
if len(sys.argv) > 2:
    Path(sys.argv[2]).touch()
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    for _ in range(10):
        a @ a
    torch.cuda.synchronize()
    time.sleep(0.003)
