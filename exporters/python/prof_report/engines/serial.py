"""One report after the other, in this process."""

from typing import Iterator, Sequence

from .work import Outcome, Work, run_batch


class SerialEngine:
    """--mode none"""

    def run(self, work: Work, paths: Sequence[str]) -> Iterator[Outcome]:
        """Outcomes come in the order of the paths."""
        for path in paths:
            yield from run_batch(work, [path])
