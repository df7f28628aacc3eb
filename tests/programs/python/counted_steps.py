"""Steps of training with the stand-in for PyTorch, with an NVTX range and a mark in each: counted_steps.py [STEPS
[SECONDS]]. Default: 20 steps, without a pause."""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "python_modules"))

import nvtx
import torch

first, second = torch.optim.SGD(), torch.optim.SGD()
count = int(sys.argv[1]) if len(sys.argv) > 1 else 20
pause = float(sys.argv[2]) if len(sys.argv) > 2 else 0
for i in range(count):
    with nvtx.annotate("step"):
        nvtx.mark(f"in {i}")
        first.step()
        if i % 3 == 0:
            second.step()
    time.sleep(pause)
print("done")
