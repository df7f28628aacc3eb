"""Three cycles of jax.profiler. Prints how many GPU events each has, and of how many names."""
import glob
import gzip
import json
import os
import sys

os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402


def main():
    product = jax.jit(lambda a: jnp.tanh(a @ a).sum())
    a = jnp.ones((512, 512))
    product(a).block_until_ready()
    cycles = []
    for i in range(3):
        folder = f"{sys.argv[1]}/jax{i}"
        with jax.profiler.trace(folder, create_perfetto_trace=False):
            for _ in range(5):
                product(a).block_until_ready()
        events = []
        for path in glob.glob(f"{folder}/**/*.trace.json.gz", recursive=True):
            with gzip.open(path) as file:
                events += json.load(file)["traceEvents"]
        gpus = {event["pid"] for event in events
                if event.get("name") == "process_name" and "GPU" in event["args"].get("name", "")}
        names = [event["name"] for event in events if event.get("ph") == "X" and event["pid"] in gpus]
        cycles.append([len(names), len(set(names))])
    print(json.dumps({"cycles": cycles}))


main()
