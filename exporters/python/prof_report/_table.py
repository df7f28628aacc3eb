"""A table that is read when it is asked for."""

import importlib
import re
import sys
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

from . import _library
from ._library import OutOfRange, ReportError

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

_UNFIT = re.compile(r"\.(\S+) contains -?\d+, which does not fit ")
_SHOWN_ROWS = 10
_OF_THE_FILE = ("prof_report_table", "prof_report_kernels")


def needed(name: str, user: str) -> Any:
    """Imports a module that `user` needs."""
    package = name.split(".", maxsplit=1)[0]
    try:
        return importlib.import_module(name)
    except ImportError:
        python = sys.executable or "python3"
        raise ImportError(f"{user} needs the package {package}, which {python} does not have: "
                          f"{python} -m pip install {package}") from None


class Table:
    """Rows of a report, not read yet. Each use reads them.

    It has the Arrow PyCapsule interface, so everything that knows it takes a Table:
    ``pyarrow.table(t)``, ``polars.DataFrame(t)``, ``duckdb.sql("FROM t")``.
    Times are in nanoseconds since the session began.
    """

    def __init__(self, name: str, function: str, arguments: Tuple[Any, ...],
                 options: Optional[Dict[str, Any]], *, is_checked: bool = True) -> None:
        """`is_checked`: an error comes at once. Without it, with the first use."""
        self.name = name
        self._function = function
        self._arguments = arguments
        self._options = options
        self._schema: Optional["pyarrow.Schema"] = None
        first = self._open() if is_checked else None
        # A result is not made again for its first use. Rows of the file are locked while they can be read.
        self._first = None if function in _OF_THE_FILE else first

    def _open(self) -> "_library.Stream":
        return _library.Stream(self._function, self._arguments, self._options)

    def _next(self) -> "_library.Stream":
        """A stream that nobody has read yet."""
        first, self._first = self._first, None
        return first or self._open()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The rows as a PyCapsule of an ArrowArrayStream. `requested_schema` has no effect."""
        return self._next().capsule()

    def reader(self) -> "pyarrow.RecordBatchReader":
        """The rows as batches of pyarrow: needs memory for one batch."""
        pyarrow = needed("pyarrow", "reader()")
        stream = self._next()  # exists until pyarrow has moved the stream
        reader = pyarrow.RecordBatchReader._import_from_c(stream.address())
        self._schema = reader.schema
        return reader

    @property
    def schema(self) -> "pyarrow.Schema":
        """Names, types and descriptions of the columns."""
        if self._schema is None:
            self.reader().close()
        return self._schema

    @property
    def columns(self) -> List[str]:
        """The names of the columns."""
        return list(self.schema.names)

    def widened(self, column: str) -> "Table":
        """The same table with 64 bits for the integers of a column."""
        options = self._options or {}
        wide = [*options.get("wide", ()), column]
        return Table(self.name, self._function, self._arguments, {**options, "wide": wide})

    def only(self, *columns: str) -> "Table":
        """The same table with only these columns."""
        return Table(self.name, self._function, self._arguments, {**(self._options or {}), "columns": columns})

    def arrow(self) -> "pyarrow.Table":
        """All rows as a pyarrow.Table. A column whose numbers do not fit the type that nsys's
        exports have gets the type int64."""
        pyarrow = needed("pyarrow", "arrow()")
        try:
            with self.reader() as reader:
                return reader.read_all()
        except (pyarrow.ArrowException, OSError) as error:
            problem = problem_of(error)
        if isinstance(problem, OutOfRange):
            return self.widened(problem.column).arrow()
        raise problem

    def to_pandas(self, **options: Any) -> "pandas.DataFrame":
        """All rows as a pandas.DataFrame. `options`: those of pyarrow.Table.to_pandas()."""
        needed("pandas", "to_pandas()")
        return self.arrow().to_pandas(**options)

    def to_polars(self) -> "polars.DataFrame":
        """All rows as a polars.DataFrame."""
        polars = needed("polars", "to_polars()")
        return polars.from_arrow(self.arrow())

    def head(self, rows: int = _SHOWN_ROWS) -> "pyarrow.Table":
        """The first rows as a pyarrow.Table."""
        pyarrow = needed("pyarrow", "head()")
        with self.reader() as reader:
            batches, missing = [], rows
            for batch in reader:
                batches.append(batch.slice(0, missing))
                missing -= batches[-1].num_rows
                if missing == 0:
                    break
            return pyarrow.Table.from_batches(batches, reader.schema)

    def __repr__(self) -> str:
        return f"<prof_report.Table {self.name}>"

    def __str__(self) -> str:
        """The first rows, a line for each; if there is no pyarrow, only the name."""
        try:
            rows = self.head(_SHOWN_ROWS + 1).to_pylist()
        except ImportError:
            return repr(self)
        lines = [repr(self), *(", ".join(f"{name}: {value}" for name, value in row.items() if value is not None)
                               for row in rows[:_SHOWN_ROWS])]
        return "\n".join(lines + ["…"] * (len(rows) > _SHOWN_ROWS))

    def _repr_html_(self) -> str:
        needed("pandas", "a table in a notebook")
        rows = self.head(_SHOWN_ROWS + 1).to_pandas()
        more = " (first rows)" if len(rows) > _SHOWN_ROWS else ""
        caption = f"{self.name}{more}".replace("&", "&amp;").replace("<", "&lt;")
        return f"<p>{caption}</p>{rows.head(_SHOWN_ROWS).to_html(index=False, notebook=True)}"


def problem_of(error: Exception) -> ReportError:
    """The error of a stream, which pyarrow turns into an exception."""
    text = re.sub(r"^.*?IOError: |\. Detail: .*$", "", str(error), flags=re.S)
    unfit = _UNFIT.search(text)
    return OutOfRange(text, unfit.group(1)) if unfit else ReportError(text)
