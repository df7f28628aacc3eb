"""Which machines have which reports."""

import os
from typing import Any, Dict, List, Sequence, Set, Tuple

from ..recipes.failures import Failure, RecipeError, reason_of
from ..recipes.inputs import expanded

# (size, time of the last change): by these a file on a shared file system is known to be the same everywhere.
Mark = Tuple[int, int]
Found = Dict[str, Dict[str, Mark]]  # for each word of --input its reports


def find(words: Sequence[str]) -> Found:
    """On a worker: the reports that the words of --input name here."""
    found: Found = {}
    for word in words:
        marks = found.setdefault(word, {})
        try:
            for path in expanded(word):
                state = path.stat()
                marks[os.path.abspath(path)] = (state.st_size, state.st_mtime_ns)
        except (RecipeError, OSError):
            continue
    return found


def machine_of(address: str) -> str:
    """The machine in the address of a worker. A worker that is started again has another port."""
    return address.split("://")[-1].rsplit(":", 1)[0]


class Places:
    """The machines that have each report. A report that all of them have can be read anywhere."""

    def __init__(self) -> None:
        self.failures: List[Failure] = []
        self._machines: Dict[str, Dict[str, Mark]] = {}  # for each report
        self._all: Set[str] = set()

    def add(self, address: str, answer: Any) -> None:
        """Takes what the worker at this address has found, or its error."""
        if isinstance(answer, BaseException):
            self.failures.append(Failure(address, f"the worker cannot look for reports: {reason_of(answer)}"))
            return
        self._all.add(machine_of(address))
        for marks in answer.values():
            for path, mark in marks.items():
                self._machines.setdefault(path, {})[machine_of(address)] = mark

    def name_empty(self, words: Sequence[str], answers: Dict[str, Any]) -> None:
        """Names folders that have no reports on some machines, if they have on others."""
        for word in words:
            found = {machine_of(address): answer[word] for address, answer in answers.items()
                     if not isinstance(answer, BaseException)}
            if any(word in marks for marks in found.values()):
                continue  # a file
            if any(found.values()):
                self.failures += [Failure(f"{word} on {machine}", "it has no reports")
                                  for machine, marks in sorted(found.items()) if not marks]

    def paths(self, here: Sequence[str]) -> List[str]:
        """All reports, without those of one name that are different files."""
        different = [path for path, marks in self._machines.items() if len(set(marks.values())) > 1]
        for path in different:
            machines = " and ".join(sorted(self._machines.pop(path)))
            self.failures.append(Failure(path, f"it is another file on each of {machines}; "
                                               "a report needs a name of its rank"))
        return [*self._machines, *(path for path in here if path not in self._machines and path not in different)]

    def machines_of(self, path: str) -> List[str]:
        """Where a report can be read; an empty list: everywhere."""
        machines = set(self._machines.get(path, ()))
        return [] if machines == self._all else sorted(machines)

    def by_machine(self, paths: Sequence[str]) -> List[List[str]]:
        """The paths in groups that can be read at the same places."""
        groups: Dict[Tuple[str, ...], List[str]] = {}
        for path in paths:
            groups.setdefault(tuple(self.machines_of(path)), []).append(path)
        return list(groups.values())
