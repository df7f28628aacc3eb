"""The reports that --input names."""

import os
import re
from pathlib import Path
from typing import Iterable, List, Sequence, Union

from .failures import RecipeError

ENDINGS = (".db", ".sqlite", ".nsys-rep", ".qdrep")


def _key(path: Path) -> object:
    return (os.path.splitext(path.name)[0].encode(), str(path).encode())


def _reports_in(folder: Path) -> List[Path]:
    """The reports of a folder in order of their names. A file that nsys exported counts once, with its SQLite file."""
    found = {}
    for ending in reversed(ENDINGS):
        for path in folder.glob(f"*{ending}"):
            if path.is_file():
                found[os.path.splitext(path.name)[0]] = path
    if not found and (folder / "reports").is_dir():
        return _reports_in(folder / "reports")
    return sorted(found.values(), key=_key)


def expanded(word: str) -> List[Path]:
    """The reports that one word of --input names on this machine."""
    match = re.fullmatch(r"(.+):(\d+)", word)
    path, count = (Path(match.group(1)), int(match.group(2))) if match and not Path(word).exists() else (Path(word), None)
    if not path.is_dir():
        return [path]
    reports = _reports_in(path)
    if not reports:
        raise RecipeError(f"{path} has no reports (files that end in .db or .sqlite)")
    return reports[:count]


def reports_of(words: Sequence[str]) -> List[str]:
    """The paths of all reports, in order of their names: their ranks."""
    return in_order([path for word in words for path in expanded(word)])


def reports_here(words: Sequence[str]) -> List[str]:
    """The reports that this machine has. Other machines may have the others."""
    found: List[Path] = []
    for word in words:
        try:
            found += [path for path in expanded(word) if path.is_file()]
        except RecipeError:
            continue
    return in_order(found)


def in_order(paths: Iterable[Union[str, Path]]) -> List[str]:
    """The paths in order of their names, each file once."""
    files = {os.path.realpath(path): Path(path) for path in reversed(list(paths))}
    return [os.path.abspath(path) for path in sorted(files.values(), key=_key)]
