"""Trains a small network with a DataLoader that has two forked workers. Prints its losses."""
import sys

import torch
from torch.utils.data import DataLoader, Dataset


class Squares(Dataset):
    def __len__(self):
        return 256

    def __getitem__(self, index):
        x = torch.tensor([index / 256.0])
        return x, x * x


def main():
    torch.manual_seed(1)
    torch.set_num_threads(2)
    model = torch.nn.Sequential(torch.nn.Linear(1, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    loader = DataLoader(Squares(), batch_size=32, num_workers=2, multiprocessing_context="fork")
    for epoch in range(3):
        total = 0.0
        for x, y in loader:
            optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss(model(x), y)
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch}: {total:.6f}")
    sys.exit(3)


main()
