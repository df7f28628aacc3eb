"""Draws the results of a profiled function with matplotlib."""

import functools
import importlib
import math
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from .._library import ReportError


def _chosen(frame: Any, metric: Optional[str]) -> Any:
    """The rows of the metric that is drawn."""
    known = list(dict.fromkeys(frame["Metric"]))
    if metric is None and len(known) != 1:
        raise ValueError(f"plot: name one metric of {', '.join(known) or 'none'}")
    if metric is not None and metric not in known:
        raise ValueError(f"plot: no metric {metric}; there are: {', '.join(known)}")
    return frame[frame["Metric"] == (known[0] if metric is None else metric)]


def _parameters(frame: Any) -> List[str]:
    """The columns between Annotation and AvgValue."""
    columns = list(frame.columns)
    return columns[1:columns.index("AvgValue")]


def _label(row: Any, fields: Sequence[str]) -> str:
    return ", ".join(str(row[each]) for each in fields)


def _lines(rows: Any, keys: Sequence[str], variants: Sequence[str],
           varying: Optional[Sequence[str]]) -> Dict[str, List[Tuple[str, float]]]:
    """The points of each line: annotations, divided by the variant fields."""
    lines: Dict[str, List[Tuple[str, float]]] = {}
    for _, row in rows.iterrows():
        name = row["Annotation"]
        if variants and (varying is None or name in varying):
            name += f" ({_label(row, variants)})"
        lines.setdefault(name, []).append((_label(row, keys), row["AvgValue"]))
    return lines


def _draw(axes: Any, lines: Dict[str, List[Tuple[str, float]]], kind: str, annotates: bool, aggregate: str) -> None:
    labels = list(dict.fromkeys(label for points in lines.values() for label, _ in points))
    for at, (name, points) in enumerate(lines.items()):
        values = dict(points)
        numbers = [value for value in values.values() if value > 0]
        if aggregate == "avg" and numbers:
            name += f" (average {sum(numbers) / len(numbers):.4g})"
        elif aggregate == "geomean" and numbers:
            name += f" (geometric mean {math.exp(sum(map(math.log, numbers)) / len(numbers)):.4g})"
        heights = [values.get(label, math.nan) for label in labels]
        if kind == "bar":
            width = 0.8 / len(lines)
            axes.bar([place + at * width for place in range(len(labels))], heights, width, label=name)
        else:
            axes.plot(range(len(labels)), heights, marker="o", label=name)
        if annotates:
            for place, height in enumerate(heights):
                axes.annotate(f"{height:.4g}", (place, height))
    axes.set_xticks(range(len(labels)), labels)
    axes.legend()


def draw(frame: Any, filename: str, **how: Any) -> Any:
    """Draws a results' DataFrame into a file."""
    try:
        matplotlib = importlib.import_module("matplotlib")
        matplotlib.use("Agg", force=False)
        pyplot = importlib.import_module("matplotlib.pyplot")
    except ImportError:
        raise ReportError("plot needs matplotlib: pip install matplotlib") from None
    rows = _chosen(frame, how["metric"])
    down, across = list(how["row_panels"] or []), list(how["col_panels"] or [])
    variants = list(how["variant_fields"] or [])
    keys = list(how["x_keys"] or [each for each in _parameters(frame) if each not in (*down, *across, *variants)])
    panels = [[tuple(row) for row in rows[fields].drop_duplicates().itertuples(index=False)] if fields else [()]
              for fields in (down, across)]
    figure, grid = pyplot.subplots(len(panels[0]), len(panels[1]), squeeze=False, figsize=(
        how["plot_width"] * len(panels[1]), how["plot_height"] * len(panels[0])))
    for line, of_row in enumerate(panels[0]):
        for column, of_column in enumerate(panels[1]):
            part = rows
            for name, value in zip((*down, *across), (*of_row, *of_column)):
                part = part[part[name] == value]
            axes = grid[line][column]
            _draw(axes, _lines(part, keys, variants, how["variant_annotations"]), how["plot_type"],
                  how["annotate_points"], how["show_aggregate"] or "")
            axes.set_xlabel(", ".join(keys))
            axes.set_title(", ".join(f"{name} = {value}" for name, value in
                                     zip((*down, *across), (*of_row, *of_column))))
            axes.set_ylabel(how["ylabel"] or f"{rows['Metric'].iloc[0]} (average of {rows['NumRuns'].max()} runs)")
    figure.suptitle(how["title"])
    figure.tight_layout()
    if how["plot_callback"] is not None:
        how["plot_callback"](figure)
    figure.savefig(filename)
    pyplot.close(figure)


def plot(
    filename: str = "plot.png",
    metric: Optional[str] = None,
    *,
    title: str = "Metrics of kernels",
    ylabel: Optional[str] = None,
    annotate_points: bool = False,
    show_aggregate: Optional[str] = None,
    plot_type: str = "line",
    plot_width: int = 6,
    plot_height: int = 4,
    row_panels: Optional[Sequence[str]] = None,
    col_panels: Optional[Sequence[str]] = None,
    x_keys: Optional[Sequence[str]] = None,
    print_data: bool = False,
    variant_fields: Optional[Sequence[str]] = None,
    variant_annotations: Optional[Sequence[str]] = None,
    plot_callback: Optional[Callable[[Any], None]] = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Draws what a profiled function returns: a line for each annotation, by the function's parameters.

    `row_panels`, `col_panels`: parameters with a panel for each value. `x_keys`: parameters of the x axis.
    `variant_fields`: parameters with a line for each value, of all annotations or of `variant_annotations`.
    `show_aggregate`: ``"avg"`` or ``"geomean"`` of each line. `plot_type`: ``"line"`` or ``"bar"``.
    """
    if plot_type not in ("line", "bar"):
        raise ValueError("plot_type is \"line\" or \"bar\"")

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            results = function(*args, **kwargs)
            frame = results.to_dataframe()
            if print_data:
                print(_chosen(frame, metric).to_string())
            draw(frame, filename, metric=metric, title=title, ylabel=ylabel, annotate_points=annotate_points,
                 show_aggregate=show_aggregate, plot_type=plot_type, plot_width=plot_width, plot_height=plot_height,
                 row_panels=row_panels, col_panels=col_panels, x_keys=x_keys, variant_fields=variant_fields,
                 variant_annotations=variant_annotations, plot_callback=plot_callback)
            return results
        return call

    return decorate
