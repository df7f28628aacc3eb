"""Calls each of NVIDIA's libraries through PyTorch and prints what came out, as one JSON object.

For prof profile -t cublas,cudnn,cusolver,cusparse,nccl: what it prints is the same without prof.
"""
import json
import os

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
os.environ.update({"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29513"})

import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402

torch.manual_seed(1)
torch.backends.cuda.preferred_linalg_library("cusolver")
a = torch.randn(256, 256, device="cuda")
product = a @ a
batch = torch.bmm(a.expand(4, 256, 256), a.expand(4, 256, 256))
images = torch.randn(8, 3, 64, 64, device="cuda")
convolved = torch.nn.functional.conv2d(images, torch.randn(16, 3, 3, 3, device="cuda"))
factor = torch.linalg.cholesky(a @ a.T + 256 * torch.eye(256, device="cuda"))
singular = torch.linalg.svdvals(a)
sparse = torch.eye(256, device="cuda").to_sparse_csr() @ a
dist.init_process_group("nccl", rank=0, world_size=1)
dist.all_reduce(product)
dist.destroy_process_group()
try:
    torch.nn.functional.conv2d(images, torch.randn(16, 4, 3, 3, device="cuda"))
    raised = False
except RuntimeError:  # thrown in the program's code around the libraries
    raised = True
print(json.dumps({"sums": [float(t.double().abs().sum()) for t in
                           (product, batch, convolved, factor, singular, sparse)], "raised": raised}))
