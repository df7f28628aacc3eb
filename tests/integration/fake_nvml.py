"""Runs prof with a stand-in for NVML (tests/fake_libraries/nvml.c), whose GPUs do what a variable says."""
import os

from profiling import BUILD

NEW = BUILD / "bin" / "fake_libraries" / "nvml"
OLD = BUILD / "bin" / "fake_libraries" / "nvml_old"  # of a driver of 2018
NONE = "/nonexistent"


def machine(words="", library=NEW, **more):
    """The environment for prof."""
    environment = {**os.environ, "LD_LIBRARY_PATH": str(library), "FAKE_NVML": words, **more}
    environment.pop("CUDA_VISIBLE_DEVICES", None) if "CUDA_VISIBLE_DEVICES" not in more else None
    return environment
