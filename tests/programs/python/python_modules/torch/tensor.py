from . import autograd


class Tensor:
    def __init__(self, *shape):
        self.shape = shape

    def __add__(self, _):
        return self

    def backward(self):
        autograd.backward(self)
