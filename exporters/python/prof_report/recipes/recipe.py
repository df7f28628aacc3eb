"""The class that recipes are made of."""

import json
import os
import re
from datetime import datetime
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

from .._report import Report, open_report
from .notebook import notebook
from .option import Option, Parser

if TYPE_CHECKING:
    import argparse

    from .context import Context
    from .output import Output

VERSION = "1.0"
Parts = Iterable[Tuple[int, Any]]
MODES = ("none", "concurrent", "dask-futures", "slurm")


def snake_case(name: str) -> str:
    """The name of a recipe whose class has this name."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


class Recipe:
    """A recipe makes tables of many reports.

    `map(report, args)` makes a table (pyarrow, pandas, or a dictionary of them) of one report, in a worker;
    None: the report has nothing for this recipe. `reduce(parts, args)` gets the pairs (rank, result) in order of
    rank and makes a table, which becomes analysis.parquet, or {name: table}. A rank is the position of a report among
    the names of those that have a result.

    `merge(a, b)`, if there is one, makes one result of two neighbours; then the last result is what reduce() returned
    otherwise.

    Recipes that were written for nsys have `mapper_func(path, args)`, `reducer_func(results)` or a
    `run(context)`, and write their files to `add_output_file(name)`.
    """

    NAME: Optional[str] = None  # default: the class's name, in lower case with underscores
    TITLE = ""
    options: Sequence[Option] = ()
    merge: Optional[Callable[[Any, Any], Any]] = None
    shows_common_times = False  # True: results depend on the clock also without --filter-time
    takes_reports = True  # False: --input names folders of other recipes, and run(context) does everything

    def __init__(self, args: "argparse.Namespace", output: "Output") -> None:
        self._parsed_args = args
        self._output = output
        self._context: Optional["Context"] = None
        self._output_files: List[Dict[str, str]] = []
        self._analysis_dict: Dict[str, Any] = {
            "RecipeVersion": VERSION, "RecipeName": self.name(), "DisplayName": self.title(),
            "Options": {name: _shown(value) for name, value in vars(args).items() if name != "clocks"},
            "StartTime": str(datetime.now())}

    # --- what a recipe defines

    def map(self, report: Report, args: "argparse.Namespace") -> Any:
        """The result of one report."""
        raise NotImplementedError("the recipe has neither map() nor mapper_func()")

    def reduce(self, parts: Parts, args: "argparse.Namespace") -> Any:
        """The tables of all reports: a table, or {name: table}."""
        raise NotImplementedError(f"{type(self).__name__} has neither reduce() nor reducer_func()")

    @staticmethod
    def mapper_func(report_path: str, parsed_args: "argparse.Namespace") -> Any:
        """nsys's name of map()."""
        raise NotImplementedError("the recipe has neither map() nor mapper_func()")

    def reducer_func(self, mapper_res: List[Any]) -> Any:
        """nsys's name of reduce(): `mapper_res` has the results without ranks. It writes its files itself, or returns
        what reduce() returns."""
        return self.reduce(list(enumerate(mapper_res)), self._parsed_args)

    def run(self, context: "Context") -> None:
        """Recipes of nsys replace this by what they do, and call it first."""
        self._context = context

    @classmethod
    def get_argument_parser(cls) -> Parser:
        """The parser of all options."""
        parser = Parser(cls.name(), cls.title() or (cls.__doc__ or "").strip())
        parser.add_argument("--mode", choices=MODES,
                            help="none: one process; concurrent: a process for each CPU (the default); dask-futures: "
                                 "Dask's workers; slurm: print a job script")
        for option in (Option.OUTPUT, Option.FORCE_OVERWRITE):
            parser.add_argument_to_group(parser, option)
        parser.add_argument("--export-dir", metavar="DIR", help="no effect: prof exports nothing")
        if cls.takes_reports:
            parser.add_recipe_argument(Option.INPUT)
            parser.add_recipe_argument(Option.ALIGN)
            filters = parser.recipe_group.add_mutually_exclusive_group()
            parser.add_argument_to_group(filters, Option.FILTER_TIME)
            parser.add_argument_to_group(filters, Option.FILTER_NVTX)
        parser.add_recipe_argument(Option.CSV)
        for option in cls.options:
            parser.add_recipe_argument(option)
        return parser

    # --- what a recipe uses

    @classmethod
    def name(cls) -> str:
        """The name on the command line."""
        return cls.NAME or snake_case(cls.__name__)

    @classmethod
    def title(cls) -> str:
        """What the recipe shows, for people."""
        return cls.TITLE or (cls.__doc__ or cls.name()).strip().splitlines()[0]

    @staticmethod
    def by_rank(parts: Parts) -> Any:
        """The tables of all ranks below one another, with a column Rank."""
        import pandas  # pylint: disable=import-outside-toplevel
        frames = []
        for rank, part in parts:
            frame = part if isinstance(part, pandas.DataFrame) else part.to_pandas()
            frames.append(frame.assign(Rank=rank))
        return pandas.concat(frames)

    def add_output_file(self, name: str) -> str:
        """The path to which the recipe writes the file `name`."""
        path = self._output.path(name)
        self._output_files.append({"Name": name, "Type": os.path.splitext(name)[1].lstrip(".") or "file"})
        return path

    def create_notebook(self, name: str, replace_dict: Optional[Dict[str, Any]] = None) -> None:
        """A notebook that shows the tables which were written. nsys's words to replace have no meaning in ours."""
        del replace_dict
        tables = [file["Name"] for file in self._output_files if file["Type"] == "parquet"]
        with open(self.add_output_file(name), "w", encoding="utf-8") as file:
            json.dump(notebook(self.title(), tables), file, indent=1)

    def add_notebook_helper_file(self, name: str) -> None:
        """Does nothing: our notebooks need no modules of nsys."""

    def create_analysis_file(self) -> None:
        """The description of the results, beside them."""
        self._analysis_dict.setdefault("EndTime", str(datetime.now()))
        self._analysis_dict.setdefault("Outputs", self._output_files)
        with open(self._output.path(f"{self._output.name}.nsys-analysis"), "w", encoding="utf-8") as file:
            json.dump(self._analysis_dict, file, indent=4)

    # --- how prof runs a recipe

    @classmethod
    def map_path(cls, path: str, args: "argparse.Namespace") -> Any:
        """The result of the report in this file. Workers call it."""
        if cls.map is Recipe.map:
            return cls.mapper_func(path, args)
        return cls.__new__(cls).map(open_report(path), args)  # map() needs no output

    def execute(self, context: "Context") -> None:
        """Runs the recipe, and writes its results."""
        if type(self).run is not Recipe.run:
            self.run(context)
        else:
            self._map_and_reduce(context)
        if "EndTime" not in self._analysis_dict:
            self.create_notebook("analysis.ipynb")
            self.create_analysis_file()

    def _map_and_reduce(self, context: "Context") -> None:
        self._context = context
        results = context.results(self)
        files, parts = [path for path, _ in results], [part for _, part in results]
        if self.merge is not None:
            tables = _merged(parts, self.merge)
        elif type(self).reducer_func is not Recipe.reducer_func:
            tables = self.reducer_func(parts)
        else:
            tables = self.reduce(enumerate(parts), self._parsed_args)
        if tables is None:
            return
        self.write("files", self.files_table(files))
        for name, table in (tables if isinstance(tables, dict) else {"analysis": tables}).items():
            self.write(name, table)

    @staticmethod
    def files_table(paths: Sequence[str]) -> Any:
        """Which report has which rank."""
        import pandas  # pylint: disable=import-outside-toplevel
        names = [os.path.splitext(os.path.basename(path))[0] for path in paths]
        return pandas.DataFrame({"File": names}, index=pandas.RangeIndex(len(names), name="Rank"))

    def write(self, name: str, table: Any) -> None:
        """Writes one table as Parquet, and with --csv as CSV."""
        from .output import write_csv, write_parquet  # pylint: disable=import-outside-toplevel
        write_parquet(table, self.add_output_file(f"{name}.parquet"))
        if getattr(self._parsed_args, "csv", False):
            write_csv(table, self.add_output_file(f"{name}.csv"))


def _merged(parts: List[Any], merge: Callable[[Any, Any], Any]) -> Any:
    """Merges neighbours until one is left."""
    while len(parts) > 1:
        pairs: Iterator[Tuple[Any, ...]] = (tuple(parts[at:at + 2]) for at in range(0, len(parts), 2))
        parts = [merge(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return parts[0]


def _shown(value: Any) -> Any:
    return value if isinstance(value, (bool, int, float, str, list, type(None))) else str(value)
