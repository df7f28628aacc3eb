"""A small GPT-like transformer that generates greedily, one CUDA graph replay a token.

    generate.py [--tokens N]

The same tokens are generated without a graph first; the two must agree.
"""
import argparse
import json
import os
import statistics
import time

import torch
from torch import nn

VOCABULARY, WIDTH, HEADS, LAYERS, LONGEST = 512, 256, 4, 4, 1024


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))
        for name in ("keys", "values"):
            self.register_buffer(name, torch.zeros(HEADS, LONGEST, WIDTH // HEADS))

    def forward(self, x, position, visible):
        query, key, value = self.qkv(self.norm1(x)).view(3, HEADS, 1, WIDTH // HEADS)
        # A graph replays the same addresses, so the position in the cache comes from a tensor.
        self.keys.index_copy_(1, position, key)
        self.values.index_copy_(1, position, value)
        scores = query @ self.keys.transpose(1, 2) / (WIDTH // HEADS) ** 0.5
        weights = scores.masked_fill(~visible, float("-inf")).softmax(-1)
        x = x + self.out((weights @ self.values).reshape(1, WIDTH))
        return x + self.mlp(self.norm2(x))


class Generator(nn.Module):
    """`token` and `position` are its only input and output. step() advances both in place."""

    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.positions = nn.Embedding(LONGEST, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.head = nn.Linear(WIDTH, VOCABULARY)
        self.register_buffer("token", torch.zeros(1, dtype=torch.long))
        self.register_buffer("position", torch.zeros(1, dtype=torch.long))
        self.register_buffer("places", torch.arange(LONGEST))

    def restart(self):
        self.token.fill_(1)
        self.position.zero_()

    def step(self):
        x = self.tokens(self.token) + self.positions(self.position)
        visible = self.places <= self.position
        for layer in self.layers:
            x = layer(x, self.position, visible)
        self.token.copy_(self.head(x).argmax(-1))
        self.position.add_(1)


def generate(model, step, count):
    model.restart()
    tokens, token_ms = [], []
    for _ in range(count):
        begin = time.perf_counter()
        step()
        tokens.append(model.token.item())
        token_ms.append((time.perf_counter() - begin) * 1000)
    return tokens, token_ms


def capture(model):
    # Objects that are created on first use (cuBLAS's workspace) must exist before the capture, on a side
    # stream.
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            model.step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        model.step()
    return graph


@torch.no_grad()
def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", type=int, default=100)
    count = parser.parse_args().tokens
    assert 0 < count <= LONGEST
    torch.manual_seed(3)
    model = Generator().to("cuda").eval()
    eager, eager_ms = generate(model, model.step, count)
    model.restart()
    graph = capture(model)
    tokens, token_ms = generate(model, graph.replay, count)
    print(json.dumps({"pid": os.getpid(), "tokens": tokens, "graph_launches": count,
                      "eager_steps": count + 3, "median_token_ms": round(statistics.median(token_ms), 4),
                      "median_eager_token_ms": round(statistics.median(eager_ms), 4)}))
    assert tokens == eager, eager


if __name__ == "__main__":
    main()
