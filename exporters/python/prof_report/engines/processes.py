"""Processes of this machine."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Iterator, List, Sequence

from ..recipes.failures import Failure
from . import batches
from .serial import SerialEngine
from .work import Outcome, Work, run_batch


class ProcessEngine:
    """--mode concurrent. If a process is killed, its reports are tried again, at last one by one."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._start = multiprocessing.get_context("forkserver")  # pyarrow's threads do not survive a fork
        self._start.set_forkserver_preload(["prof_report.engines.work", "pandas", "pyarrow"])

    def run(self, work: Work, paths: Sequence[str]) -> Iterator[Outcome]:
        """Outcomes come as they are ready."""
        workers = min(self._workers, len(paths))
        if workers <= 1:
            yield from SerialEngine().run(work, paths)
            return
        left = set(paths)
        for outcome in self._round(work, batches(paths, workers), workers):
            left.discard(outcome[0])
            yield outcome
        for path in [path for path in paths if path in left]:
            alone = list(self._round(work, [[path]], 1))
            yield from alone or [(path, Failure(path, "the process that read it was killed"))]

    def _round(self, work: Work, groups: List[List[str]], workers: int) -> Iterator[Outcome]:
        """The outcomes of the groups until a process is killed."""
        with ProcessPoolExecutor(min(workers, len(groups)), mp_context=self._start) as pool:
            futures = [pool.submit(run_batch, work, group) for group in groups]
            for future in as_completed(futures):
                try:
                    yield from future.result()
                except BrokenProcessPool:
                    continue
