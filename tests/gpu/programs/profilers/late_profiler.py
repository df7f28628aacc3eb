"""Trains until its input ends. Then it makes two steps under torch.profiler, four times, and prints how many kernels, copies
and fills the profiler saw each time."""
import json
import sys
import threading

import torch
from torch.profiler import ProfilerActivity, profile

net = torch.nn.Sequential(torch.nn.Linear(512, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 512)).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
batch = torch.randn(64, 512, device="cuda")


def step():
    loss = net(batch).square().mean()
    optimizer.zero_grad(set_to_none=False)
    loss.backward()
    optimizer.step()
    torch.cuda.synchronize()


def profiled():
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
        step()
        step()
    return sum(event.device_type == torch.autograd.DeviceType.CUDA for event in profiler.events())


for _ in range(5):
    step()
print("ready", flush=True)
ended = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
while not ended.is_set():
    step()
print(json.dumps({"seen": [profiled() for _ in range(4)]}))
