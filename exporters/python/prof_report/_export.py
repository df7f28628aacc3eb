"""Writes the tables of a report as Parquet, Arrow or HDF5, in nsys's layouts."""

import fcntl
import importlib
import io
import os
import shutil
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Collection, Dict, Iterator, List, Optional

from ._library import NumberOrder, OpenReport, OutOfRange, number_order
from ._report import Report
from ._table import Table, needed, problem_of

if TYPE_CHECKING:
    import pyarrow

# Rows that are kept in memory. A table with fewer rows is one row group of Parquet, as in nsys.
_GROUP_ROWS = 1 << 19
# A table of at most this size in bytes is read once, a larger one once for its facts and once for its rows.
_KEPT_BYTES = 128 << 20
# Rows whose numbers are compared at once.
_PART_ROWS = 1 << 21
# As in nsys's HDF5 files.
_CHUNK_ROWS = 4096
_GZIP_LEVEL = 1


class ExportError(Exception):
    """An export is not possible. The text says what to do."""


class TableData:
    """A table as it is exported: its schema, and its rows as often as needed."""

    def __init__(self, table: Table, empty_columns: Collection[str]) -> None:
        self.name = table.name
        self._table = table
        self._empty_columns = empty_columns
        self._pyarrow = needed("pyarrow", "the export")
        self._kept: List[Any] = []
        self._is_kept = False
        while True:
            try:
                self.rows, facts = self._facts()
                break
            except OutOfRange as error:
                self._table = self._table.widened(error.column)
        self.schema = self._described(facts)
        unique = {name for name, words in facts.items() if "UNIQUE" in words}
        self.unique = [field.name for field in self.schema if field.name in unique]
        self.repeating = [field.name for field in self.schema if field.name not in unique]

    def batches(self) -> Iterator["pyarrow.RecordBatch"]:
        """The rows. Raises ReportError."""
        if self._is_kept:
            yield from self._kept
            return
        try:
            with self._table.reader() as reader:
                for batch in reader:
                    yield self._without_empty(batch)
        except (self._pyarrow.ArrowException, OSError) as error:
            raise problem_of(error) from None

    def _without_empty(self, batch: Any) -> Any:
        columns = [self._pyarrow.nulls(len(column), column.type) if name in self._empty_columns else column
                   for name, column in zip(batch.schema.names, batch.columns)]
        return self._pyarrow.RecordBatch.from_arrays(columns, schema=batch.schema)

    def _facts(self) -> Any:
        """(rows, {column: what nsys writes about its numbers}): whether each is unique, and greater
        than the one before it. NULL counts as 0."""
        columns: Dict[str, _Order] = {}
        rows = 0
        kept_bytes = 0
        self._kept = []
        for batch in self.batches():
            if rows == 0:
                columns = {field.name: _Order() for field in batch.schema if self._pyarrow.types.is_integer(field.type)}
            rows += batch.num_rows
            kept_bytes += batch.nbytes
            self._kept.append(batch)
            if kept_bytes > _KEPT_BYTES:
                self._kept.clear()
            for name, order in columns.items():
                order.add(batch.column(name))
        self._is_kept = kept_bytes <= _KEPT_BYTES
        facts = {}
        for name, order in columns.items():
            unique = rows > 0 and (order.ordered or (not order.repeats and self._is_unique(name, rows)))
            facts[name] = ["UNIQUE"] * unique + ["ORDERED"] * (unique and order.ordered)
        return rows, facts

    def _is_unique(self, column: str, rows: int) -> bool:
        """Memory is bounded: numbers are compared in parts, and equal ones are in the same part."""
        bits = (rows // _PART_ROWS).bit_length()
        for part in range(1 << bits):
            chunks = [_part_of(numbers, part, bits) for numbers in self._column(column)]
            if _order_of(self._pyarrow.concat_arrays(chunks)) == NumberOrder.REPEATS:
                return False
        return True

    def _column(self, column: str) -> Iterator[Any]:
        """The numbers of a column."""
        if self._is_kept:
            yield from (batch.column(column) for batch in self._kept)
            return
        with self._table.only(column).reader() as reader:
            for batch in reader:
                yield batch.column(0)

    def _described(self, facts: Dict[str, List[str]]) -> "pyarrow.Schema":
        schema = self._table.schema
        fields = []
        for field in schema:
            metadata = dict(field.metadata or {})
            stored = metadata.pop(b"schema_info", b"").decode().split(",")
            words = [word for word in [*facts.get(field.name, []), *stored] if word]
            if words:
                metadata = {b"schema_info": ",".join(words).encode(), **metadata}
            fields.append(field.with_metadata(metadata or None))
        return self._pyarrow.schema(fields, metadata=schema.metadata)


def _without_null(numbers: Any) -> Any:
    """NULL counts as 0. The 0 is not made of Python's: for that pyarrow imports pandas, which takes half a second."""
    if numbers.null_count == 0:
        return numbers
    pyarrow = needed("pyarrow", "the export")
    zeros = pyarrow.Array.from_buffers(numbers.type, 1, [None, pyarrow.py_buffer(bytes(numbers.type.bit_width // 8))])
    return needed("pyarrow.compute", "the export").fill_null(numbers, zeros[0])


def _part_of(numbers: Any, part: int, bits: int) -> Any:
    """The numbers of a part. Bits of several places make parts of about the same size."""
    if bits == 0:
        return numbers
    compute = needed("pyarrow.compute", "the export")
    numbers = _without_null(numbers)
    mixed = compute.bit_wise_xor(numbers, compute.shift_right(numbers, 11))
    parts = compute.bit_wise_and(compute.bit_wise_xor(mixed, compute.shift_right(numbers, 5)), (1 << bits) - 1)
    return numbers.filter(compute.equal(parts, part))


def _order_of(numbers: Any) -> int:
    """Where a number is NULL, the library and pyarrow have 0 in the memory of the numbers."""
    size = numbers.type.bit_width // 8
    address = numbers.buffers()[1].address + size * numbers.offset if len(numbers) > 0 else None
    return number_order(address, len(numbers), size, str(numbers.type).startswith("u"))


class _Order:
    """Whether numbers rise, and whether some are equal within a batch."""

    def __init__(self) -> None:
        self.ordered = True
        self.repeats = False
        self._last: Optional[int] = None

    def add(self, numbers: Any) -> None:
        if self.repeats:
            return
        order = NumberOrder.REPEATS if numbers.null_count > 1 else _order_of(numbers)
        self.repeats = order == NumberOrder.REPEATS
        rises = order == NumberOrder.RISES and (self._last is None or self._last < (numbers[0].as_py() or 0))
        self.ordered = self.ordered and rises
        self._last = numbers[-1].as_py() or 0


# --- formats

def _write_parquet(table: TableData, path: Path) -> None:
    pyarrow = needed("pyarrow", "--type=parquetdir")
    with pyarrow.OSFile(str(path), "wb") as sink:
        # Dictionaries of columns whose values all differ take half of the time and make files larger. Differences of
        # times and of numbers that count up are small.
        writer = _parquet_writer(sink, table.schema, table.repeating,
                                 {name: "DELTA_BINARY_PACKED" for name in table.unique})
        waiting: List[Any] = []
        for batch in table.batches():
            waiting.append(_with(batch, table.schema))
            if sum(each.num_rows for each in waiting) >= _GROUP_ROWS:
                writer.write_table(pyarrow.Table.from_batches(waiting), row_group_size=2 * _GROUP_ROWS)
                waiting = []
        if waiting or table.rows == 0:
            rest = pyarrow.Table.from_batches(waiting, table.schema)
            writer.write_table(rest, row_group_size=2 * _GROUP_ROWS)
        writer.close()


def _parquet_writer(sink: Any, schema: Any, dictionaries: List[str], encodings: Dict[str, str]) -> Any:
    """pyarrow.parquet adds file systems and data sets, which take longer to import than most exports. So its own
    writer is used directly where it is as known."""
    options = {"version": "2.6", "compression": "snappy", "use_dictionary": dictionaries,
               "column_encoding": encodings}
    try:
        writer = importlib.import_module("pyarrow._parquet").ParquetWriter
        return writer(sink, schema, data_page_version="1.0", writer_engine_version="V2", **options)
    except (ImportError, AttributeError, TypeError):
        return needed("pyarrow.parquet", "--type=parquetdir").ParquetWriter(sink, schema, **options)


def _with(batch: Any, schema: Any) -> Any:
    """The batch with the metadata of the schema."""
    pyarrow = needed("pyarrow", "the export")
    return pyarrow.RecordBatch.from_arrays(batch.columns, schema=schema)


def _write_stream(table: TableData, sink: Any) -> None:
    pyarrow = needed("pyarrow", "--type=arrow")
    with pyarrow.ipc.new_stream(sink, table.schema) as writer:
        for batch in table.batches():
            writer.write_batch(_with(batch, table.schema))


def _write_arrow_file(table: TableData, path: Path) -> None:
    pyarrow = needed("pyarrow", "--type=arrowdir")
    with pyarrow.OSFile(str(path), "wb") as sink:
        _write_stream(table, sink)


def _hdf_type(kind: Any) -> Any:
    """The type of a member of HDF5's compound type."""
    types = needed("pyarrow", "--type=hdf").types
    if types.is_large_string(kind):
        return needed("h5py", "--type=hdf").string_dtype()
    if types.is_boolean(kind):
        return "|u1"
    if types.is_large_binary(kind):
        return needed("h5py", "--type=hdf").vlen_dtype("|u1")
    return needed("numpy", "--type=hdf").dtype(kind.to_pandas_dtype()).newbyteorder("<")


def _hdf_values(column: Any) -> Any:
    """The values for HDF5, which knows no NULL: 0 or an empty text."""
    types = needed("pyarrow", "--type=hdf").types
    if types.is_large_string(column.type):
        return [(text or "").replace("\0", "\\x00") for text in column.to_pylist()]
    if types.is_large_binary(column.type):
        numpy = needed("numpy", "--type=hdf")
        return [numpy.frombuffer(data or b"", "|u1") for data in column.to_pylist()]
    return column.fill_null(False if types.is_boolean(column.type) else 0).to_numpy(zero_copy_only=False)


def _write_dataset(table: TableData, file: Any) -> None:
    numpy = needed("numpy", "--type=hdf")
    kind = numpy.dtype([(field.name, _hdf_type(field.type)) for field in table.schema])
    dataset = file.create_dataset(table.name, shape=(0,), maxshape=(None,), dtype=kind, chunks=(_CHUNK_ROWS,),
                                  compression="gzip", compression_opts=_GZIP_LEVEL, shuffle=True)
    for batch in table.batches():
        rows = numpy.empty(batch.num_rows, kind)
        for name, column in zip(batch.schema.names, batch.columns):
            rows[name] = _hdf_values(column)
        written = dataset.shape[0]
        dataset.resize((written + len(rows),))
        dataset[written:] = rows


class _HdfFile(io.FileIO):
    """A file that keeps the first error of writing. HDF5 crashes when it cannot write: it tries again
    when the file is closed."""

    error: Optional[OSError] = None

    def write(self, data: Any) -> int:
        rest = memoryview(data).cast("B")
        try:
            while rest and self.error is None:
                rest = rest[super().write(rest):]
        except OSError as error:
            self.error = error
        return len(data)

    def truncate(self, size: Optional[int] = None) -> int:
        try:
            return super().truncate(size)
        except OSError as error:
            self.error = self.error or error
            return size or 0

    def readinto(self, buffer: Any) -> int:
        """What could not be written is read as 0."""
        view = memoryview(buffer).cast("B")
        read = super().readinto(view) or 0
        view[read:] = bytes(len(view) - read)
        return len(view)


def _write_all(tables: Iterator[TableData], path: Path, kind: str) -> None:
    """Writes all tables into one file."""
    if kind == "hdf":
        h5py = needed("h5py", "--type=hdf")
        with _HdfFile(path, "w+") as sink:
            with h5py.File(sink, "w") as file:
                for table in tables:
                    _write_dataset(table, file)
                    if sink.error:
                        break
            if sink.error:
                raise sink.error
    else:
        with needed("pyarrow", "--type=arrow").OSFile(str(path), "wb") as sink:
            for table in tables:
                _write_stream(table, sink)


_FOLDERS: Dict[str, Any] = {"parquetdir": (".parquet", _write_parquet), "arrowdir": (".arrow", _write_arrow_file)}
TYPES = ("hdf", "arrow", *sorted(_FOLDERS))


def _write_folder(tables: Iterator[TableData], folder: Path, kind: str) -> None:
    """Writes each table into a file of its name."""
    ending, write = _FOLDERS[kind]
    folder.mkdir()
    for table in tables:
        if "/" in table.name or "\0" in table.name:
            raise ExportError(f"table {table.name!r} cannot be the name of a file; use --tables without it")
        write(table, folder / (table.name + ending))


def _check_place(output: Path, kind: str, overwrite: bool, append: bool) -> None:
    if not output.exists():
        return
    if output.is_dir() != (kind in _FOLDERS):
        raise ExportError(f"{output} is {'a folder' if output.is_dir() else 'a file'}; give another name with -o")
    if not overwrite and not (append and kind in _FOLDERS):
        raise ExportError(f"{output} exists; use -f true to replace it")


def _move_files(source: Path, target: Path, overwrite: bool) -> None:
    """Moves the files of a folder into another one, where other files stay."""
    for path in sorted(source.iterdir()):
        if not overwrite and (target / path.name).exists():
            raise ExportError(f"{target / path.name} exists; use -f true to replace it")
    for path in sorted(source.iterdir()):
        os.replace(path, target / path.name)


@contextmanager
def _temporary(output: Path, is_folder: bool) -> Iterator[Path]:
    """A name beside the output. What has it at the end is removed.

    A file is held by a lock, as those of prof are, so that the next prof removes it if this process is killed.
    """
    path = output.with_name(f"{output.name}.tmp-prof{os.getpid()}-{os.urandom(4).hex()}")
    with ExitStack() as stack:
        if not is_folder:
            held = stack.enter_context(path.open("xb"))
            with suppress(OSError):  # a file system without locks
                fcntl.flock(held, fcntl.LOCK_EX)
        stack.callback(_remove, path)
        yield path


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def export(
    report: Report,
    kind: str,
    output: "os.PathLike[str]",
    *,
    tables: Optional[Collection[str]] = None,
    overwrite: bool = False,
    append: bool = False,
    lazy: bool = True,
    empty_columns: Collection[str] = (),
    progress: Callable[[str], None] = lambda table: None,
) -> None:
    """Writes tables of a report to the file or folder `output`.

    `kind`: one of TYPES. `tables`: default: all. `lazy`: without tables that have no rows.
    `append`: into a folder that exists. `empty_columns`: columns that are all NULL.
    What was at `output` stays until the export is complete.
    """
    target = Path(output)
    _check_place(target, kind, overwrite, append)

    opened = OpenReport(report.path)

    def selected() -> Iterator[TableData]:
        all_tables = report.table_facts() if lazy or tables is None else []
        empty = {table["name"] for table in all_tables if lazy and not table["rows"]}
        for name in [table["name"] for table in all_tables] if tables is None else tables:
            progress(name)
            if name in empty:
                continue
            table = Table(name, "prof_report_table_of", (opened, name), {}, is_checked=False)
            data = TableData(table, empty_columns)
            if data.rows > 0 or not lazy:
                yield data

    with _temporary(target, kind in _FOLDERS) as temporary:
        if kind not in _FOLDERS:
            _write_all(selected(), temporary, kind)
            os.replace(temporary, target)
            return
        _write_folder(selected(), temporary, kind)
        if target.exists():
            _move_files(temporary, target, overwrite)
        else:
            temporary.rename(target)
