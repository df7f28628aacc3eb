"""How a function is applied to many reports: in this process, in processes of this machine, or by Dask."""

import os
from typing import Iterator, List, Protocol, Sequence, Tuple

from .work import Outcome, Work

MAX_REPORTS = 64
MAX_BYTES = 16 << 20  # about half a second of work
BATCHES_PER_WORKER = 4


class Engine(Protocol):
    """Applies the work to reports. Outcomes come in any order."""

    def run(self, work: Work, paths: Sequence[str]) -> Iterator[Outcome]:
        """A failure of one report does not stop the others."""


def worker_count() -> int:
    """How many processes: PROF_CONCURRENT_MAX_WORKERS or nsys's variable, else the CPUs of this process."""
    for name in ("PROF_CONCURRENT_MAX_WORKERS", "NSYS_CONCURRENT_MAX_WORKERS"):
        value = os.environ.get(name, "")
        if value.isdigit() and int(value) > 0:
            return int(value)
    return max(1, len(os.sched_getaffinity(0)))


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


def batches(paths: Sequence[str], workers: int) -> List[List[str]]:
    """Reports in groups by their sizes, so that a task is worth its overhead and no worker is idle."""
    sizes = [_size(path) for path in paths]
    most = min(MAX_BYTES, max(1, sum(sizes) // (workers * BATCHES_PER_WORKER)))
    found: List[Tuple[int, List[str]]] = []
    for path, size in zip(paths, sizes):
        if found and found[-1][0] + size <= most and len(found[-1][1]) < MAX_REPORTS:
            found[-1] = (found[-1][0] + size, [*found[-1][1], path])
        else:
            found.append((size, [path]))
    return [batch for _, batch in found]


def make_engine(mode: str) -> Engine:
    """The engine of --mode."""
    # pylint: disable=import-outside-toplevel
    if mode == "none":
        from .serial import SerialEngine
        return SerialEngine()
    from .processes import ProcessEngine
    return ProcessEngine(worker_count())
