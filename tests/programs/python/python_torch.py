"""Trains with the stand-in for PyTorch. Prints how many ranges of each name must be there."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "python_modules"))

import torch
from torch.utils.data import DataLoader


class Own(torch.nn.Module):
    def forward(self, x):
        return x


class OwnOptimizer(torch.optim.Optimizer):
    def step(self):
        raise FloatingPointError


def main():
    model = torch.nn.Sequential(torch.nn.Linear(), Own(), torch.nn.Linear())
    optimizer, scaler = torch.optim.SGD(), torch.amp.GradScaler()
    for x in DataLoader([1, 2, 3]):
        optimizer.zero_grad()
        assert model(x) == x + 2
        scaler.scale(torch.Tensor()).backward()
        torch.distributed.all_reduce(x)
        scaler.step(optimizer)
    try:
        OwnOptimizer().step()
    except FloatingPointError:
        pass
    torch.compiler.compiling = True
    assert model(1) == 3
    print(json.dumps({
        "Sequential.forward": 3, "Linear.forward": 6, "Own.forward": 3, "SGD.step": 3,
        "OwnOptimizer.step": 1, "torch.optim.Optimizer.zero_grad": 3, "torch.Tensor.backward": 3,
        "torch.autograd.backward": 3, "torch.utils.data.dataloader.DataLoader.__iter__": 1,
        "torch.utils.data.dataloader._BaseDataLoaderIter.__next__": 4,
        "torch.amp.grad_scaler.GradScaler.scale": 3, "torch.amp.grad_scaler.GradScaler.step": 3,
        "torch.distributed.distributed_c10d.all_reduce": 3}))


main()
