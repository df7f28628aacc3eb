"""Two ranks on one GPU, talking through gloo; rank 0 prints the results of both.

    torchrun --standalone --nproc-per-node 2 two_ranks.py
"""
import json
import os

# The machine may have no network except its own.
os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")

import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402

ROUNDS, SIZE = 5, 256


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.cuda.set_device(0)  # both ranks: one GPU is enough to distinguish their reports
    sums = []
    for i in range(ROUNDS):
        ones = torch.ones(SIZE, SIZE, device="cuda")
        product = (ones * (rank + 1)) @ (ones * (i + 1))  # every element: SIZE * (rank+1) * (i+1)
        total = product.sum(dtype=torch.float64).cpu()
        dist.all_reduce(total)
        sums.append(total.item())
    assert sums == [float(SIZE**3 * (i + 1) * world * (world + 1) // 2) for i in range(ROUNDS)], sums
    own = {"rank": rank, "pid": os.getpid(), "rounds": ROUNDS, "sums": sums}
    results = [None] * world
    dist.all_gather_object(results, own)
    if rank == 0:
        print(json.dumps({"ranks": results}), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
