"""Runs operators of PyTorch. Prints the names of ranges that --pytorch=operators has to show, and how many."""
import json
import threading
import warnings

warnings.filterwarnings("ignore")
import torch

with torch.no_grad():
    a, b = torch.ones(7, 3), torch.ones(3, 5, dtype=torch.float32)
    for _ in range(3):
        torch.mm(a, b)
    torch.mm(a, torch.ones(5, 3).t())
    torch.clamp(a.to(torch.float64), -1e-7, float("inf"))
    torch.cat((a, a.to(torch.bfloat16)), 0)
    torch.ones(2, 1, 3, 1, 2, 4).sum([0, -1], keepdim=True)
    torch.conv2d(torch.ones(2, 3, 8, 8), torch.ones(6, 3, 3, 3), stride=2, padding=1)


# Sequence numbers of operators begin with 0 in each thread, so both threads have the same.
def forward(results, function):
    weight = torch.ones(4, requires_grad=True)
    results.append(function(weight).sum())


RESULTS = []
for FUNCTION in (torch.sin, torch.cos):
    thread = threading.Thread(target=forward, args=(RESULTS, FUNCTION))
    thread.start()
    thread.join()
for result in RESULTS:
    result.backward()

print(json.dumps({
    "aten::mm, sizes = [[7, 3], [3, 5]], arguments = [float32, float32]": 3,
    "aten::mm, sizes = [[7, 3], [3, 5]], arguments = [float32, float32 [1, 3]]": 1,
    "aten::clamp, sizes = [[7, 3], [], []], arguments = [float64, -1e-07, inf]": 1,
    "aten::cat, sizes = [[7, 3], [7, 3], []], arguments = [float32, bfloat16, 0]": 1,
    "aten::sum, sizes = [[2, 1, 3, 1, 2, 4], [], [], []], arguments = [float32, [0, -1], True, None]": 1,
    "aten::conv2d, sizes = [[2, 3, 8, 8], [6, 3, 3, 3], [], [], [], [], []], "
    "arguments = [float32, float32, None, [2, 2], [1, 1], [1, 1], 1]": 1,
    "aten::sin, sizes = [[4]], arguments = [float32]": 2,  # also in the backward pass of the cosine
    "aten::cos, sizes = [[4]], arguments = [float32]": 2,
    "SinBackward0, sizes = [[4]], arguments = [float32 [0]]": 1,
    "CosBackward0, sizes = [[4]], arguments = [float32 [0]]": 1,
}))
