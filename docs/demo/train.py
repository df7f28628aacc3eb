#!/usr/bin/env python3
"""A simulated training run for `./dev demo`: threads that load data, a child process that
prepares it, NVTX ranges around the steps, and files for the checkpoints."""
import json
import queue
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import nvtx

STEPS = 20
PREPARE = "import json, sys; json.dump([i * i for i in range(50_000)], open(sys.argv[1], 'w'))"


@nvtx.annotate("prepare data set", color="orange")
def prepare(path):
    """Runs in a child process, like a tokenizer."""
    subprocess.run([sys.executable, "-c", PREPARE, str(path)], check=True)


def load(path, batches):
    """A loader thread: reads the file again for each batch."""
    for step in range(STEPS // 2):
        with nvtx.annotate("load batch", domain="loader", category="input", payload=step):
            values = json.loads(path.read_text())
            batches.put(values[step * 100:(step + 1) * 100])


@nvtx.annotate("forward", color="green")
def forward(batch):
    return sum(value * 0.5 for value in batch)


@nvtx.annotate("backward", color="blue")
def backward(loss):
    time.sleep(0.002)
    return loss * 0.1


@nvtx.annotate("checkpoint", color="red")
def checkpoint(directory, step, state):
    with open(directory / f"step{step}.json", "w", encoding="utf-8") as file:
        json.dump(state, file)


def main():
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        data = directory / "data.json"
        prepare(data)
        batches = queue.Queue(maxsize=4)
        loaders = [threading.Thread(target=load, args=(data, batches)) for _ in range(2)]
        for loader in loaders:
            loader.start()
        state = []
        for step in range(STEPS):
            with nvtx.annotate("step", payload=step):
                state.append(backward(forward(batches.get())))
            if step % 5 == 4:
                checkpoint(directory, step, state)
        for loader in loaders:
            loader.join()
        print(f"trained {STEPS} steps, last gradient {state[-1]:.1f}")


if __name__ == "__main__":
    main()
