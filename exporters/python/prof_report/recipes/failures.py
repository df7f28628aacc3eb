"""What goes wrong in recipes."""

import traceback
from typing import Any


class RecipeError(Exception):
    """The recipe cannot run. The text is one line that says why."""

    def __init__(self, text: str, status: int = 1) -> None:
        super().__init__(text)
        self.status = status


class Failure:
    """One report that a recipe could not read, with the reason."""

    def __init__(self, path: str, reason: str) -> None:
        self.path = path
        self.reason = reason


def reason_of(error: BaseException) -> str:
    """The error in one line. For errors of the recipe's own code the line has the place."""
    from .._library import ReportError  # pylint: disable=import-outside-toplevel
    text = " ".join(str(error).split())
    if isinstance(error, (ReportError, RecipeError)):
        return text
    frames: Any = traceback.extract_tb(error.__traceback__)
    place = f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {text}{place}"
