def synchronize(device=None):
    raise AssertionError("Torch not compiled with CUDA enabled")
