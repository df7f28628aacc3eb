"""A training run with three known faults: the main thread prepares each batch, copies go from pageable memory,
and nothing overlaps with computing. `--fixed` has none of them: worker processes, pinned memory, and copies on a
separate stream. Prints the losses and the median time of a step in ms.

Used for the walk-through in docs/view.md. `docs/images` has pictures of its reports."""
import argparse
import json
import statistics
import time

import torch
from torch import nn

BATCH, CHANNELS, SIZE = 64, 3, 128


class Images(torch.utils.data.Dataset):
    """Random images, decoded and augmented on the CPU like photos."""

    def __len__(self):
        return 1 << 20

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(index)
        image = torch.rand(CHANNELS, SIZE, SIZE, generator=generator)
        for _ in range(3):  # a blur stands for decoding and augmenting
            image = nn.functional.avg_pool2d(image[None], 5, stride=1, padding=2)[0]
        return image, index % 10


def model():
    layers, width = [], CHANNELS
    for next_width in (64, 128, 256):
        layers += [nn.Conv2d(width, next_width, 3, padding=1), nn.BatchNorm2d(next_width), nn.ReLU(),
                   nn.Conv2d(next_width, next_width, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
        width = next_width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 10)).cuda()


def plain_batches(steps, nvtx):
    loader = iter(torch.utils.data.DataLoader(Images(), batch_size=BATCH, num_workers=0))
    for _ in range(steps):
        with nvtx.range("load batch"):
            images, labels = next(loader)
        with nvtx.range("copy to GPU"):
            images, labels = images.cuda(), labels.cuda()
        yield images, labels


def overlapped_batches(steps, nvtx):
    loader = iter(torch.utils.data.DataLoader(Images(), batch_size=BATCH, num_workers=8, pin_memory=True,
                                              prefetch_factor=4))
    stream = torch.cuda.Stream()

    def fetch():
        with nvtx.range("load batch"):
            images, labels = next(loader)
        with nvtx.range("copy to GPU"), torch.cuda.stream(stream):
            return images.cuda(non_blocking=True), labels.cuda(non_blocking=True)

    following = fetch()
    for _ in range(steps):
        torch.cuda.current_stream().wait_stream(stream)
        batch = following
        for tensor in batch:
            tensor.record_stream(torch.cuda.current_stream())
        yield batch
        following = fetch()


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--fixed", action="store_true")
    options.add_argument("--steps", type=int, default=30)
    options = options.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    nvtx, network, loss_of = torch.cuda.nvtx, model(), nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01)
    losses, times = [], []
    batches = (overlapped_batches if options.fixed else plain_batches)(options.steps, nvtx)
    for step in range(options.steps):
        start = time.perf_counter()
        with nvtx.range(f"step {step}"):
            images, labels = next(batches)
            with nvtx.range("forward"):
                loss = loss_of(network(images), labels)
            with nvtx.range("backward"):
                optimizer.zero_grad()
                loss.backward()
            with nvtx.range("optimizer"):
                optimizer.step()
            losses.append(loss.detach() if options.fixed else loss.item())
        times.append(time.perf_counter() - start)
    losses = [float(loss) for loss in losses]
    print(json.dumps({"losses": losses[:3], "step_ms": round(1000 * statistics.median(times[5:]), 2)}))


main()
