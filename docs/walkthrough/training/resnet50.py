"""Trains ResNet-50 of torchvision on made-up images, and prints the images per second and the last loss.

    resnet50.py [--tf32] [--amp] [--channels-last] [--compile] [--batch N] [--steps N] [--warm-up N]

The images are on the GPU from the start, so that only the model's own time counts. With prof's
--capture-range=cudaProfilerApi only the timed steps are recorded.
"""
import argparse
import contextlib
import json
import time

import torch
from torch import nn
from torchvision.models import resnet50

CLASSES, PIXELS = 1000, 224


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for switch in ("tf32", "amp", "channels-last", "compile"):
        parser.add_argument(f"--{switch}", action="store_true")
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--warm-up", type=int, default=5)
    return parser.parse_args()


class Training:
    def __init__(self, options):
        torch.manual_seed(1)
        torch.backends.cudnn.benchmark = True
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = options.tf32
        order = torch.channels_last if options.channels_last else torch.contiguous_format
        model = resnet50().to("cuda", memory_format=order)
        self.model = torch.compile(model) if options.compile else model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, fused=True)
        images = torch.randn(options.batch, 3, PIXELS, PIXELS, device="cuda")
        self.images = images.to(memory_format=order)
        self.labels = torch.randint(CLASSES, (options.batch,), device="cuda")
        self.precision = torch.autocast("cuda", torch.bfloat16) if options.amp else contextlib.nullcontext()

    def step(self):
        self.optimizer.zero_grad(set_to_none=True)
        with self.precision:
            loss = nn.functional.cross_entropy(self.model(self.images), self.labels)
        loss.backward()
        self.optimizer.step()
        return loss


def main():
    options = parse()
    training = Training(options)
    for _ in range(options.warm_up):
        training.step()
    torch.cuda.synchronize()
    torch.cuda.profiler.start()
    begin = time.perf_counter()
    for number in range(options.steps):
        with torch.cuda.nvtx.range(f"step {number}"):
            loss = training.step()
    torch.cuda.synchronize()
    seconds = time.perf_counter() - begin
    torch.cuda.profiler.stop()
    print(json.dumps({"images_per_second": round(options.batch * options.steps / seconds),
                      "step_ms": round(1000 * seconds / options.steps, 2), "loss": loss.item()}))


if __name__ == "__main__":
    main()
