"""prof recipe: makes tables of many reports."""

import importlib
import os
import sys
from typing import Any, List, Sequence, Tuple

from .failures import Failure, RecipeError

USAGE = """\
prof recipe NAME --input FILE|DIR... [OPTIONS]: make tables of many reports

  prof recipe --list           list the recipes
  prof recipe NAME --help      show the options of a recipe

Examples:
  prof recipe cuda_gpu_kern_sum --input run/ --csv
  prof recipe nvtx_pace --name step --input rank_0.db rank_1.db --output pace
  PROF_RECIPE_PATH=~/recipes prof recipe my_recipe --input run/ --mode none
"""


def _require_packages() -> None:
    missing = []
    for package in ("pandas", "pyarrow"):
        try:
            importlib.import_module(package)
        except ImportError:
            missing.append(package)
    if missing:
        python = sys.executable or "python3"
        raise RecipeError(f"prof recipe needs {' and '.join(missing)}, which {python} does not have: "
                          f"{python} -m pip install {' '.join(missing)}")


def _taken(arguments: Sequence[str], name: str) -> Tuple[List[str], str]:
    """The arguments without an option that jobs and prof itself use, and its value."""
    rest, value = [], ""
    for argument in arguments:
        if argument.startswith(f"{name}="):
            value = argument.split("=", 1)[1]
        else:
            rest.append(argument)
    return rest, value


def _say(text: str) -> None:
    shown = "".join(character if character.isprintable() else "?" for character in text)
    print(f"prof: {shown}", file=sys.stderr)


def _execute(recipe: Any, source: Any, engine: Any, args: Any, quiet: bool, failures: Sequence[Failure] = ()) -> int:
    """Runs the recipe, names reports that failed, and returns the status."""
    from .clocks import clocks_of  # pylint: disable=import-outside-toplevel
    from .context import Context  # pylint: disable=import-outside-toplevel
    from .output import Output  # pylint: disable=import-outside-toplevel
    paths = args.input if recipe.takes_reports else []
    args.clocks = clocks_of(args, recipe.shows_common_times, paths)
    output = Output(recipe.name(), args.output, args.force_overwrite)
    context = Context(engine, source, paths)
    context.failures += failures
    try:
        recipe(args, output).execute(context)
        output.keep()
        if not quiet:
            print(output.folder)
    except NotImplementedError as error:
        raise RecipeError(str(error)) from None
    finally:
        output.discard()
        for note in context.notes:
            _say(note)
        for failure in context.failures:
            has_path = failure.path in failure.reason
            _say(f"left out {'' if has_path else failure.path + ': '}{failure.reason}")
    return 1 if context.failures else 0


def _execute_by_dask(recipe: Any, source: Any, args: Any, quiet: bool) -> int:
    """Runs the recipe on reports that lie on this machine or on those of Dask's workers."""
    # pylint: disable=import-outside-toplevel
    from ..engines.dask import DaskEngine
    from .inputs import in_order, reports_here, reports_of
    engine = DaskEngine()
    try:
        paths, failures = engine.find(args.input, reports_here(args.input))
        args.input = in_order(paths) or reports_of(args.input)
        return _execute(recipe, source, engine, args, quiet, failures)
    finally:
        engine.close()


def _run(name: str, arguments: List[str], program: str, quiet: bool) -> int:
    # pylint: disable=import-outside-toplevel
    from .catalog import find
    source = find(name)
    _require_packages()
    from ..engines import make_engine
    from ..engines.work import Work
    from . import slurm
    from .clocks import clocks_of
    from .inputs import reports_of
    arguments, part = _taken(arguments, "--job-part")
    arguments, parts = _taken(arguments, "--job-parts")
    recipe = source.load()
    args = recipe.get_argument_parser().parse_args(arguments)
    if args.mode == "dask-futures" and recipe.takes_reports:
        return _execute_by_dask(recipe, source, args, quiet)
    if recipe.takes_reports:
        args.input = reports_of(args.input)
    if args.mode == "slurm":
        own_run = recipe.run is not importlib.import_module("prof_report.recipes.recipe").Recipe.run
        if own_run or not recipe.takes_reports:
            raise RecipeError(f"--mode slurm cannot divide {name}, because it runs as a whole")
        print(slurm.script(program, name, slurm.without_mode(arguments), args.input, f"{name}-parts"),
              end="")
        return 0
    engine = slurm.PartsEngine(parts) if parts and not part else make_engine(args.mode or "concurrent")
    if part:
        args.clocks = clocks_of(args, recipe.shows_common_times, args.input)
        number, count = slurm.part_of(part)
        chosen = slurm.paths_of_part(args.input, number, count)
        slurm.write_part(engine, Work(source, "map_path", {"args": args}), chosen, parts, number)
        return 0
    return _execute(recipe, source, engine, args, quiet)


def main(arguments: List[str]) -> int:
    """Returns the exit status."""
    arguments, program = _taken(arguments, "--prof")
    quiet = arguments[:1] == ["--quiet"]
    arguments = arguments[quiet:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(USAGE, end="", file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    try:
        if arguments[0] == "--list":
            from .catalog import listing  # pylint: disable=import-outside-toplevel
            print(listing())
            return 0
        if arguments[0].startswith("-"):
            raise RecipeError(f"{arguments[0]} stands before the name of a recipe (see prof recipe --help)", 2)
        return _run(arguments[0], arguments[1:], program, quiet)
    except RecipeError as error:
        _say(str(error))
        return error.status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
