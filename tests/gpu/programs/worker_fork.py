"""DataLoader workers forked from a process that already has a CUDA context.

The workers must not touch CUDA, and a profiler in them must not either.
"""
import json
import os

import torch
from torch.utils.data import DataLoader, Dataset

ITEMS, BATCH, WORKERS = 64, 8, 2


class Numbers(Dataset):
    def __len__(self):
        return ITEMS

    def __getitem__(self, index):
        return torch.full((1024,), float(index)), os.getpid()


def main():
    device = torch.device("cuda")
    total = torch.zeros((), dtype=torch.float64, device=device)
    torch.cuda.synchronize()  # the context exists before the fork
    workers, batches = set(), 0
    loader = DataLoader(Numbers(), BATCH, num_workers=WORKERS, pin_memory=True,
                        multiprocessing_context="fork")
    for numbers, pids in loader:
        total += numbers.to(device, non_blocking=True).double().sum()
        workers |= set(pids.tolist())
        batches += 1
    assert total.item() == 1024 * ITEMS * (ITEMS - 1) / 2, total.item()
    assert len(workers) == WORKERS and os.getpid() not in workers
    print(json.dumps({"pid": os.getpid(), "ok": True, "workers": sorted(workers), "batches": batches}))


if __name__ == "__main__":
    main()
