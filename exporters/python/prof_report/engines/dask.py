"""Workers of Dask: those of a scheduler, or of a cluster on this machine."""

import importlib
import logging
import os
import pickle
import sys
from typing import Any, Callable, Iterator, List, Sequence

from ..recipes.failures import Failure, RecipeError, reason_of
from . import batches, worker_count
from .work import Outcome, Work

RETRIES = 2
SCHEDULER_FILES = ("PROF_DASK_SCHEDULER_FILE", "NSYS_DASK_SCHEDULER_FILE")


def _distributed() -> Any:
    try:
        module = importlib.import_module("distributed")
    except ImportError:
        python = sys.executable or "python3"
        raise RecipeError(f"--mode dask-futures needs Dask, which {python} does not have: "
                          f"{python} -m pip install distributed") from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # prof names what failed
    return module


def _client(distributed: Any) -> Any:
    """A client of the scheduler that the environment names; without one, of a cluster on this machine."""
    for name in SCHEDULER_FILES:
        if path := os.environ.get(name):
            if not os.path.isfile(path):
                raise RecipeError(f"{name} names {path}, which does not exist")
            return distributed.Client(scheduler_file=path)
    if address := os.environ.get("DASK_SCHEDULER_ADDRESS"):
        return distributed.Client(address)
    cluster = distributed.LocalCluster(n_workers=worker_count(), threads_per_worker=1, dashboard_address=None,
                                       silence_logs=logging.CRITICAL)
    client = distributed.Client(cluster)
    client.prof_cluster = cluster
    return client


def _on_worker(data: bytes) -> bytes:
    """Runs a group on a worker. Neither the group nor its outcomes are read by the scheduler, which need not have
    prof_report."""
    # pylint: disable=import-outside-toplevel
    import pickle as pickles

    from prof_report.engines.work import run_batch
    return pickles.dumps(run_batch(*pickles.loads(data)))


_on_worker.__module__ = "__main__"  # so that the code travels, not a name


class DaskEngine:
    """--mode dask-futures"""

    def __init__(self) -> None:
        self._distributed = _distributed()

    def run(self, work: Work, paths: Sequence[str]) -> Iterator[Outcome]:
        """Outcomes come as they are ready. If the workers of a group die, its reports are tried one by one."""
        try:
            client = _client(self._distributed)
        except (OSError, ValueError) as error:
            raise RecipeError(f"cannot reach Dask's scheduler: {' '.join(str(error).split())}") from None
        try:
            groups = batches(paths, max(1, len(client.nthreads())))
            lost: List[List[str]] = []
            yield from self._round(client, work, groups, lambda group, _: lost.append(group))
            failed: List[Failure] = []
            alone = [[path] for group in lost for path in group]
            yield from self._round(client, work, alone, lambda group, why: failed.append(Failure(group[0], why)))
            yield from ((failure.path, failure) for failure in failed)
        finally:
            cluster = getattr(client, "prof_cluster", None)
            client.close()
            if cluster is not None:
                cluster.close()

    def _round(self, client: Any, work: Work, groups: List[List[str]],
               lose: Callable[[List[str], str], None]) -> Iterator[Outcome]:
        """The outcomes of the groups. lose() gets a group whose task failed as a whole, with the reason."""
        futures = {client.submit(_on_worker, pickle.dumps((work, group)), retries=RETRIES, pure=False): group
                   for group in groups}
        for future in self._distributed.as_completed(futures):
            error = future.exception()
            if error is None:
                yield from pickle.loads(future.result())
            elif type(error).__name__ == "KilledWorker":
                lose(futures[future], "the workers that read it were killed")
            else:
                lose(futures[future], reason_of(error))
