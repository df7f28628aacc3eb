"""Launches CUDA kernels with PyTorch from known functions and lines, in the ways that programs have: a
module, autograd, threads, a DataLoader with workers, torch.compile left out. Prints, as the last line,
where launches must come from: {function: {"file", "line", "launches at least"}}, and the cost of a
launch. Run under: prof profile -t cuda --python-backtrace=cuda"""
import json
import sys
import threading
import time

import torch

places = {}


def here(launches):
    """The caller's next line makes at least this number of launches."""
    frame = sys._getframe(1)
    code = frame.f_code
    name = getattr(code, "co_qualname", code.co_name)
    place = places.setdefault(f"{name}:{frame.f_lineno + 1}", {
        "function": name, "file": code.co_filename, "line": frame.f_lineno + 1, "launches": 0})
    place["launches"] += launches


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(256, 256, device="cuda"))

    def forward(self, x):
        here(1)
        x = x @ self.weight
        here(1)
        return torch.relu(x)


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        here(1)
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        here(1)
        return gradient * 2


class Numbers(torch.utils.data.Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.full((256,), float(index))


def elementwise(x):
    here(1)
    return x + 1


def comprehension(x):
    here(4)
    return [x * i for i in range(4)]


def generator(x):
    for _ in range(3):
        here(1)
        yield x.sqrt()


def in_thread(x):
    here(1)
    x.exp()


def train():
    model = Model()
    for batch in torch.utils.data.DataLoader(Numbers(), batch_size=4, num_workers=2):
        loss = Scale.apply(model(batch.cuda())).sum()
        loss.backward()


def time_launches(count=20000):
    x = torch.zeros(16, device="cuda")
    torch.cuda.synchronize()
    start = time.perf_counter()
    for i in range(count):
        x.add_(1)
        if i % 500 == 0:
            torch.cuda.synchronize()
    torch.cuda.synchronize()
    return (time.perf_counter() - start) / count * 1e9


def main():
    x = torch.ones(256, 256, device="cuda")
    elementwise(x)
    comprehension(x)
    list(generator(x))
    threads = [threading.Thread(target=in_thread, args=(x,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    train()
    torch.cuda.synchronize()
    cost = min(time_launches() for _ in range(3))
    print(json.dumps({"places": list(places.values()), "ns a launch": round(cost)}))


if __name__ == "__main__":
    main()
