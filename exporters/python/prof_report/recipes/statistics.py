"""The statistics of nsys's sums."""

from typing import Any, Dict, List, Sequence

import numpy
import pandas

QUARTILES = {"Q1": 0.25, "Median": 0.5, "Q3": 0.75}
COLUMNS = ["Count", "Mean", "Std", "Min", "Q1", "Median", "Q3", "Max", "Sum"]


def describe(frame: pandas.DataFrame, keys: List[str], extra: str = "") -> pandas.DataFrame:
    """The statistics of the column `value` by the columns `keys`, sorted by them, with numbers to one decimal. The
    column `extra` is summed, too."""
    groups = frame.groupby(keys, observed=True, sort=False)
    values = groups["value"]
    found = values.agg(Count="count", Mean="mean", Std="std", Min="min", Max="max", Sum="sum")
    for name, share in QUARTILES.items():
        found[name] = values.quantile(share)
    if extra:
        found[extra] = groups[extra].sum()
    found = found[COLUMNS + ([extra] if extra else [])].round(1).reset_index()
    found[keys[0]] = found[keys[0]].astype(str)
    return found.sort_values(keys, kind="stable").set_index(keys)


def of_all_ranks(by_rank: pandas.DataFrame, extra: str = "") -> pandas.DataFrame:
    """nsys's statistics of all ranks, made of those of each rank: count, mean, extremes and sum are exact. The others
    are what nsys takes for them: the mean of the standard deviations, the smallest and the largest quartile, the
    median of the medians."""
    groups = by_rank.groupby(level=0)
    count, total = groups["Count"].sum(), groups["Sum"].sum()
    found = {"Count": count, "Mean": total / count, "Std (approx)": groups["Std"].mean(), "Min": groups["Min"].min(),
             "Q1 (approx)": groups["Q1"].min(), "Median (approx)": groups["Median"].median(),
             "Q3 (approx)": groups["Q3"].max(), "Max": groups["Max"].max(), "Sum": total}
    if extra:
        found[extra] = groups[extra].sum()
    return pandas.DataFrame(found).round(1)


def value_counts(frame: pandas.DataFrame, key: str) -> pandas.DataFrame:
    """How often each value occurs under each name: all that exact quantiles need, in little memory."""
    counts = frame.groupby([key, "value"], observed=True, sort=False).size().rename("count").reset_index()
    counts[key] = counts[key].astype(str)
    return counts


def exact(counts: Sequence[pandas.DataFrame], key: str) -> pandas.DataFrame:
    """Std, Q1, Median and Q3 of all events of all ranks, by name."""
    merged = pandas.concat(counts).groupby([key, "value"], sort=True)["count"].sum().reset_index()
    rows: Dict[Any, Dict[str, float]] = {}
    for name, group in merged.groupby(key, sort=True):
        values, times = group["value"].to_numpy(), group["count"].to_numpy()
        rows[name] = {"Std": _deviation(values, times),
                      **{column: _quantile(values, times, share) for column, share in QUARTILES.items()}}
    found = pandas.DataFrame.from_dict(rows, orient="index").round(1)
    found.index.name = key
    return found


def _deviation(values: Any, times: Any) -> float:
    """The sample standard deviation, from sums of whole numbers: it does not depend on the order of the ranks."""
    count = int(times.sum())
    if count < 2:
        return float("nan")
    pairs = [(int(value), int(number)) for value, number in zip(values.tolist(), times.tolist())]
    total = sum(value * number for value, number in pairs)
    squares = sum(value * value * number for value, number in pairs)
    return float(((count * squares - total * total) / (count * (count - 1))) ** 0.5)


def _quantile(values: Any, times: Any, share: float) -> float:
    """The quantile between the two nearest of the sorted values, each of which occurs `times` often."""
    last = numpy.cumsum(times) - 1
    place = share * last[-1]
    low, high = (values[numpy.searchsorted(last, bound)] for bound in (numpy.floor(place), numpy.ceil(place)))
    return float(low + (high - low) * (place - numpy.floor(place))) if high != low else float(low)
