"""Stands in for PyTorch if it is not installed: has the names that --pytorch uses, and the functions they call."""
from . import amp, autograd, compiler, cuda, distributed, nn, optim
from .tensor import Tensor
