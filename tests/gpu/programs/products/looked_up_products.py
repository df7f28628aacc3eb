"""Multiplies matrices with JAX or CuPy, which may look up cuBLAS's functions.

    looked_up_products.py jax|cupy

Prints one JSON object: "products" has M, N, K and batch of each product.
"""
import json
import os
import sys

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
# XLA shall multiply by cuBLAS, not by kernels of Triton.
os.environ.setdefault("XLA_FLAGS", "--xla_gpu_autotune_level=0 --xla_gpu_enable_triton_gemm=false")

SIZES = [(512, 256, 1024, 1), (130, 770, 514, 1), (128, 192, 64, 6)]


def shapes(m, n, k, batch):
    return ((m, k), (k, n)) if batch == 1 else ((batch, m, k), (batch, k, n))


def multiply_with_jax():
    import jax  # pylint: disable=import-outside-toplevel
    import jax.numpy as jnp  # pylint: disable=import-outside-toplevel
    product = jax.jit(jnp.matmul)
    for dtype in (jnp.float32, jnp.bfloat16):
        for size in SIZES:
            a, b = (jnp.ones(shape, dtype) for shape in shapes(*size))
            product(a, b).block_until_ready()


def multiply_with_cupy():
    import cupy  # pylint: disable=import-outside-toplevel
    for size in SIZES:
        a, b = (cupy.ones(shape, cupy.float32) for shape in shapes(*size))
        cupy.matmul(a, b)
    cupy.cuda.runtime.deviceSynchronize()


{"jax": multiply_with_jax, "cupy": multiply_with_cupy}[sys.argv[1]]()
print(json.dumps({"products": SIZES}))
