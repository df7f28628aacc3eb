"""Calls of libprof_report.so. Its header, prof_report.h, describes them."""

import ctypes
import os
import sys
from pathlib import Path
from typing import Any, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

# Processes are named by their PID or by a pattern for the program's name.
Processes = Union[None, int, str, Sequence[Union[int, str]]]


class ReportError(Exception):
    """A report, or what was asked of it, is not as it should be. The text says what to do."""


class OutOfRange(ReportError):
    """A number does not fit the type of its column. `column` is the column's name."""

    def __init__(self, text: str, column: str) -> None:
        super().__init__(text)
        self.column = column


class ArrowArrayStream(ctypes.Structure):
    """The stream of Arrow's C stream interface. Other libraries use it through its address."""


_GetSchema = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ArrowArrayStream), ctypes.c_void_p)
_GetError = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(ArrowArrayStream))
_Release = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowArrayStream))
ArrowArrayStream._fields_ = [
    ("get_schema", _GetSchema),
    ("get_next", _GetSchema),
    ("get_last_error", _GetError),
    ("release", _Release),
    ("private_data", ctypes.c_void_p),
]


class _Options(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("has_start", ctypes.c_int32),
        ("has_end", ctypes.c_int32),
        ("start", ctypes.c_int64),
        ("end", ctypes.c_int64),
        ("nvtx", ctypes.c_char_p),
        ("processes", ctypes.POINTER(ctypes.c_char_p)),
        ("process_count", ctypes.c_size_t),
        ("columns", ctypes.POINTER(ctypes.c_char_p)),
        ("column_count", ctypes.c_size_t),
        ("wide", ctypes.POINTER(ctypes.c_char_p)),
        ("wide_count", ctypes.c_size_t),
        ("names", ctypes.c_int32),
        ("batch_rows", ctypes.c_int64),
        ("range_of", ctypes.c_char_p),
    ]


def _places() -> Iterator[Path]:
    """Where the library may be: beside the module in a build, in lib/prof above lib/prof/python in an installed prof, and
    in PREFIX/libexec/prof if a wheel was installed into PREFIX. pip install --target FOLDER: FOLDER is the prefix."""
    for module in (Path(__file__).resolve(), Path(__file__).absolute()):
        for folder in module.parents:
            yield folder / "libprof_report.so"
            yield folder / "lib/prof/libprof_report.so"
            yield folder / "libexec/prof/libprof_report.so"
    yield Path(sys.prefix) / "libexec/prof/libprof_report.so"


def _load() -> ctypes.CDLL:
    path = next((place for place in _places() if place.exists()), None)
    if path is None:
        raise ImportError("prof_report has no libprof_report.so, which a wheel has in PREFIX/libexec/prof: reinstall prof")
    try:
        library = ctypes.CDLL(str(path))
    except OSError as error:
        raise ImportError(f"prof_report cannot load its library: {error}") from None
    library.prof_report_version.restype = ctypes.c_char_p
    library.prof_report_free.argtypes = [ctypes.c_void_p]
    library.prof_report_free.restype = None
    library.prof_report_close.argtypes = [ctypes.c_void_p]
    library.prof_report_close.restype = None
    library.prof_report_number_order.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_char]
    return library


_LIBRARY = _load()


def version() -> str:
    """The version of the library: that of the prof it belongs to."""
    return str(_LIBRARY.prof_report_version().decode())


def _bytes_of(text: Any) -> bytes:
    return os.fsencode(text) if isinstance(text, (str, os.PathLike)) else str(text).encode()


def _list_of(texts: Sequence[Any]) -> Tuple[Any, int]:
    return (ctypes.c_char_p * len(texts))(*map(_bytes_of, texts)), len(texts)


def _as_list(value: Any) -> List[Any]:
    if value is None:
        return []
    return [value] if isinstance(value, (str, int)) else list(value)


def _options(
    start: Optional[int] = None,
    end: Optional[int] = None,
    nvtx: Optional[str] = None,
    processes: Processes = None,
    columns: Optional[Sequence[str]] = None,
    wide: Sequence[str] = (),
    names: bool = False,
    batch_rows: int = 0,
    range_of: Optional[str] = None,
) -> _Options:
    options = _Options(size=ctypes.sizeof(_Options), names=names, batch_rows=batch_rows)
    options.has_start, options.start = start is not None, start or 0
    options.has_end, options.end = end is not None, end or 0
    options.nvtx = None if nvtx is None else _bytes_of(nvtx)
    options.range_of = None if range_of is None else _bytes_of(range_of)
    options.processes, options.process_count = _list_of(_as_list(processes))
    options.columns, options.column_count = _list_of(_as_list(columns))
    options.wide, options.wide_count = _list_of(list(wide))
    return options


def _call(function: str, *arguments: Any) -> None:
    error = ctypes.c_void_p()
    code = getattr(_LIBRARY, function)(*arguments, ctypes.byref(error))
    if code == 0:
        return
    text = ctypes.string_at(error.value).decode(errors="replace") if error.value else os.strerror(code)
    _LIBRARY.prof_report_free(error)
    raise ReportError(text)


def check(path: str) -> None:
    """Raises ReportError unless the file is a report."""
    _call("prof_report_check", _bytes_of(path))


class OpenReport:
    """A report that stays open, for many of its tables. They are read by one thread at a time."""

    def __init__(self, path: str) -> None:
        self.handle = ctypes.c_void_p()
        _call("prof_report_open", _bytes_of(path), ctypes.byref(self.handle))

    def __del__(self) -> None:
        _LIBRARY.prof_report_close(self.handle)


class NumberOrder:
    """What number_order() returns."""

    REPEATS = 0
    DIFFERS = 1
    RISES = 2


def number_order(address: Optional[int], count: int, size: int, is_unsigned: bool) -> int:
    """Whether integers of 4 or 8 bytes in memory rise, all differ, or some are equal."""
    letter = "l" if size == 8 else "i"
    order = _LIBRARY.prof_report_number_order(address, count, (letter.upper() if is_unsigned else letter).encode())
    if order < 0:
        raise MemoryError("out of memory")
    return int(order)


class Given:
    """An Arrow table that a function of the library reads."""

    def __init__(self, table: Any) -> None:
        self.table = table

    def stream(self) -> ArrowArrayStream:
        """A new stream of the table. Its reader releases it."""
        held = ArrowArrayStream()
        capsule = self.table.__arrow_c_stream__()
        address = _GET_POINTER(id(capsule), _CAPSULE_NAME)
        # The stream is moved: the one in the capsule then counts as released.
        ctypes.memmove(ctypes.byref(held), address, ctypes.sizeof(ArrowArrayStream))
        ArrowArrayStream.from_address(address).release = _Release()
        return held


class GivenList:
    """Arrow tables that a function of the library reads."""

    def __init__(self, tables: Sequence[Any]) -> None:
        self.given = [Given(table) for table in tables]

    def streams(self) -> Tuple[Any, int]:
        """An array of pointers to new streams, and its size."""
        held = [ctypes.pointer(each.stream()) for each in self.given]
        return (ctypes.POINTER(ArrowArrayStream) * len(held))(*held), ctypes.c_size_t(len(held))


def _arguments(value: Any) -> List[Any]:
    """What a function of the library takes for a value: lists are an array and its size."""
    if isinstance(value, OpenReport):
        return [value.handle]
    if isinstance(value, Given):
        return [ctypes.byref(value.stream())]
    if isinstance(value, GivenList):
        return list(value.streams())
    if isinstance(value, list):
        array, size = _list_of(value)
        return [array, ctypes.c_size_t(size)]
    return [None if value is None else _bytes_of(value)]


_DESTRUCTOR = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_NEW_CAPSULE = ctypes.pythonapi.PyCapsule_New
_NEW_CAPSULE.restype = ctypes.py_object
_NEW_CAPSULE.argtypes = [ctypes.c_void_p, ctypes.c_char_p, _DESTRUCTOR]
_GET_POINTER = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)
_LIBC = ctypes.CDLL(None)
_LIBC.malloc.restype = ctypes.c_void_p
_LIBC.malloc.argtypes = [ctypes.c_size_t]
_LIBC.free.argtypes = [ctypes.c_void_p]
_CAPSULE_NAME = b"arrow_array_stream"


def _destroy(capsule: int) -> None:
    address = _GET_POINTER(capsule, _CAPSULE_NAME)
    held = ArrowArrayStream.from_address(address)
    if held.release:
        held.release(ctypes.byref(held))
    _LIBC.free(address)


_DESTROY = _DESTRUCTOR(_destroy)


class Stream:
    """A stream that nobody has taken over yet."""

    def __init__(self, function: str, arguments: Sequence[Any], options: Optional[Mapping[str, Any]]) -> None:
        self._held = ArrowArrayStream()
        values = [value for each in arguments for value in _arguments(each)]
        if options is not None:
            values.append(ctypes.byref(_options(**options)))
        _call(function, *values, ctypes.byref(self._held))

    def address(self) -> int:
        """The address of the stream, for code that moves the stream while this object exists."""
        return ctypes.addressof(self._held)

    def capsule(self) -> object:
        """The stream as a PyCapsule, as __arrow_c_stream__ returns it. The capsule owns it."""
        size = ctypes.sizeof(ArrowArrayStream)
        address = _LIBC.malloc(size)
        ctypes.memmove(address, ctypes.byref(self._held), size)
        self._held.release = _Release()
        return _NEW_CAPSULE(address, _CAPSULE_NAME, _DESTROY)

    def __del__(self) -> None:
        if self._held.release:
            self._held.release(ctypes.byref(self._held))
