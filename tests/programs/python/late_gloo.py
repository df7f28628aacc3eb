"""A job of torch.distributed on CPUs. Its last rank sleeps in each step, for as many ms as the word says. Rank 0 prints
how long the steps after the first one took, in ns.

Usage: late_gloo.py FILE MS [STEPS]   (RANK and WORLD_SIZE are set; the ranks meet by the file, which is new)
"""
import datetime
import os
import sys
import time

import torch
from torch import distributed

STEPS = 24


def slow_sleep(late):
    time.sleep(late)


def step(late, values):
    values = (values @ values).tanh()
    if late and distributed.get_rank() == distributed.get_world_size() - 1:
        slow_sleep(late)
    gradients = torch.zeros(100_000)
    distributed.all_reduce(gradients)
    distributed.barrier()
    return values


def main():
    late = float(sys.argv[2]) / 1000
    steps = int(sys.argv[3]) if len(sys.argv) > 3 else STEPS
    torch.set_num_threads(1)
    distributed.init_process_group("gloo", init_method=f"file://{sys.argv[1]}", rank=int(os.environ["RANK"]),
                                   world_size=int(os.environ["WORLD_SIZE"]), timeout=datetime.timedelta(seconds=90))
    values = torch.randn(200, 200)
    start = 0
    for number in range(steps):
        if number == 1:
            start = time.monotonic_ns()
        values = step(late, values)
    if distributed.get_rank() == 0:
        print(time.monotonic_ns() - start, flush=True)


main()
os._exit(0)  # gloo may wait for ranks that have ended already
