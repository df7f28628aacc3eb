"""Metrics of kernels that a Python program launches, as a DataFrame: prof kernel from inside of a script.

>>> from prof_report import kernels
>>> @kernels.profile(configs=[1024, 2048], runs=5, metrics=["gpu__time_duration.sum"])
... def products(n):
...     a = torch.randn(n, n, device="cuda")
...     with kernels.annotate("matmul"):
...         a @ a
>>> products().to_dataframe()

The first call of a decorated function runs the script again under prof kernel, until that call has ended. The names are
those of nsight-python: ``from prof_report import kernels as nsight`` is enough for most of its scripts.
"""

from . import analyze
from ._ranges import annotate
from ._results import ProfileResults, read
from .analyze import VerbosityLevel
from .analyze import kernel as profile

__all__ = ["ProfileResults", "VerbosityLevel", "analyze", "annotate", "profile", "read"]
