"""The folder that a recipe writes."""

import os
import re
import shutil
import socket
import tempfile
from pathlib import Path
from typing import Any

import pandas
import pyarrow
import pyarrow.parquet

from .failures import RecipeError


def write_parquet(table: Any, path: str) -> None:
    """Writes a table of pandas or pyarrow, as pandas does. Texts have the same type with all versions of pandas."""
    if isinstance(table, pandas.DataFrame):
        table = pyarrow.Table.from_pandas(table, preserve_index=_has_index(table))
    for at, field in enumerate(table.schema):
        if field.type == pyarrow.string():
            table = table.set_column(at, field.with_type(pyarrow.large_string()),
                                     table.column(at).cast(pyarrow.large_string()))
    pyarrow.parquet.write_table(table, path)


def write_csv(table: Any, path: str) -> None:
    """The same table as CSV, with its index."""
    frame = table if isinstance(table, pandas.DataFrame) else table.to_pandas()
    frame.to_csv(path, index=_has_index(frame) is not False)


def _has_index(frame: pandas.DataFrame) -> Any:
    """False for rows that are only numbered; None lets pyarrow store a named range as two numbers."""
    if isinstance(frame.index, pandas.RangeIndex) and frame.index.name is None:
        return False
    return None


def _folder_of(name: str) -> Path:
    """The folder of --output: its % words, and the first number that is free for %n."""
    def replaced(match: "re.Match[str]") -> str:
        word = match.group(0)
        if word.startswith("%q"):
            return os.environ.get(match.group(1), "")
        return {"%h": socket.gethostname(), "%p": str(os.getpid()), "%%": "%"}.get(word, word)

    name = re.sub(r"%q\{([^}]*)\}|%[hp%]", replaced, name)
    if "%n" not in name:
        return Path(name)
    number = 1
    while Path(name.replace("%n", str(number))).exists():
        number += 1
    return Path(name.replace("%n", str(number)))


def _is_of_recipe(folder: Path) -> bool:
    return folder.is_dir() and (not any(folder.iterdir()) or any(folder.glob("*.nsys-analysis")))


class Output:
    """A folder that appears when all files are in it."""

    def __init__(self, recipe: str, name: str, overwrite: bool) -> None:
        self.folder = _folder_of(name or f"{recipe}-%n")
        self.name = self.folder.resolve().name
        if self.folder.exists():
            if not overwrite:
                raise RecipeError(f"{self.folder} exists: --force-overwrite replaces it")
            if not _is_of_recipe(self.folder):
                raise RecipeError(f"{self.folder} is not the output of a recipe, so prof does not replace it")
        try:
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            self._new = Path(tempfile.mkdtemp(prefix=f".{self.name}.", dir=self.folder.parent))
        except OSError as error:
            raise RecipeError(f"cannot write {self.folder}: {error.strerror}") from None

    def path(self, name: str) -> str:
        """The path of a file of this name, until keep()."""
        return str(self._new / name)

    def keep(self) -> None:
        """Gives the folder its name."""
        self._new.chmod(0o777 & ~_umask())
        if self.folder.exists():
            shutil.rmtree(self.folder)
        self._new.rename(self.folder)

    def discard(self) -> None:
        """Removes what was written."""
        shutil.rmtree(self._new, ignore_errors=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
