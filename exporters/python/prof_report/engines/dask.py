"""Workers of Dask: those of a scheduler, or of a cluster on this machine."""

import importlib
import logging
import os
import pickle
import sys
import threading
import time
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from ..recipes.failures import Failure, RecipeError, reason_of
from . import batches, worker_count
from .places import Places, machine_of
from .work import Outcome, Work

RETRIES = 2
SCHEDULER_FILES = ("PROF_DASK_SCHEDULER_FILE", "NSYS_DASK_SCHEDULER_FILE")
CHECK_INTERVAL = 1.0  # s
DEFAULT_TIMEOUT = 60.0  # s
KILLED = "the workers that read it were killed"


def timeout() -> float:
    """How long prof waits for the scheduler, and for machines that are cut off, in seconds."""
    try:
        return float(os.environ["PROF_DASK_TIMEOUT"])
    except (KeyError, ValueError):
        return DEFAULT_TIMEOUT


def _distributed() -> Any:
    try:
        module = importlib.import_module("distributed")
    except ImportError:
        python = sys.executable or "python3"
        raise RecipeError(f"--mode dask-futures needs Dask, which {python} does not have: "
                          f"{python} -m pip install distributed") from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # prof names what failed
    return module


def _client_of(distributed: Any, scheduler: Dict[str, str]) -> Any:
    """A client of the scheduler. Dask waits without a limit for one that accepts the connection and says nothing."""
    made: List[Any] = []

    def connect() -> None:
        try:
            made.append(distributed.Client(**scheduler, timeout=timeout()))
        except Exception as error:  # pylint: disable=broad-exception-caught  # it is raised by the other thread
            made.append(error)

    thread = threading.Thread(target=connect, daemon=True)
    thread.start()
    thread.join(timeout() + 1)
    if not made:
        raise TimeoutError("it has accepted the connection and says nothing")
    if isinstance(made[0], BaseException):
        raise made[0]
    return made[0]


def _client(distributed: Any) -> Any:
    """A client of the scheduler that the environment names; without one, of a cluster on this machine."""
    for name in SCHEDULER_FILES:
        if path := os.environ.get(name):
            if not os.path.isfile(path):
                raise RecipeError(f"{name} names {path}, which does not exist")
            return _client_of(distributed, {"scheduler_file": path})
    if address := os.environ.get("DASK_SCHEDULER_ADDRESS"):
        return _client_of(distributed, {"address": address})
    cluster = distributed.LocalCluster(n_workers=worker_count(), threads_per_worker=1, dashboard_address=None,
                                       silence_logs=logging.CRITICAL)
    client = distributed.Client(cluster)
    client.prof_cluster = cluster
    return client


def _connect(distributed: Any) -> Any:
    try:
        client = _client(distributed)
        if not hasattr(client, "prof_cluster"):
            client.wait_for_workers(1, timeout=timeout())
        return client
    except RecipeError:
        raise
    except TimeoutError as error:
        what = " ".join(str(error).split()) or "no answer"
        raise RecipeError(f"Dask's scheduler does not answer, or has no worker, within {timeout():g} s "
                          f"(PROF_DASK_TIMEOUT): {what}") from None
    except (OSError, ValueError) as error:
        raise RecipeError(f"cannot reach Dask's scheduler: {' '.join(str(error).split())}") from None


def _on_worker(data: bytes) -> bytes:
    """Runs a group on a worker. Neither the group nor its outcomes are read by the scheduler, which need not have
    prof_report."""
    # pylint: disable=import-outside-toplevel
    import pickle as pickles

    from prof_report.engines.work import run_batch
    return pickles.dumps(run_batch(*pickles.loads(data)))


def _find_on_worker(words: List[str]) -> Any:
    # pylint: disable=import-outside-toplevel
    from prof_report.engines.places import find
    return find(words)


for function in (_on_worker, _find_on_worker):
    function.__module__ = "__main__"  # so that the code travels, not a name


class DaskEngine:
    """--mode dask-futures"""

    def __init__(self) -> None:
        self._distributed = _distributed()
        self._connected: Any = None
        self._places = Places()

    @property
    def _the_client(self) -> Any:
        if self._connected is None:
            self._connected = _connect(self._distributed)
        return self._connected

    def find(self, words: Sequence[str], here: Sequence[str]) -> Tuple[List[str], List[Failure]]:
        """All reports that the words of --input name, on this machine (`here`) or on those of the workers; and what is
        wrong with them."""
        client = self._the_client
        if hasattr(client, "prof_cluster"):
            return list(here), []
        absolute = [os.path.abspath(word) for word in words]
        found = client.run(_find_on_worker, absolute, on_error="return")
        for address, answer in found.items():
            self._places.add(address, answer)
        self._places.name_empty(absolute, found)
        return self._places.paths(here), self._places.failures

    def run(self, work: Work, paths: Sequence[str]) -> Iterator[Outcome]:
        """Outcomes come as they are ready. If the workers of a group are killed, its reports are tried again, at last one
        at a time: a worker that is killed takes with it what else it was given."""
        client = self._the_client
        workers = max(1, len(client.nthreads()))
        groups = [group for each in self._places.by_machine(paths) for group in batches(each, workers)]
        failed: Dict[str, str] = {}
        yield from self._round(client, work, groups, failed)
        yield from self._round(client, work, [[path] for path in failed], failed)
        killed = [[path] for path, why in failed.items() if why == KILLED]
        yield from self._round(client, work, killed, failed, at_once=1)
        yield from ((path, Failure(path, why)) for path, why in failed.items())

    def close(self) -> None:
        """Leaves the scheduler, or ends the cluster on this machine."""
        if self._connected is None:
            return
        cluster = getattr(self._connected, "prof_cluster", None)
        self._connected.close()
        if cluster is not None:
            cluster.close()
        self._connected = None

    def _submit(self, client: Any, work: Work, group: List[str]) -> Any:
        machines = self._places.machines_of(group[0])
        where: Dict[str, Any] = {"workers": machines, "allow_other_workers": False} if machines else {}
        return client.submit(_on_worker, pickle.dumps((work, group)), retries=RETRIES, pure=False, **where)

    def _round(self, client: Any, work: Work, groups: List[List[str]], failed: Dict[str, str],
               at_once: Optional[int] = None) -> Iterator[Outcome]:
        """The outcomes of the groups, of which at most `at_once` run at a time. `failed` gets the reports of a group whose
        task failed as a whole, with the reason, and loses those that have an outcome now."""
        waiting = list(reversed(groups))
        left: Dict[Any, List[str]] = {}
        watch = _MachineWatch(client)
        while waiting or left:
            while waiting and (at_once is None or len(left) < at_once):
                group = waiting.pop()
                left[self._submit(client, work, group)] = group
            done = self._wait(left)
            if not done:
                for future, why in watch.hopeless({each: self._places.machines_of(left[each][0]) for each in left}):
                    failed.update(dict.fromkeys(left.pop(future), why))
                    future.cancel()
            for future in done:
                yield from _outcome(future, left.pop(future), failed)

    def _wait(self, futures: Dict[Any, List[str]]) -> List[Any]:
        try:
            return list(self._distributed.wait(list(futures), timeout=CHECK_INTERVAL,
                                               return_when="FIRST_COMPLETED").done)
        except TimeoutError:
            return []
        except Exception:  # pylint: disable=broad-exception-caught  # cancelled futures: the scheduler is gone
            return [future for future in futures if future.done()]


def _outcome(future: Any, group: List[str], failed: Dict[str, str]) -> List[Outcome]:
    why = _failure_of(future)
    if why is not None:
        failed.update(dict.fromkeys(group, why))
        return []
    for path in group:
        failed.pop(path, None)
    return list(pickle.loads(future.result()))


def _failure_of(future: Any) -> Optional[str]:
    if future.status == "cancelled":
        return "Dask's scheduler is gone"
    error = future.exception()
    if error is None:
        return None
    return KILLED if type(error).__name__ == "KilledWorker" else reason_of(error)


class _MachineWatch:
    """Finds tasks that wait for machines which are gone, or for a scheduler that does not answer."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._seen: Dict[str, float] = {}
        self._begin = self._answered = time.monotonic()

    def _machines(self) -> Optional[List[str]]:
        if self._client.status != "running":
            return None
        try:
            addresses = self._client.scheduler_info(n_workers=-1)["workers"]
        except (OSError, TimeoutError, KeyError, TypeError):
            return None
        return [machine_of(address) for address in addresses]

    def hopeless(self, tasks: Dict[Any, List[str]]) -> List[Tuple[Any, str]]:
        """Those that cannot run, with the reasons. `tasks` has the machines where each can run; none: everywhere."""
        now = time.monotonic()
        machines = self._machines()
        if machines is not None:
            self._answered = now
            self._seen.update({machine: now for machine in machines})
        if now - self._answered > timeout():
            return [(task, "Dask's scheduler does not answer") for task in tasks]
        any_machine = max(self._seen.values(), default=self._begin)
        found = []
        for task, places in tasks.items():
            seen = max((self._seen.get(place, self._begin) for place in places), default=any_machine)
            if now - seen > timeout():
                found.append((task, f"the worker on {' or '.join(places)} is gone" if places
                              else "Dask has no worker any more"))
        return found
