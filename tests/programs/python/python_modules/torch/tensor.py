from . import autograd


class Tensor:
    def backward(self):
        autograd.backward(self)
