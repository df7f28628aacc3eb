"""Trains ResNet-18 (written out here) with AMP on made-up images; prints losses and step times.

    resnet18.py [--steps N] [--warmup N] [--batch N] [--image PIXELS] [--compile] [--profiler] [--print-steps]

A seed fixes the losses, so that a run under a profiler can be compared with one without. Steps are
timed from the batch in pinned memory to the loss on the host: waiting for the loader is not in it.
"""
import argparse
import json
import os
import statistics
import time

# cuBLAS repeats its results only with a fixed workspace, chosen before it starts.
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")

import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.utils.data import DataLoader, Dataset  # noqa: E402

CLASSES = 100
STORED = 64  # images are made once; making one for each item would keep the GPU waiting


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU(inplace=True)
        self.shortcut = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False),
                                          nn.BatchNorm2d(outputs))

    def forward(self, x):
        out = self.relu(self.bn1(self.conv1(x)))
        return self.relu(self.bn2(self.conv2(out)) + self.shortcut(x))


class ResNet18(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64),
                                  nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1))
        widths = [64, 64, 128, 256, 512]
        self.layers = nn.Sequential(*(
            nn.Sequential(Block(widths[i], widths[i + 1], 1 if i == 0 else 2),
                          Block(widths[i + 1], widths[i + 1], 1)) for i in range(4)))
        self.head = nn.Linear(512, CLASSES)

    def forward(self, x):
        # The mean over the pixels, not AdaptiveAvgPool2d, whose backward pass is not repeatable.
        return self.head(self.layers(self.stem(x)).mean((2, 3)))


class Images(Dataset):
    """Each class has its own brightness, so that there is something to learn."""

    def __init__(self, count, pixels):
        made = torch.Generator().manual_seed(7)
        self.count = count
        self.labels = torch.arange(STORED) % CLASSES
        self.images = torch.randn(STORED, 3, pixels, pixels, generator=made)
        self.images += (self.labels / CLASSES).view(-1, 1, 1, 1)

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return self.images[index % STORED], self.labels[index % STORED]


class Trainer:
    def __init__(self, options):
        torch.manual_seed(1)
        torch.backends.cudnn.benchmark = False
        torch.backends.cudnn.deterministic = True
        self.device = torch.device("cuda")
        model = ResNet18().to(self.device)
        self.model = torch.compile(model) if options.compile else model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
        self.scaler = torch.amp.GradScaler("cuda")

    def step(self, images, labels):
        images = images.to(self.device, non_blocking=True)
        labels = labels.to(self.device, non_blocking=True)
        self.optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", dtype=torch.float16):
            loss = nn.functional.cross_entropy(self.model(images), labels)
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return loss.item()

    def timed_step(self, batch):
        begin = time.perf_counter()
        loss = self.step(*batch)
        torch.cuda.synchronize()  # the loss is available before the update has run
        return loss, (time.perf_counter() - begin) * 1000


def run(trainer, batches, steps):
    done = [trainer.timed_step(next(batches)) for _ in range(steps)]
    return [loss for loss, _ in done], [milliseconds for _, milliseconds in done]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--warmup", type=int, default=10)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--image", type=int, default=64)
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--profiler", action="store_true", help="run the timed steps in torch.profiler")
    parser.add_argument("--print-steps", action="store_true",
                        help="print when each timed step ends (seconds of CLOCK_MONOTONIC) and its time in ms, no more")
    options = parser.parse_args()

    trainer = Trainer(options)
    images = Images((options.warmup + options.steps) * options.batch, options.image)
    batches = iter(DataLoader(images, options.batch, num_workers=2, pin_memory=True))
    warmup_loss, _ = run(trainer, batches, options.warmup)
    if options.print_steps:
        for batch in batches:
            _, milliseconds = trainer.timed_step(batch)
            print(time.perf_counter(), milliseconds, flush=True)
        return
    answer = {"pid": os.getpid(), "batch": options.batch, "steps": options.steps}
    if options.profiler:
        activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
        with torch.profiler.profile(activities=activities) as profiler:
            losses, step_ms = run(trainer, batches, options.steps)
        answer["profiler_cuda_events"] = sum(
            event.device_type == torch.autograd.DeviceType.CUDA for event in profiler.events())
    else:
        losses, step_ms = run(trainer, batches, options.steps)
    answer |= {"warmup_loss": warmup_loss, "loss": losses,
               "step_ms": [round(milliseconds, 3) for milliseconds in step_ms],
               "median_step_ms": round(statistics.median(step_ms), 3)}
    print(json.dumps(answer))
    # The network learns: with 64 repeated images the loss falls well below that of guessing.
    assert all(map(torch.isfinite, torch.tensor(losses))), losses
    assert len(losses) < 30 or statistics.mean(losses[-5:]) < warmup_loss[0], losses


if __name__ == "__main__":  # the compiler's and the loader's own processes import this file
    main()
