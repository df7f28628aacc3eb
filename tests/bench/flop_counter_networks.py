"""Networks for flop_counter.py. Runs one on the CPU: NETWORK [count]. With count it prints what torch.utils.flop_counter
counts, forward and backward together; without, it only runs."""
import sys

import torch
from torch import nn
from torch.nn import functional


class Bottleneck(nn.Module):
    def __init__(self, inputs, width, stride=1):
        super().__init__()
        outputs = 4 * width
        self.main = nn.Sequential(
            nn.Conv2d(inputs, width, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, outputs, 1, bias=False), nn.BatchNorm2d(outputs))
        self.side = nn.Sequential() if stride == 1 and inputs == outputs else nn.Sequential(
            nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        return functional.relu(self.main(x) + self.side(x))


def resnet50():
    layers, inputs = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)], 64
    for width, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for block in range(count):
            layers.append(Bottleneck(inputs, width, stride if block == 0 else 1))
            inputs = 4 * width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2048, 1000)), torch.randn(1, 3, 224, 224)


class Attention(nn.Module):
    def __init__(self, width, heads, with_scores=False):
        super().__init__()
        self.heads, self.with_scores = heads, with_scores
        self.inputs, self.output = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.inputs(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        if self.with_scores:
            y = torch.softmax(q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5, -1) @ v
        else:
            y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.output(y.transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    def __init__(self, width, heads, with_scores=False):
        super().__init__()
        self.attention, self.norms = Attention(width, heads, with_scores), nn.ModuleList([nn.LayerNorm(width) for _ in "12"])
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attention(self.norms[0](x))
        return x + self.mlp(self.norms[1](x))


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU())
        self.middle = nn.Sequential(nn.MaxPool2d(2), nn.Conv2d(16, 32, 3, padding=1), nn.ReLU())
        self.up = nn.ConvTranspose2d(32, 16, 2, 2)
        self.last = nn.Conv2d(32, 2, 1)

    def forward(self, x):
        x = self.down(x)
        return self.last(torch.cat([x, self.up(self.middle(x))], 1))


class Experts(nn.Module):
    """Two of four experts for each token, chosen by a gate."""

    def __init__(self, width=32):
        super().__init__()
        self.gate = nn.Linear(width, 4, bias=False)
        self.experts = nn.ModuleList([nn.Sequential(nn.Linear(width, 64), nn.SiLU(), nn.Linear(64, width)) for _ in range(4)])

    def forward(self, x):
        weights, chosen = torch.softmax(self.gate(x), -1).topk(2)
        result = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            rows, places = torch.where(chosen == number)
            result = result.index_add(0, rows, expert(x[rows]) * weights[rows, places, None])
        return result


def network(name):
    torch.manual_seed(1)
    return {
        "resnet50": resnet50,
        "gpt": lambda: (Block(64, 4), torch.randn(2, 48, 64, requires_grad=True)),
        "bert": lambda: (nn.Sequential(Block(64, 4, True), Block(64, 4, True)), torch.randn(2, 48, 64, requires_grad=True)),
        "vit": lambda: (nn.Sequential(nn.Conv2d(3, 64, 8, 8), nn.Flatten(2), nn.Linear(16, 16), Block(16, 2)),
                        torch.randn(2, 3, 32, 32)),
        "unet": lambda: (UNet(), torch.randn(2, 3, 32, 32)),
        "mobile": lambda: (nn.Sequential(nn.Conv2d(8, 16, 1), nn.Conv2d(16, 16, 3, padding=1, groups=16), nn.Conv2d(16, 8, 1)),
                           torch.randn(2, 8, 16, 16)),
        "experts": lambda: (nn.Sequential(Experts(), Experts()), torch.randn(40, 32, requires_grad=True)),
    }[name]()


def main():
    model, data = network(sys.argv[1])
    if "count" in sys.argv[2:]:
        from torch.utils.flop_counter import FlopCounterMode
        with FlopCounterMode(display=False) as counter:
            result = model(data)
        forward = counter.get_total_flops()
        with FlopCounterMode(display=False) as counter:
            result.sum().backward()
        print(forward, counter.get_total_flops())
    else:
        model(data).sum().backward()


if __name__ == "__main__":
    main()
