"""Multiplies matrices with PyTorch, forward and backward.

    torch_products.py

Prints one JSON object: "products" says how many products it computes by cuBLAS, "flops" how many operations they are.
"""
import json

import torch

SIZES = [(128, 256, 512), (513, 130, 72), (4096, 1024, 1024)]
count = flops = 0


def note(m, n, k, batch=1, times=1):
    global count, flops  # pylint: disable=global-statement
    count += times
    flops += times * 2 * batch * m * n * k


def matrix(*size, dtype):
    return torch.randn(*size, device="cuda", dtype=dtype, requires_grad=True)


def multiply(dtype):
    for m, n, k in SIZES:
        a, b, bias = matrix(m, k, dtype=dtype), matrix(k, n, dtype=dtype), matrix(n, dtype=dtype)
        results = [a @ b, torch.addmm(bias, a, b), a.t().contiguous().t() @ b,
                   torch.nn.functional.linear(a, b.t().contiguous(), bias)]
        note(m, n, k, times=len(results))
        sum(result.sum() for result in results).backward()
        note(m, n, k, times=2 * len(results))  # the gradients of both matrices
        left, right = matrix(6, m, k, dtype=dtype), matrix(6, k, n, dtype=dtype)
        results = [torch.bmm(left, right), torch.matmul(left, right), torch.baddbmm(matrix(6, m, n, dtype=dtype), left, right)]
        note(m, n, k, 6, len(results))
        sum(result.sum() for result in results).backward()
        note(m, n, k, 6, 2 * len(results))


for each in (torch.float32, torch.bfloat16, torch.float16):
    multiply(each)
torch.cuda.synchronize()
print(json.dumps({"products": count, "flops": flops}))
