"""How a recipe that runs gets the results of reports."""

import argparse
from typing import Any, Callable, Iterable, List, Sequence, Tuple

from ..engines import Engine
from ..engines.work import Read, Work
from .identity import notes_about
from .failures import Failure, RecipeError
from .recipe import Recipe
from .source import Source


class Context:
    """Applies functions of a recipe to reports, with the engine of --mode."""

    def __init__(self, engine: Engine, source: Source, paths: Sequence[str]) -> None:
        self._engine = engine
        self._source = source
        self.paths = list(paths)
        self.failures: List[Failure] = []
        self.notes: List[str] = []  # about reports that do not belong together

    def _outcomes(self, work: Work, paths: Sequence[str]) -> List[Tuple[str, Any]]:
        """The results in the order of the paths. Those of failed reports are None."""
        found = dict(self._engine.run(work, paths))
        read = {path: each for path, each in found.items() if isinstance(each, Read)}
        self.failures += [found[path] for path in paths if path not in read]
        self.notes = notes_about({path: each.ranks for path, each in read.items()})
        return [(path, read[path].result if path in read else None) for path in paths]

    def results(self, recipe: Recipe) -> List[Tuple[str, Any]]:
        """The path and the result of map() of each report that has one."""
        args = argparse.Namespace(**vars(recipe._parsed_args))  # pylint: disable=protected-access
        args.input = []  # thousands of names, which every task would carry
        work = Work(self._source, "map_path", {"args": args})
        results = [(path, result) for path, result in self._outcomes(work, self.paths) if result is not None]
        if not results:
            raise RecipeError("no report could be read" if len(self.failures) == len(self.paths)
                              else "the reports have no data for this recipe")
        return results

    # --- nsys's names

    def map(self, function: Callable[..., Any], items: Iterable[str], **arguments: Any) -> List[Any]:
        """The results of a static method of the recipe, one for each report. Failed reports have None."""
        work = Work(self._source, function.__name__, arguments)
        return [result for _, result in self._outcomes(work, list(items))]

    def launch(self, function: Callable[..., Any], *arguments: Any, **words: Any) -> Any:
        """Calls a function in this process."""
        return function(*arguments, **words)

    def wait(self, result: Any) -> Any:
        """The results of map() or launch(), which are ready."""
        return result
