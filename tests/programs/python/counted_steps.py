"""Twenty steps of training with the stand-in for PyTorch, with an NVTX range and a mark in each."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "python_modules"))

import nvtx
import torch

first, second = torch.optim.SGD(), torch.optim.SGD()
for i in range(20):
    with nvtx.annotate("step"):
        nvtx.mark(f"in {i}")
        first.step()
        if i % 3 == 0:
            second.step()
print("done")
