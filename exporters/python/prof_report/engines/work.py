"""What workers do with a report."""

import sqlite3
import urllib.parse
from typing import Any, List, NamedTuple, Sequence, Tuple, Union

from ..recipes.failures import Failure, reason_of
from ..recipes.source import Source

RANKS = "SELECT DISTINCT rank, jobId, attempt FROM PROF_RANKS WHERE precedence = 0"


class Read(NamedTuple):
    """A function's result for one report, and the ranks in the report: (rank, job, attempt)."""
    result: Any
    ranks: List[Tuple[Any, Any, Any]]


Outcome = Tuple[str, Union[Failure, Read]]


class Work:
    """A function of a recipe with its arguments. It travels to other processes as the recipe's source and a name."""

    def __init__(self, source: Source, function: str, arguments: Any) -> None:
        self.source = source
        self.function = function
        self.arguments = arguments

    def of(self, path: str) -> Read:
        """The function's result for one report."""
        return Read(getattr(self.source.load(), self.function)(path, **self.arguments), ranks_of(path))


def ranks_of(path: str) -> List[Tuple[Any, Any, Any]]:
    """The ranks that a report says it is of. Reports of nsys do not say."""
    try:
        database = sqlite3.connect(f"file:{urllib.parse.quote(path)}?mode=ro", uri=True)
        try:
            return database.execute(RANKS).fetchall()
        finally:
            database.close()
    except sqlite3.Error:
        return []


def run_batch(work: Work, paths: Sequence[str]) -> List[Outcome]:
    """The outcome of each report. What is wrong with one does not concern the others."""
    outcomes: List[Outcome] = []
    for path in paths:
        try:
            outcomes.append((path, work.of(path)))
        except Exception as error:  # pylint: disable=broad-exception-caught  # code of users may raise anything
            outcomes.append((path, Failure(path, reason_of(error))))
    return outcomes
