"""Where the class of a recipe comes from. Workers load it from there again."""

import functools
import importlib
import os
import sys
import types
from typing import Any, Optional, Type

from .failures import RecipeError, reason_of
from .recipe import Recipe


@functools.lru_cache(maxsize=None)
def _module_of_text(name: str, path: str, text: str) -> Any:
    """A module of a user's file. The text travels to workers on machines that do not have the file."""
    folder = os.path.dirname(path)
    if folder not in sys.path:
        sys.path.append(folder)  # for modules beside the recipe
    module = types.ModuleType(f"prof_recipe_{name}")
    module.__file__ = path
    sys.modules[module.__name__] = module
    try:
        exec(compile(text, path, "exec"), module.__dict__)  # pylint: disable=exec-used
    except Exception as error:
        raise RecipeError(f"cannot load {path}: {reason_of(error)}") from error
    return module


class Source:
    """A module of this package, or the text of a user's file."""

    def __init__(self, name: str, module: str = "", class_name: str = "", path: str = "") -> None:
        self.name = name
        self.module = module
        self.class_name = class_name
        self.path = path
        self.text: Optional[str] = None
        if path:
            try:
                with open(path, encoding="utf-8") as file:
                    self.text = file.read()
            except (OSError, ValueError) as error:
                raise RecipeError(f"cannot read {path}: {error}") from None

    def load(self) -> Type[Recipe]:
        """The class."""
        if self.text is None:
            return getattr(importlib.import_module(f"prof_report.recipes.{self.module}"), self.class_name)
        module = _module_of_text(self.name, self.path, self.text)
        classes = [each for each in vars(module).values()
                   if isinstance(each, type) and issubclass(each, Recipe) and each.__module__ == module.__name__]
        named = [each for each in classes if each.name() == self.name] or classes[-1:]
        if not named:
            raise RecipeError(f"{self.path} has no class that is derived from prof_report.Recipe")
        named[0].NAME = self.name
        return named[0]
