from ..tensor import Tensor
from . import utils


class Parameter(Tensor):
    pass


class Module:
    def _wrapped_call_impl(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    __call__ = _wrapped_call_impl


class Linear(Module):
    def __init__(self, *shape):
        self._parameters = {"weight": Parameter(*shape)} if shape else {}

    def forward(self, x):
        return x + 1


class Sequential(Module):
    def __init__(self, *parts):
        self.parts = parts

    def forward(self, x):
        for part in self.parts:
            x = part(x)
        return x
