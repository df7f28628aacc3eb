"""Reads reports of prof, and SQLite files that nsys exported, into pyarrow, pandas and Polars.

>>> import prof_report as pr
>>> r = pr.open("report.db")
>>> r.table("CUPTI_ACTIVITY_KIND_KERNEL").to_pandas()
>>> r.stats("cuda_gpu_kern_sum").to_pandas()
>>> r.findings()
>>> pr.open_run("run/").stats("cuda_gpu_kern_sum").to_pandas()

All times are in nanoseconds since the session began.
"""

from ._library import OutOfRange, ReportError, version
from ._report import Report
from ._report import open_report as open  # pylint: disable=redefined-builtin
from ._run import Partial, Run, merge, open_run, partial
from ._table import Table
from .recipes.option import Option
from .recipes.recipe import Recipe

__version__ = version()
__all__ = ["Option", "OutOfRange", "Partial", "Recipe", "Report", "ReportError", "Run", "Table", "__version__", "merge",
           "open", "open_run", "partial"]
