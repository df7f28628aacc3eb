"""Decorators with the names of nsight-python: kernel profiles a function, plot draws its results."""

import enum
import functools
import inspect
import math
import sys
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

from .._library import ReportError
from . import _rerun, _results
from ._plot import plot
from ._results import ProfileResults

__all__ = ["VerbosityLevel", "ignore_failures", "kernel", "plot"]

Configs = Sequence[Tuple[Sequence[Any], Dict[str, Any]]]
_TIME = "gpu__time_duration.sum"


class VerbosityLevel(enum.IntEnum):
    """What the profiling of a function prints: nothing, a line for each call, all that the program prints."""

    SILENT = 0
    INFO = 3
    DEBUG = 4


@contextmanager
def ignore_failures() -> Iterator[None]:
    """Ignores exceptions of a block outside of annotations."""
    try:
        yield
    except Exception:  # pylint: disable=broad-except
        pass


class _Settings:
    def __init__(self, **values: Any) -> None:
        self.configs: Optional[Iterable[Any]] = values.pop("configs")
        self.runs: int = values.pop("runs")
        self.metrics: List[str] = [each.strip() for each in values.pop("metrics")]
        self.derive: Optional[Callable[..., Any]] = values.pop("derive_metric")
        self.normalize_against: Optional[str] = values.pop("normalize_against")
        self.verbosity: VerbosityLevel = values.pop("verbosity")
        self.ignored: List[str] = list(values.pop("ignore_kernel_list") or [])
        self.combine: Optional[Callable[[float, float], float]] = values.pop("combine_kernel_metrics")
        self.prefix: Optional[str] = values.pop("output_prefix")
        self.csv: bool = values.pop("output_csv")
        self.options: List[str] = list(values.pop("options"))
        if self.runs < 1 or not self.metrics:
            raise ValueError("runs is 1 or more, and metrics has names")
        _refuse(values)


def _refuse(others: Dict[str, Any]) -> None:
    """What nsight-python knows and prof cannot do."""
    if others.pop("replay_mode") != "kernel":
        raise ValueError("replay_mode: prof profiles single kernels (\"kernel\")")
    if others.pop("info_collectors"):
        raise ValueError("info_collectors: prof_report.kernels has none. Add columns to the DataFrame")
    clock, cache = others.pop("clock_control"), others.pop("cache_control")
    if clock not in ("base", "none") or cache not in ("all", "none"):
        raise ValueError("clock_control is \"base\" or \"none\", cache_control \"all\" or \"none\"")
    if clock == "base":
        warnings.warn("prof does not lock the clocks of GPUs. nvidia-smi -lgc does", RuntimeWarning, stacklevel=4)
    unknown = [name for name in others if not name.startswith("thermal_")]
    if unknown:
        raise TypeError(f"unknown arguments: {', '.join(unknown)}")
    if any(value not in (None, "off") for value in others.values()):
        warnings.warn("prof does not wait for a GPU to get cold", RuntimeWarning, stacklevel=4)


def _bound(function: Callable[..., Any], config: Any) -> Tuple[Sequence[Any], Dict[str, Any]]:
    """Positional and keyword arguments of a configuration: values in the order of the parameters."""
    taken = [each for each in inspect.signature(function).parameters.values()
             if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
    if isinstance(config, str) or not isinstance(config, Sequence):
        config = (config,)
    required = sum(1 for each in taken if each.default is each.empty)
    if not required <= len(config) <= len(taken):
        raise ValueError(f"a configuration of {function.__name__} has {len(config)} values, but the function takes "
                         f"{required if required == len(taken) else f'{required} to {len(taken)}'}")
    values = [*config, *(each.default for each in taken[len(config):])]
    args = [value for value, each in zip(values, taken) if each.kind is not each.KEYWORD_ONLY]
    return args, {each.name: value for value, each in zip(values, taken) if each.kind is each.KEYWORD_ONLY}


def _configs(function: Callable[..., Any], args: Sequence[Any], configs: Optional[Iterable[Any]],
             of_decorator: Optional[Iterable[Any]]) -> Configs:
    if args and (configs is not None or of_decorator is not None):
        raise ValueError("either arguments or configs")
    if configs is not None and of_decorator is not None:
        raise ValueError("configs are given twice: to the decorator and to the call")
    chosen = [tuple(args)] if args else configs if configs is not None else of_decorator
    bound = [_bound(function, each) for each in ([()] if chosen is None else chosen)]
    if not bound:
        raise ValueError("configs is empty")
    return bound


def _fields(function: Callable[..., Any], config: Tuple[Sequence[Any], Dict[str, Any]]) -> Dict[str, Any]:
    """The values of the parameters of a configuration by name."""
    args, kwargs = config
    names = [each.name for each in inspect.signature(function).parameters.values()
             if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    return {**dict(zip(names, args)), **kwargs}


def _derived(settings: _Settings, values: Sequence[float], fields: Dict[str, Any]) -> Iterator[Tuple[str, float, Any]]:
    """Name, value and unit of the metrics that the user's function makes of the others."""
    if settings.derive is None:
        return
    made = settings.derive(*values, *fields.values())
    if not isinstance(made, dict):
        made = {settings.derive.__name__: made}
    for name, value in made.items():
        yield (name, *value) if isinstance(value, tuple) else (name, value, math.nan)


def _rows(settings: _Settings, fields: Sequence[Dict[str, Any]], said: Sequence[Sequence[Any]],
          report: Path) -> List[Dict[str, Any]]:
    """A row for each annotation, configuration, run and metric."""
    groups: Dict[Tuple[int, int, str], List[_results.Launch]] = {}
    for launch in _results.launches(report):
        if not any(name in launch.kernel for name in settings.ignored):
            groups.setdefault((launch.config, launch.run, launch.annotation), []).append(launch)
    nothing = _results.Value(math.nan, math.nan, "", "", math.nan)
    rows = []
    for config, run, names, failed in said:
        for name in names:
            group = groups.get((config, run, name), [])
            values = [nothing if not group or name in failed else _results.combined(group, metric, settings.combine)
                      for metric in settings.metrics]
            all_values = [(metric, each.value, each.unit) for metric, each in zip(settings.metrics, values)]
            all_values += _derived(settings, [each.value for each in values], fields[config])
            rows += [{"Annotation": name, "Value": value, "Metric": metric, "Unit": unit, "Kernel": values[0].kernel,
                      "GPU": values[0].gpu, "ComputeClock": values[0].clock, "config": config, **fields[config]}
                     for metric, value, unit in all_values]
    return rows


def _profile(function: Callable[..., Any], configs: Configs, settings: _Settings) -> ProfileResults:
    call = _rerun.next_call()
    wanted = _rerun.wanted()
    if wanted is not None:
        if call < wanted[0]:
            return ProfileResults(_rerun.earlier_result(call, wanted[1]))
        _rerun.end(_rerun.run_all(function, configs, settings.runs), wanted[1])
    if _rerun.is_recorded():
        _rerun.run_all(function, configs, settings.runs)
        return ProfileResults(None)
    _results.pandas()
    with _rerun.Rerun() as rerun:
        said = rerun.run(call, settings.metrics, settings.options, settings.verbosity >= VerbosityLevel.DEBUG)
        fields = [_fields(function, each) for each in configs]
        rows = _rows(settings, fields, said, rerun.report)
        if not any(names for _, _, names, _ in said):
            raise ReportError(f"{function.__name__} has no annotation: with kernels.annotate(\"name\"): …")
        if all(math.isnan(row["Value"]) for row in rows):
            raise ReportError("no kernel was profiled in an annotation" + rerun.messages)
        frame = _results.average(rows, list(fields[0]), settings.normalize_against)
    _rerun.keep(call, frame)
    if settings.csv:
        _write(frame, rows, f"{settings.prefix or ''}{{}}-{function.__name__}-{call - 1}.csv")
    if settings.verbosity >= VerbosityLevel.INFO:
        print(f"prof: {function.__name__}: {len(configs)} configurations, {settings.runs} runs, "
              f"{len(frame)} rows", file=sys.stderr)
    return ProfileResults(frame)


def _write(frame: Any, rows: Sequence[Dict[str, Any]], name: str) -> None:
    frame.to_csv(name.format("processed_data"), index=False)
    _results.pandas().DataFrame(rows).drop(columns="config").to_csv(name.format("profiled_data"), index=False)


def kernel(
    function: Optional[Callable[..., Any]] = None,
    *,
    configs: Optional[Iterable[Any]] = None,
    runs: int = 1,
    derive_metric: Optional[Callable[..., Any]] = None,
    normalize_against: Optional[str] = None,
    verbosity: VerbosityLevel = VerbosityLevel.INFO,
    metrics: Sequence[str] = (_TIME,),
    ignore_kernel_list: Optional[Sequence[str]] = None,
    clock_control: str = "none",
    cache_control: str = "none",
    replay_mode: str = "kernel",
    combine_kernel_metrics: Optional[Callable[[float, float], float]] = None,
    output_prefix: Optional[str] = None,
    output_csv: bool = False,
    info_collectors: Optional[Sequence[Any]] = None,
    options: Sequence[str] = (),
    **others: Any,
) -> Any:
    """Profiles the kernels in the annotations of a function, with metrics of prof kernel.

    A call runs the program again under prof kernel up to this call, and returns ProfileResults. The function's own
    result is lost.

    `configs`: arguments of the function, a call for each. A call may have them, too, or one configuration as arguments.
    `runs`: how often each is run.
    `metrics`: their names, as of ``prof kernel --list-metrics``.
    `derive_metric`: makes metrics of others: a function of the values, in the order of `metrics`, and of the arguments.
    It returns a value, a value and its unit, or a dictionary of these by name.
    `normalize_against`: an annotation by whose averages those of the others are divided.
    `ignore_kernel_list`: parts of the names of kernels that do not count.
    `combine_kernel_metrics`: makes one value of those of two kernels, if an annotation launches several.
    `output_csv`, `output_prefix`: write the results, and those of each run, as CSV.
    `options`: more options of prof kernel. Caches are as the program leaves them, whatever `cache_control` is.
    """
    settings = _Settings(
        configs=configs, runs=runs, derive_metric=derive_metric, normalize_against=normalize_against,
        verbosity=verbosity, metrics=metrics, ignore_kernel_list=ignore_kernel_list, clock_control=clock_control,
        cache_control=cache_control, replay_mode=replay_mode, combine_kernel_metrics=combine_kernel_metrics,
        output_prefix=output_prefix, output_csv=output_csv, info_collectors=info_collectors, options=options, **others)

    def decorate(decorated: Callable[..., Any]) -> Callable[..., ProfileResults]:
        @functools.wraps(decorated)
        def call(*args: Any, configs: Optional[Iterable[Any]] = None) -> ProfileResults:
            return _profile(decorated, _configs(decorated, args, configs, settings.configs), settings)
        return call

    return decorate if function is None else decorate(function)
