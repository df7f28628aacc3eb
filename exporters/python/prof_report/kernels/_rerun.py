"""Runs the program again under prof kernel, until the call that is to be profiled has ended."""

import json
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from .._library import ReportError
from . import _ranges
from ._results import RUN

# Tells the program that runs again which call to profile, and the folder with the results of those before it.
VARIABLE = "PROF_KERNELS_CALL"
FOLDER = os.getcwd()  # where the program began
_calls = 0  # decorated calls of this process
_results: Dict[int, Any] = {}  # of the calls


def next_call() -> int:
    """The number of this call. It is the same whenever the program runs."""
    global _calls  # pylint: disable=global-statement
    _calls += 1
    return _calls


def keep(call: int, frame: Any) -> None:
    """Keeps the results of a call for the calls after it, whose programs need them."""
    _results[call] = frame


def wanted() -> Optional[Tuple[int, Path]]:
    """The call that this process is to profile, and the folder of results; None in the user's own process."""
    text = os.environ.get(VARIABLE)
    if text is None:
        return None
    call, folder = json.loads(text)
    return call, Path(folder)


def earlier_result(call: int, folder: Path) -> Any:
    with open(folder / f"{call}.pickle", "rb") as file:
        return pickle.load(file)


def is_recorded() -> bool:
    """Whether the user records this process with prof."""
    return "PROF_SESSION" in os.environ


def run_all(function: Callable[..., Any], configs: Sequence[Tuple[Sequence[Any], Dict[str, Any]]],
            runs: int) -> List[List[Any]]:
    """Runs the function with all configurations. Returns what the annotations say: configuration, run, names, names
    that failed."""
    library = _ranges.library()
    if library is None:
        raise ReportError("annotations need a library for NVTX ranges: pip install nvtx (or PyTorch, or CuPy)")
    said: List[List[Any]] = []
    for config, (args, kwargs) in enumerate(configs):
        for run in range(runs):
            collected = _ranges.Collected()
            _ranges.CURRENT[0] = collected
            library.push(f"{RUN}{config}/{run}")
            try:
                function(*args, **kwargs)
            finally:
                library.pop()
                _ranges.CURRENT[0] = None
            said.append([config, run, collected.names, collected.failed])
    return said


def end(said: List[List[Any]], folder: Path) -> None:
    """Ends the program that runs again."""
    (folder / "said.json").write_text(json.dumps(said), encoding="utf-8")
    sys.exit(0)


def _command_line() -> List[str]:
    """The command of this process."""
    main = sys.modules.get("__main__")
    if hasattr(sys, "ps1") or "ipykernel" in sys.modules or main is None:
        raise ReportError("prof_report.kernels runs the program again: it needs a script, not a prompt or a notebook")
    if hasattr(sys, "orig_argv"):
        return [sys.executable, *sys.orig_argv[1:]]
    spec = getattr(main, "__spec__", None)
    script = ["-m", spec.name] if spec is not None else [sys.argv[0]]
    return [sys.executable, *script, *sys.argv[1:]]


def find_prof() -> str:
    """The command prof of this package: beside it in a tarball or a build, beside Python in a wheel."""
    package = Path(__file__).resolve().parent.parent
    for folder in (package.parent.parent.parent.parent / "bin", package.parent.parent / "bin",
                   Path(sys.executable).parent, Path(sys.prefix) / "bin"):
        if os.access(folder / "prof", os.X_OK) and (folder / "prof").is_file():
            return str(folder / "prof")
    found = shutil.which("prof")
    if found is None:
        raise ReportError("prof was not found. It is in the same packages as prof_report")
    return found


class Rerun:
    """The program, run again under prof kernel."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="prof_kernels_")
        self.folder = Path(self._folder.name)
        self.report = self.folder / "report.db"

    def __enter__(self) -> "Rerun":
        return self

    def __exit__(self, *_: Any) -> None:
        self._folder.cleanup()

    def run(self, call: int, metrics: Sequence[str], options: Sequence[str], shows_output: bool) -> List[List[Any]]:
        """Returns what run_all() returned there."""
        for number, frame in _results.items():
            with open(self.folder / f"{number}.pickle", "wb") as file:
                pickle.dump(frame, file)
        command = [find_prof(), "kernel", "--metrics", ",".join(metrics), *options, "-f", "true",
                   "-o", str(self.report), "--", *_command_line()]
        if shows_output:
            print(" ".join(command), file=sys.stderr)
        done = subprocess.run(command, check=False, cwd=FOLDER, stdin=subprocess.DEVNULL,
                              env={**os.environ, VARIABLE: json.dumps([call, str(self.folder)])},
                              stdout=None if shows_output else subprocess.DEVNULL,
                              stderr=None if shows_output else subprocess.PIPE, text=True, errors="replace")
        if not (self.folder / "said.json").exists():
            raise ReportError(f"the program ended before the profiled call (status {done.returncode})" +
                              _last_lines(done.stderr))
        if not self.report.exists():
            raise ReportError(f"prof kernel wrote no report (status {done.returncode})" + _last_lines(done.stderr))
        said: List[List[Any]] = json.loads((self.folder / "said.json").read_text(encoding="utf-8"))
        self.messages = _last_lines(done.stderr)
        return said


def _last_lines(text: Optional[str]) -> str:
    lines = (text or "").strip().splitlines()[-12:]
    return ":\n" + "\n".join(lines) if lines else ""
