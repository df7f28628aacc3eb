from ..tensor import Tensor
from . import utils


class Parameter(Tensor):
    pass


class Module:
    def _wrapped_call_impl(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    __call__ = _wrapped_call_impl

    def children(self):
        return []

    def named_modules(self, prefix=""):
        yield prefix, self
        for name, child in self.children():
            yield from child.named_modules(f"{prefix}.{name}" if prefix else name)


class Linear(Module):
    def __init__(self, *shape):
        self._parameters = {"weight": Parameter(*shape)} if shape else {}

    def forward(self, x):
        return x + 1


class Sequential(Module):
    def __init__(self, *parts):
        self.parts = parts

    def children(self):
        return [(str(number), part) for number, part in enumerate(self.parts)]

    def forward(self, x):
        for part in self.parts:
            x = part(x)
        return x
