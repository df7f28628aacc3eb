"""Annotations: NVTX ranges of a domain of prof."""

import functools
import importlib
from typing import Any, Callable, List, Optional

DOMAIN = "prof.kernels"
# Of ranges whose library has no domains.
PREFIX = "prof.kernels:"


class _Nvtx:
    """The package nvtx."""

    def __init__(self) -> None:
        self._nvtx = importlib.import_module("nvtx")

    def push(self, text: str) -> None:
        self._nvtx.push_range(text, domain=DOMAIN)

    def pop(self) -> None:
        self._nvtx.pop_range(domain=DOMAIN)


class _Torch:
    def __init__(self) -> None:
        self._nvtx = importlib.import_module("torch.cuda.nvtx")

    def push(self, text: str) -> None:
        self._nvtx.range_push(PREFIX + text)

    def pop(self) -> None:
        self._nvtx.range_pop()


class _Cupy:
    def __init__(self) -> None:
        self._nvtx = importlib.import_module("cupy.cuda.nvtx")

    def push(self, text: str) -> None:
        self._nvtx.RangePush(PREFIX + text)

    def pop(self) -> None:
        self._nvtx.RangePop()


@functools.lru_cache(maxsize=None)
def library() -> Any:
    """The first library for ranges that is installed, or None."""
    for each in (_Nvtx, _Torch, _Cupy):
        try:
            return each()
        except ImportError:
            pass
    return None


class Collected:
    """What annotations say to the call that is being profiled."""

    def __init__(self) -> None:
        self.names: List[str] = []  # of the run
        self.failed: List[str] = []


CURRENT: List[Optional[Collected]] = [None]


class annotate:  # pylint: disable=invalid-name
    """Names the kernels that a block or a function launches: ``with annotate("v2"):`` or ``@annotate("v2")``.

    A kernel belongs to the innermost annotation. Launches of other threads belong to the annotation that is open at
    that time. With `ignore_failures` an exception inside ends the block only, and its values are NaN.
    """

    def __init__(self, name: str, ignore_failures: bool = False) -> None:
        self.name = name
        self.ignore_failures = ignore_failures

    def __enter__(self) -> "annotate":
        collected = CURRENT[0]
        if collected is not None:
            if self.name in collected.names:
                raise ValueError(f"the annotation {self.name!r} is there twice in a run")
            collected.names.append(self.name)
        if library() is not None:
            library().push(self.name)
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        if library() is not None:
            library().pop()
        if kind is None or not self.ignore_failures or not issubclass(kind, Exception):
            return False
        if CURRENT[0] is not None:
            CURRENT[0].failed.append(self.name)
        return True

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def annotated(*args: Any, **kwargs: Any) -> Any:
            with annotate(self.name, self.ignore_failures):
                return function(*args, **kwargs)
        return annotated
