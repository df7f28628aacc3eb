"""Values of events from the files with partial results beside reports."""

import json
import os
from typing import Any, Optional, Sequence

import numpy
import pandas

from .. import _library
from .._run import read_partial

_MAGIC = b"v2"  # of values in partial results


def values_of(report: str, statistic: str, labels: Sequence[str]) -> Optional[pandas.DataFrame]:
    """The column `value` and the labels of all events of a statistic; its numbered labels, such as "Device ID", are
    numbers. None: there is no file, it does not fit the report, or it does not have each value."""
    if not os.path.exists(f"{report}.partial"):
        return None
    try:
        rows, unfit = read_partial(report, [statistic])
    except _library.ReportError:
        return None
    if unfit:
        return None
    frames = []
    for row in rows.select(["has_estimates", "labels", "values"]).to_pylist():
        if row["has_estimates"]:
            return None
        if row["labels"] is None:
            continue
        found, texts = _values_in(row["values"]), json.loads(row["labels"])
        if found is None or "" in texts:
            return None
        frames.append(pandas.DataFrame({**dict(zip(labels, map(_label, labels, texts))), "value": found}))
    return pandas.concat(frames) if frames else None


def _label(column: str, text: str) -> Any:
    return numpy.uint32(text) if column.endswith(" ID") else text  # the type in reports


def _values_in(data: bytes) -> Optional[Any]:
    """All values of a table of values and how often each occurs, in ascending order; None if it is a sketch."""
    if not data.startswith(_MAGIC + b"\0"):  # values without further totals
        return None
    numbers = _numbers(numpy.frombuffer(data, numpy.uint8, offset=len(_MAGIC) + 1))
    if not len(numbers) or numbers[0] % 2 == 1:
        return None
    values = numpy.cumsum(numbers[1::2], dtype=numpy.uint64).view(numpy.int64)
    return numpy.repeat(values, numbers[2::2].astype(numpy.int64))


def _numbers(data: Any) -> Any:
    """Numbers of 7 bits a byte, lowest bits first; the highest bit of a byte says that more bytes follow."""
    last = numpy.flatnonzero(data < 0x80)
    first = numpy.concatenate(([0], last[:-1] + 1))
    numbers = numpy.zeros(len(last), numpy.uint64)
    for place in range(int((last - first).max(initial=-1)) + 1):
        longer = numpy.flatnonzero(first + place <= last)
        bits = (data[first[longer] + place] & 0x7f).astype(numpy.uint64)
        numbers[longer] |= bits << numpy.uint64(7 * place)
    return numbers
