"""--mode slurm: a job array in which each task maps a part of the reports, and a job that reduces."""

import os
import pickle
import shlex
import sys
from pathlib import Path
from typing import Any, List, Sequence, Tuple

from ..engines import batches
from ..engines.work import Outcome, Work
from .failures import Failure, RecipeError

MAX_TASKS = 256


def part_of(text: str) -> Tuple[int, int]:
    """The value of --job-part: I/N."""
    first, _, count = text.partition("/")
    if not (first.isdigit() and count.isdigit() and int(first) < int(count)):
        raise RecipeError(f"--job-part={text} is not a number and a count, such as 0/8", 2)
    return int(first), int(count)


def without_mode(arguments: Sequence[str]) -> List[str]:
    """The arguments without --mode and its value."""
    rest = [each for each in arguments if not each.startswith("--mode=")]
    if "--mode" in rest:
        at = rest.index("--mode")
        del rest[at:at + 2]
    return rest


def script(program: str, name: str, arguments: Sequence[str], paths: Sequence[str], folder: str) -> str:
    """A shell script that submits both jobs."""
    tasks = min(MAX_TASKS, len(batches(paths, 1)))
    command = [program, "recipe"] if program else [sys.executable or "python3", "-m", "prof_report.recipes"]
    words = shlex.join([*command, name, *arguments, "--mode=none", f"--job-parts={os.path.abspath(folder)}"])
    return f"""#!/bin/sh
# {len(paths)} reports in {tasks} tasks. Run this script where sbatch is. The folders must be on a shared file system.
set -e
maps=$(sbatch --parsable --job-name={name}-map --array=0-{tasks - 1} --wrap {shlex.quote(
    words + f' --job-part="$SLURM_ARRAY_TASK_ID"/{tasks}')})
sbatch --job-name={name}-reduce --dependency=afterany:"$maps" --wrap {shlex.quote(words)}
"""


def paths_of_part(paths: Sequence[str], number: int, count: int) -> List[str]:
    """The reports of one task."""
    return list(paths[number::count])


def write_part(engine: Any, work: Work, paths: Sequence[str], folder: str, number: int) -> None:
    """Maps reports and keeps the outcomes in the folder."""
    Path(folder).mkdir(parents=True, exist_ok=True, mode=0o700)
    outcomes = list(engine.run(work, paths))
    path = Path(folder) / f"part-{number}.pickle"
    new = path.with_suffix(".new")
    new.write_bytes(pickle.dumps(outcomes))
    new.rename(path)


class PartsEngine:
    """Takes the outcomes of the tasks. The reports of a task that wrote nothing have failed."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    def run(self, work: Work, paths: Sequence[str]) -> Any:
        """Outcomes come in the order of the tasks."""
        del work
        left = set(paths)
        for path in sorted(self._folder.glob("part-*.pickle")):
            outcomes: List[Outcome] = pickle.loads(path.read_bytes())
            for outcome in outcomes:
                if outcome[0] in left:
                    left.discard(outcome[0])
                    yield outcome
        yield from ((path, Failure(path, "its task has written no result")) for path in sorted(left))
