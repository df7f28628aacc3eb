"""Keeps the GPU at matrix products for the seconds of its argument, between two seconds of rest. Prints the times of
the load (CLOCK_REALTIME, seconds) and the energy that NVML counted in it, in J."""
import json
import sys
import time

import pynvml
import torch

a = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
pynvml.nvmlInit()
gpu = pynvml.nvmlDeviceGetHandleByIndex(0)
(a @ a).sum().item()
time.sleep(2)
torch.cuda.nvtx.range_push("load")
begin, energy = time.time(), pynvml.nvmlDeviceGetTotalEnergyConsumption(gpu)
while time.time() < begin + float(sys.argv[1]):
    for _ in range(50):
        product = a @ a
    torch.cuda.synchronize()
end, energy = time.time(), pynvml.nvmlDeviceGetTotalEnergyConsumption(gpu) - energy
torch.cuda.nvtx.range_pop()
time.sleep(2)
print(json.dumps({"begin": begin, "end": end, "joules": energy / 1000}))
