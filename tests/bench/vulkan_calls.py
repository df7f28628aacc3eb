#!/usr/bin/env python3
"""Prints what calls of Vulkan cost alone and under prof, ns: the best of several runs.

Usage: vulkan_calls.py BUILD_DIRECTORY [--rounds N]
"""
import argparse
from pathlib import Path

from call_prices import print_prices

DRIVER = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"
WAYS = {"alone": None, "-t none": ["-t", "none"],
        "calls": ["-t", "vulkan", "--vulkan-gpu-workload=none"],
        "batch": ["-t", "vulkan", "--vulkan-gpu-workload=batch"],
        "individual": ["-t", "vulkan"]}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    print_prices(arguments.build, "vk_price", WAYS, arguments.rounds, {"VK_ICD_FILENAMES": DRIVER})
