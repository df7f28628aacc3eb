"""Options of recipes, and the parser that reads them."""

import argparse
import re
from typing import Any, List, NoReturn, Optional, Tuple

_UNITS = {"": 1, "ns": 1, "us": 1_000, "µs": 1_000, "ms": 1_000_000, "s": 1_000_000_000}


def _nanoseconds(text: str) -> Optional[int]:
    """A time such as "1.5s" in ns; None for an empty text."""
    if not text:
        return None
    match = re.fullmatch(r"(\d+(?:\.\d*)?)\s*([a-zµ]*)", text.strip())
    if not match or match.group(2) not in _UNITS:
        raise argparse.ArgumentTypeError(f"{text} is not a time: write nanoseconds, or a number with us, ms or s")
    whole, unit = match.group(1), _UNITS[match.group(2)]
    return int(whole) * unit if whole.isdigit() else round(float(whole) * unit)


def time_range(text: str) -> Tuple[Optional[int], Optional[int]]:
    """The value of --filter-time: START/END, each of which may be missing."""
    first, slash, last = text.partition("/")
    start, end = _nanoseconds(first), _nanoseconds(last)
    if not slash or (start is None and end is None):
        raise argparse.ArgumentTypeError(f"{text} is not START/END")
    if start is not None and end is not None and end < start:
        raise argparse.ArgumentTypeError(f"{text} ends before it starts")
    return start, end


def whole_number(least: int) -> Any:
    """A type for whole numbers of at least `least`."""
    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text} is not a whole number") from None
        if number < least:
            raise argparse.ArgumentTypeError(f"{text} is less than {least}")
        return number
    return read


class Option:
    """An option of a recipe: `Option("--name", required=True, help="…")`, with the words of argparse."""

    INPUT: "Option"
    OUTPUT: "Option"
    FORCE_OVERWRITE: "Option"
    START: "Option"
    END: "Option"
    CSV: "Option"
    FILTER_TIME: "Option"
    FILTER_NVTX: "Option"
    ALIGN: "Option"
    ROWS: "Option"
    NVTX: "Option"
    BINS: "Option"
    DISABLE_ALIGNMENT: "Option"

    def __init__(self, *names: str, **words: Any) -> None:
        self.names = names
        self.words = words


Option.INPUT = Option("--input", nargs="+", required=True, metavar="FILE|DIR[:N]",
                      help="reports, folders of reports, or the first N reports of a folder")
Option.OUTPUT = Option("--output", metavar="DIR",
                       help="folder to write (%%q{VARIABLE}, %%h host, %%p PID, %%n next free number). "
                            "Default: RECIPE-%%n")
Option.FORCE_OVERWRITE = Option("--force-overwrite", action="store_true", help="replace the folder of an earlier run")
Option.START = Option("--start", type=int, metavar="NS", help="use events that end after this time")
Option.END = Option("--end", type=int, metavar="NS", help="use events that start before this time")
Option.CSV = Option("--csv", action="store_true", help="write each table as CSV, too")
Option.FILTER_TIME = Option("--filter-time", type=time_range, metavar="START/END",
                            help="use events that overlap this time: ns since the session began, or with us, ms, s")
Option.ALIGN = Option("--align", metavar="clock|collectives|range:NAME|none",
                      help="the clock that --filter-time counts on, and paces show: that of the machine (of several "
                           "machines the wall clock), by the ends of collective operations, by the first NVTX range "
                           "of this name, or that of each report. Default: as nsys, the report's; paces by the wall "
                           "clock")
Option.FILTER_NVTX = Option("--filter-nvtx", metavar="RANGE[@DOMAIN][/INDEX]",
                            help="use events that overlap this NVTX range in its process")
Option.ROWS = Option("--rows", type=whole_number(-1), default=-1, metavar="N",
                     help="most rows of each report (-1: all, the default)")
Option.NVTX = Option("--nvtx", metavar="RANGE[@DOMAIN][/INDEX]", help="the same as --filter-nvtx")
Option.BINS = Option("--bins", type=whole_number(1), default=30, metavar="N", help="number of bins. Default: 30")
Option.DISABLE_ALIGNMENT = Option("--disable-alignment", action="store_true",
                                  help="do not shift times to a common clock")


class Parser(argparse.ArgumentParser):
    """The options of one recipe. It has the names by which recipes of nsys add theirs."""

    def __init__(self, recipe: str, description: str) -> None:
        super().__init__(prog=f"prof recipe {recipe}", description=description, allow_abbrev=False)
        self.recipe_group = self.add_argument_group("options of the recipe")

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"prof: {message} (see {self.prog} --help)\n")

    def _known(self, names: Tuple[str, ...]) -> List[argparse.Action]:
        return [self._option_string_actions[name] for name in names if name in self._option_string_actions]

    def add_argument_to_group(self, group: Any, option: Any, **words: Any) -> None:
        """Adds an Option, or a name with words of argparse. An option that is there already stays."""
        names, words = (option.names, {**option.words, **words}) if isinstance(option, Option) else ((option,), words)
        if not self._known(names):
            group.add_argument(*names, **words)

    def add_recipe_argument(self, option: Any, **words: Any) -> None:
        """As add_argument_to_group(), in the recipe's group."""
        self.add_argument_to_group(self.recipe_group, option, **words)
