"""python3 -m prof_report.upload: copies reports to an object store or another file system, checks them, and says so.

pyarrow.fs does the work: s3://, gs://, abfss://, hdfs:// and file:// are known, and the credentials are those that its
libraries find. A file that is there already with the same checksum is not copied again.
"""

import argparse
import hashlib
import os
import sys
import time
from pathlib import Path
from typing import Any, Callable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ._messages import Messages
from ._table import needed

_PIECE = 8 << 20  # bytes; a part of S3's multipart uploads has at least 5 MiB
_ENDING = ".sha256"
_LONGEST_PAUSE = 60.0


class UploadError(Exception):
    """An upload is not possible. The text is one line."""


class _Source(NamedTuple):
    path: Path
    name: str  # below the URL


class _Target(NamedTuple):
    files: Any  # a FileSystem
    folder: str
    is_store: bool  # a file appears when it is complete

    def path(self, name: str) -> str:
        return f"{self.folder.rstrip('/')}/{name}"


def _sources(names: Sequence[str]) -> List[_Source]:
    """Files, and all files of folders but hidden and unfinished ones, under the name of the folder."""
    found: List[_Source] = []
    for name in names:
        path = Path(name)
        if path.is_dir():
            folder = Path(os.path.abspath(path))
            for each in sorted(folder.rglob("*")):
                parts = each.relative_to(folder).parts
                if each.is_file() and not any(part.startswith(".") or ".tmp-prof" in part for part in parts):
                    found.append(_Source(each, "/".join([folder.name, *parts])))
        elif path.is_file():
            found.append(_Source(path, path.name))
            partial = path.with_name(path.name + ".partial")
            if partial.is_file():
                found.append(_Source(partial, partial.name))
        else:
            raise UploadError(f"{name}: no such file or folder")
    unique = {source.name: source for source in found}
    if len(unique) < len({source.path for source in found}):
        raise UploadError("two files would get the same name; upload them to different folders")
    return list(unique.values())


def _target(url: str) -> _Target:
    fs = needed("pyarrow.fs", "prof upload")
    if "://" not in url:
        raise UploadError(f"{url} is not a URL such as s3://bucket/run or file:///backup/run")
    try:
        files, folder = fs.FileSystem.from_uri(url)
    except (ValueError, OSError) as error:
        raise UploadError(f"{url}: {' '.join(str(error).split())}") from None
    return _Target(files, folder, not isinstance(files, fs.LocalFileSystem))


def _sum_of(stream: Any, count: Callable[[int], None]) -> Tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    while True:
        piece = stream.read(_PIECE)
        if not piece:
            return digest.hexdigest(), size
        digest.update(piece)
        size += len(piece)
        count(len(piece))


def _sum_of_file(path: Path) -> Tuple[str, int]:
    with path.open("rb") as file:
        return _sum_of(file, lambda size: None)


def _sum_there(target: _Target, path: str) -> Optional[Tuple[str, int]]:
    try:
        with target.files.open_input_stream(path) as stream:
            return _sum_of(stream, lambda size: None)
    except FileNotFoundError:
        return None


def _is_there(target: _Target, name: str, wanted: Tuple[str, int]) -> bool:
    """Whether an earlier upload has copied and checked the file: the sum beside it is the last thing it writes."""
    path = target.path(name)
    facts = target.files.get_file_info(path)
    if not facts.is_file or facts.size != wanted[1]:
        return False
    try:
        with target.files.open_input_stream(path + _ENDING) as stream:
            return bytes(stream.read(64)).decode("ascii", "replace") == wanted[0]
    except FileNotFoundError:
        return False


def _copy(target: _Target, source: _Source, count: Callable[[int], None]) -> None:
    """Object stores show a file when it is complete. Elsewhere it gets its name then."""
    path = target.path(source.name)
    unfinished = path if target.is_store else f"{path}.tmp-prof{os.getpid()}"
    if not target.is_store:
        target.files.create_dir(os.path.dirname(path), recursive=True)
    with source.path.open("rb") as file, target.files.open_output_stream(unfinished) as stream:
        while True:
            piece = file.read(_PIECE)
            if not piece:
                break
            stream.write(piece)
            count(len(piece))
    if unfinished != path:
        target.files.move(unfinished, path)


def _upload(target: _Target, source: _Source, count: Callable[[int], None]) -> bool:
    """Copies and checks a file. Returns False if it is there already."""
    wanted = _sum_of_file(source.path)
    if _is_there(target, source.name, wanted):
        return False
    _copy(target, source, count)
    found = _sum_there(target, target.path(source.name))
    if found != wanted:
        if _sum_of_file(source.path) != wanted:
            raise UploadError(f"{source.path} changes while it is copied")
        raise OSError("the copy differs from the file")
    with target.files.open_output_stream(target.path(source.name) + _ENDING) as stream:
        stream.write(f"{wanted[0]}  {os.path.basename(source.name)}\n".encode())
    return True


def _line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _attempts(retries: int, pause: float) -> Iterator[float]:
    """The pause before each attempt."""
    yield 0.0
    for _ in range(retries):
        yield pause
        pause = min(2 * pause, _LONGEST_PAUSE)


def upload(names: Sequence[str], url: str, *, delete: bool = False, retries: int = 5, pause: float = 1.0,
           say: Callable[[str], None] = lambda text: None,
           progress: Callable[[str, int], None] = lambda name, size: None, target: Optional[_Target] = None) -> int:
    """Copies files and folders below a URL. Each is read back and compared by SHA-256, which is then written beside it.
    `delete`: removes each file of the list afterwards. `retries`: how often a file is tried again, after a pause that
    doubles. Returns how many files failed; `say` gets the reasons."""
    sources = _sources(names)
    place = target or _target(url)
    failed = 0
    for source in sources:
        sent = 0

        def count(size: int, name: str = source.name) -> None:
            nonlocal sent
            sent += size
            progress(name, sent)

        error: Optional[BaseException] = None
        for wait in _attempts(retries, pause):
            if wait:
                say(f"{source.path}: {_line(error) if error else ''}; again in {wait:g} s")
                time.sleep(wait)
            sent = 0
            try:
                _upload(place, source, count)
                error = None
                break
            except (PermissionError, UploadError) as denied:
                error = denied
                break
            except OSError as problem:
                error = problem
        if error is not None:
            say(f"{source.path} is not uploaded: {_line(error)}")
            failed += 1
        elif delete:
            source.path.unlink()
    return failed


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python3 -m prof_report.upload", description=__doc__.split("\n", 1)[0])
    parser.add_argument("reports", nargs="+", help="reports, or folders")
    parser.add_argument("url", help="folder of an object store or a file system")
    parser.add_argument("--delete", action="store_true", help="remove each file when its copy has been checked")
    parser.add_argument("--retries", type=int, default=5, help="how often a file is tried again")
    parser.add_argument("--quiet", action="store_true", help="print only errors")
    return parser


def main(arguments: Optional[List[str]] = None) -> int:
    """Returns the exit status: 1 if a file is not uploaded."""
    options = _arguments().parse_args(arguments)
    messages = Messages(options.quiet)
    say = messages.say

    def progress(name: str, size: int) -> None:
        messages.show(f"{name[:60]} {size / 1e6:.1f} MB")

    try:
        failed = upload(options.reports, options.url, delete=options.delete, retries=options.retries, say=say,
                        progress=progress)
    except (UploadError, ImportError, OSError) as error:
        say(_line(error))
        return 1
    except KeyboardInterrupt:
        say("interrupted; the same command goes on from here")
        return 130
    messages.clear()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
