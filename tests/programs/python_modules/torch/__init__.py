"""Stands in for PyTorch where there is none: the names that --pytorch uses, and what they call."""
from . import amp, autograd, compiler, cuda, distributed, nn, optim
from .tensor import Tensor
