import functools

from torch.optim import optimizer as hooks


class Optimizer:
    @staticmethod
    def profile_hook_step(func):
        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            result = func(*args, **kwargs)
            for hook in hooks.HOOKS:
                hook(args[0], args[1:], kwargs)
            return result
        return wrapper

    def __init__(self):
        if not getattr(type(self).step, "hooked", None):
            type(self).step = self.profile_hook_step(type(self).step)
            type(self).step.hooked = True

    def zero_grad(self):
        pass


class SGD(Optimizer):
    def step(self):
        pass


globals().pop("optimizer")  # PyTorch deletes it, too
