#!/usr/bin/env python3
"""Prints what calls of Vulkan cost alone and under prof, ns: the best of several runs.

Usage: vulkan_calls.py BUILD_DIRECTORY [--rounds N]
"""
import argparse
import os
import re
import subprocess
import tempfile
from pathlib import Path

DRIVER = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"
WAYS = {"alone": None, "-t none": ["-t", "none"],
        "calls": ["-t", "vulkan", "--vulkan-gpu-workload=none"],
        "batch": ["-t", "vulkan", "--vulkan-gpu-workload=batch"],
        "individual": ["-t", "vulkan"]}


def times(build, options, folder):
    program = str(build / "bin/programs/vk_price")
    prefix = [] if options is None else [str(build / "bin/prof"), "profile", "-s", "none", "--cpuctxsw=none", "-f", "true",
                                         "-o", str(Path(folder) / "r.db"), *options]
    done = subprocess.run([*prefix, program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True,
                          env={"VK_ICD_FILENAMES": DRIVER, **os.environ})
    return {name: float(ns) for name, ns in re.findall(r"^(vk\w+) ([\d.]+)$", done.stdout, re.M)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    best = {way: {} for way in WAYS}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(arguments.rounds):  # interleaved, because the machine may become slower
            for way, options in WAYS.items():
                for name, ns in times(arguments.build, options, folder).items():
                    best[way][name] = min(ns, best[way].get(name, ns))
    print(f"{'ns':28}" + "".join(f"{way:>12}" for way in WAYS))
    for name in best["alone"]:
        print(f"{name:28}" + "".join(f"{best[way][name]:12.1f}" for way in WAYS))


if __name__ == "__main__":
    main()
