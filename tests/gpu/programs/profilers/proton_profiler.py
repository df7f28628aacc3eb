"""Triton's Proton around some kernels. Prints the number of launches by kernel."""
import json
import sys

import torch
import triton.profiler as proton


def counts(node, found):
    if "count" in node["metrics"]:
        found[node["frame"]["name"]] = node["metrics"]["count"]
    for child in node["children"]:
        counts(child, found)


def main():
    stem = f"{sys.argv[1]}/proton"
    proton.start(stem, hook=None)
    a = torch.randn(512, 512, device="cuda")
    with proton.scope("products"):
        for _ in range(10):
            a = (a @ a).relu()
    torch.cuda.synchronize()
    proton.finalize()
    found = {}
    with open(f"{stem}.hatchet", encoding="utf-8") as file:
        for root in json.load(file):
            if "frame" in root:
                counts(root, found)
    print(json.dumps({"kernels": found}))


main()
