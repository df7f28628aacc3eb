"""Jitted training steps of a two-layer network in JAX; prints the losses.

    jax_step.py [--steps N]
"""
import argparse
import json
import os

# By default JAX takes three quarters of the GPU's memory before its first step.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
# Autotuning selects kernels by their measured time, so other runs would have other tiles and last digits.
# Command buffers are CUDA graphs; without them the kernels of a step can be counted one by one.
os.environ.setdefault("XLA_FLAGS", "--xla_gpu_autotune_level=0 --xla_gpu_enable_command_buffer=")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402


def loss_of(parameters, inputs, targets):
    hidden = jnp.tanh(inputs @ parameters["w1"] + parameters["b1"])
    return jnp.mean((hidden @ parameters["w2"] + parameters["b2"] - targets) ** 2)


@jax.jit
def train_step(parameters, inputs, targets):
    loss, gradients = jax.value_and_grad(loss_of)(parameters, inputs, targets)
    return jax.tree.map(lambda value, slope: value - 0.1 * slope, parameters, gradients), loss


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=20)
    steps = parser.parse_args().steps
    keys = jax.random.split(jax.random.PRNGKey(5), 3)
    parameters = {"w1": jax.random.normal(keys[0], (64, 256)) / 8, "b1": jnp.zeros(256),
                  "w2": jax.random.normal(keys[1], (256, 1)) / 16, "b2": jnp.zeros(1)}
    inputs = jax.random.normal(keys[2], (512, 64))
    targets = jnp.sin(inputs[:, :1])
    losses = []
    for _ in range(steps):
        parameters, loss = train_step(parameters, inputs, targets)
        losses.append(float(loss))
    platform = jax.devices()[0].platform
    print(json.dumps({"pid": os.getpid(), "platform": platform, "loss": losses}))
    assert platform in ("gpu", "cuda"), platform
    assert steps < 2 or losses[-1] < losses[0], losses


if __name__ == "__main__":
    main()
