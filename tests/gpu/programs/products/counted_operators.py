"""Runs one operator of PyTorch, named by the argument, so that all matrix operations of the process are its own.

    counted_operators.py mm_bf16|mm_fp16|mm_tf32|mm_fp8|mm_padded|bmm|linear|attention|causal|attention_backward
"""
import sys

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

torch.manual_seed(0)
torch.backends.cuda.matmul.allow_tf32 = True


def random(*shape, dtype=torch.bfloat16):
    return torch.randn(*shape, device="cuda").to(dtype)


def scaled():
    a, b = (random(4096, 4096).to(torch.float8_e4m3fn) for _ in range(2))
    one = torch.ones((), device="cuda")
    return torch._scaled_mm(a, b.t(), one, one, out_dtype=torch.bfloat16)  # pylint: disable=protected-access


def linear():
    layer = torch.nn.Linear(1024, 4096, device="cuda", dtype=torch.bfloat16)
    layer(random(2048, 1024).requires_grad_()).backward(random(2048, 4096))


def attention(is_causal=False, is_backward=False):
    query, key, value = (random(4, 16, 2048, 128).requires_grad_() for _ in range(3))
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        out = F.scaled_dot_product_attention(query, key, value, is_causal=is_causal)
    if is_backward:
        out.backward(random(4, 16, 2048, 128))


{
    "mm_bf16": lambda: random(4096, 4096) @ random(4096, 4096),
    "mm_fp16": lambda: random(8192, 1024, dtype=torch.float16) @ random(1024, 2048, dtype=torch.float16),
    "mm_tf32": lambda: random(2048, 2048, dtype=torch.float32) @ random(2048, 2048, dtype=torch.float32),
    "mm_fp8": scaled,
    "mm_padded": lambda: random(1000, 1000) @ random(1000, 1000),
    "bmm": lambda: torch.bmm(random(24, 512, 256), random(24, 256, 384)),
    "linear": linear,
    "attention": attention,
    "causal": lambda: attention(is_causal=True),
    "attention_backward": lambda: attention(is_backward=True),
}[sys.argv[1]]()
torch.cuda.synchronize()
