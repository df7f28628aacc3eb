import torch

events = []


class emit_nvtx:
    def __init__(self, enabled=True, record_shapes=False):
        self.record_shapes = record_shapes

    def __enter__(self):
        torch.cuda.synchronize()
        events.append(["enter", self.record_shapes])
        return self

    def __exit__(self, kind, value, traceback):
        torch.cuda.synchronize()
        events.append(["exit", self.record_shapes])
        print(events, flush=True)
