"""The engine of --mode dask-futures with a scheduler whose worker is killed together with all that it was given."""
import importlib
import pickle
from types import SimpleNamespace

import pytest
from arrow_tables import needs_package, package

pytest.importorskip("distributed")
pytestmark = needs_package


class KilledWorker(Exception):
    """Dask's exception is known by its name."""


class Future:
    def __init__(self, paths):
        self.paths = paths
        self.error = None
        self.status = "pending"

    def exception(self):
        return self.error

    def result(self):
        return pickle.dumps([(path, f"read {path}") for path in self.paths])


class Scheduler:
    """Has one worker, which gets all tasks. Those that read a killer kill it."""

    def __init__(self, killers):
        self.killers = killers

    def nthreads(self):
        return {"worker": 1}

    def submit(self, _, data, **_options):
        return Future(pickle.loads(data)[1])

    def wait(self, futures, **_options):
        is_killed = any(path in self.killers for each in futures for path in each.paths)
        done = futures if is_killed else futures[:1]
        for each in done:
            each.status, each.error = ("error", KilledWorker()) if is_killed else ("finished", None)
        return SimpleNamespace(done=done)


@pytest.mark.parametrize("killers", [[], ["b"], ["a", "d"]])
def test_only_reports_that_kill_by_themselves_are_left_out(killers):
    package()
    engine = importlib.import_module("prof_report.engines.dask").DaskEngine()
    engine._connected = engine._distributed = Scheduler(killers)  # pylint: disable=protected-access
    outcomes = {path: getattr(outcome, "reason", outcome) for path, outcome in engine.run("the work", list("abcd"))}
    assert outcomes == {path: "the workers that read it were killed" if path in killers else f"read {path}" for path in "abcd"}
