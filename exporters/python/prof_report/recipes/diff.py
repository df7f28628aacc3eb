"""Differences of two outputs of one recipe."""

import json
import os
from pathlib import Path
from typing import Any, List, Optional

import pandas

from .failures import RecipeError
from .option import Option
from .recipe import Recipe

_TABLES = ("all_stats", "rank_stats")


class Diff(Recipe):
    """Differences of two outputs of one recipe"""

    takes_reports = False
    options = [Option("--input", nargs=2, required=True, metavar="DIR",
                      help="the outputs of one recipe that makes sums: before and after"),
               Option("--tolerance", type=float, default=0, metavar="N",
                      help="differences of at most N are 0. Default: 0"),
               Option("--drop", action="store_true", help="leave out rows without a difference")]

    def run(self, context: Any) -> None:
        super().run(context)
        folders: List[str] = self._parsed_args.input
        if len({_recipe_of(folder) for folder in folders}) > 1:
            raise RecipeError(f"{folders[0]} and {folders[1]} are not outputs of one recipe")
        files = [_read(folder, "files")["File"] for folder in folders]
        self.write("files", pandas.DataFrame({"File1": files[0], "File2": files[1]}).rename_axis("Rank"))
        for name in _TABLES:
            before, after = (_read(folder, name) for folder in folders)
            if list(before.columns) != list(after.columns) or before.index.names != after.index.names:
                raise RecipeError(f"{folders[0]} and {folders[1]} have other columns in {name}")
            self.write(name, self._difference(before, after))

    def _difference(self, before: pandas.DataFrame, after: pandas.DataFrame) -> pandas.DataFrame:
        """After minus before. A row that one of them lacks counts as zeros there."""
        keys = (["Rank"] if "Rank" in before else []) + list(before.index.names)
        first, last = (_signed(frame.reset_index().set_index(keys)) for frame in (before, after))
        missing = first.index.symmetric_difference(last.index)
        found = last.reindex(last.index.union(first.index)) - first
        for key in missing:
            found.loc[key] = last.loc[key] if key in last.index else -first.loc[key]
        found = found.astype({name: kind for name, kind in first.dtypes.items() if kind.kind == "i"})
        found = found.mask(found.abs() <= self._parsed_args.tolerance, 0).astype(found.dtypes)
        if self._parsed_args.drop:
            found = found[(found.fillna(0) != 0).any(axis=1)]
        return found.reset_index("Rank") if "Rank" in keys else found


def _signed(frame: pandas.DataFrame) -> pandas.DataFrame:
    return frame.astype({name: "int64" for name, kind in frame.dtypes.items() if kind.kind == "u"})


def _recipe_of(folder: str) -> Optional[str]:
    """The recipe that wrote the folder, by its description."""
    for path in sorted(Path(folder).glob("*.nsys-analysis")):
        try:
            return json.loads(path.read_text(encoding="utf-8"))["RecipeName"]
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return None


def _read(folder: str, name: str) -> pandas.DataFrame:
    path = os.path.join(folder, f"{name}.parquet")
    if not os.path.isfile(path):
        raise RecipeError(f"{folder} is not the output of a recipe that makes sums: it has no {name}.parquet")
    try:
        return pandas.read_parquet(path)
    except (OSError, ValueError) as error:
        raise RecipeError(f"cannot read {path}: {' '.join(str(error).split())}") from None
