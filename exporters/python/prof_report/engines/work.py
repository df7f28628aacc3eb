"""What workers do with a report."""

from typing import Any, List, Sequence, Tuple, Union

from ..recipes.failures import Failure, reason_of
from ..recipes.source import Source

Outcome = Tuple[str, Union[Failure, Any]]


class Work:
    """A function of a recipe with its arguments. It travels to other processes as the recipe's source and a name."""

    def __init__(self, source: Source, function: str, arguments: Any) -> None:
        self.source = source
        self.function = function
        self.arguments = arguments

    def of(self, path: str) -> Any:
        """The function's result for one report."""
        return getattr(self.source.load(), self.function)(path, **self.arguments)


def run_batch(work: Work, paths: Sequence[str]) -> List[Outcome]:
    """The outcome of each report. What is wrong with one does not concern the others."""
    outcomes: List[Outcome] = []
    for path in paths:
        try:
            outcomes.append((path, work.of(path)))
        except Exception as error:  # pylint: disable=broad-exception-caught  # code of users may raise anything
            outcomes.append((path, Failure(path, reason_of(error))))
    return outcomes
