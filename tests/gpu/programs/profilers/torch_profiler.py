"""Training steps under torch.profiler: a schedule that repeats, cycles of start and stop, and a CUDA graph. Prints
how many kernels and copies each cycle saw, and writes Chrome traces into the folder that is its argument."""
import json
import sys
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile, schedule

ACTIVITIES = [ProfilerActivity.CPU, ProfilerActivity.CUDA]


def on_gpu(profiler):
    return sum(event.device_type == torch.autograd.DeviceType.CUDA for event in profiler.events())


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(512, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 512)).cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    batch = torch.randn(64, 512).pin_memory()

    def step():
        loss = net(batch.cuda(non_blocking=True)).square().mean()
        optimizer.zero_grad(set_to_none=False)
        loss.backward()
        optimizer.step()
        torch.cuda.synchronize()

    for _ in range(5):
        step()
    written = []

    def write(profiler):
        written.append(folder / f"trace{len(written)}.json")
        profiler.export_chrome_trace(str(written[-1]))

    with profile(activities=ACTIVITIES, schedule=schedule(wait=1, warmup=1, active=3, repeat=2), on_trace_ready=write,
                 record_shapes=True, with_stack=True, profile_memory=True) as profiler:
        for _ in range(10):
            step()
            profiler.step()
    cycles = []
    for i in range(10):
        if i % 2:
            torch.cuda.profiler.start()
        with profile(activities=ACTIVITIES) as profiler:
            step()
        if i % 2:
            torch.cuda.profiler.stop()
        step()
        cycles.append(on_gpu(profiler))
    a = torch.randn(256, 256, device="cuda")
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3):
            (a @ a).relu().sum()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        (a @ a).relu().sum()
    with profile(activities=ACTIVITIES) as profiler:
        for _ in range(3):
            graph.replay()
        torch.cuda.synchronize()
    print(json.dumps({"cycles": cycles, "graph": on_gpu(profiler), "traces": [path.name for path in written]}))


main()
