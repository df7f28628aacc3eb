"""Reads reports of prof, and SQLite files that nsys exported, into pyarrow, pandas and Polars.

>>> import prof_report as pr
>>> r = pr.open("report.db")
>>> r.table("CUPTI_ACTIVITY_KIND_KERNEL").to_pandas()
>>> r.stats("cuda_gpu_kern_sum").to_pandas()
>>> r.findings()

All times are in nanoseconds since the session began.
"""

from ._library import OutOfRange, ReportError, version
from ._report import Report
from ._report import open_report as open  # pylint: disable=redefined-builtin
from ._table import Table

__version__ = version()
__all__ = ["OutOfRange", "Report", "ReportError", "Table", "__version__", "open"]
