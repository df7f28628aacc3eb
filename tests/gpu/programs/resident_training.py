"""Trains a small network on one batch that is on the GPU all the time: no data is loaded, and autograd's threads prepare the
backward passes. Prints the loss."""
import json

import torch
from torch import nn

torch.manual_seed(1)
model = nn.Sequential(*(layer for _ in range(24) for layer in (nn.Linear(256, 256), nn.ReLU())), nn.Linear(256, 10)).cuda()
optimizer = torch.optim.SGD(model.parameters(), 1e-3)
inputs, targets = torch.randn(64, 256, device="cuda"), torch.randint(10, (64,), device="cuda")
for _ in range(400):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(inputs), targets)
    loss.backward()
    optimizer.step()
print(json.dumps({"loss": loss.item()}))
