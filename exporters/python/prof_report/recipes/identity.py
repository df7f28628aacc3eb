"""Whether reports belong together: their jobs and ranks."""

import os
from typing import Any, Dict, List, Sequence, Tuple

MOST_NOTES = 5


def notes_about(reports: Dict[str, Sequence[Tuple[Any, Any, Any]]]) -> List[str]:
    """Lines about reports of several jobs, and about ranks with several reports. A rank that its launcher has started
    again (another attempt) may have several."""
    jobs: Dict[Any, str] = {}
    ranks: Dict[Tuple[Any, Any, Any], List[str]] = {}
    for path in sorted(reports):
        for rank, job, attempt in reports[path]:
            jobs.setdefault(job, path)
            ranks.setdefault((job, rank, attempt), []).append(os.path.basename(path))
    named = sorted(str(job) for job in jobs if job is not None)
    notes = [f"the reports are of {len(named)} jobs: {', '.join(named[:MOST_NOTES])}"] if len(named) > 1 else []
    doubles = [f"rank {rank} has {len(files)} reports, which count as ranks each: {', '.join(files[:MOST_NOTES])}"
               for (_, rank, _), files in ranks.items() if len(files) > 1]
    if len(doubles) > MOST_NOTES:
        doubles = [*doubles[:MOST_NOTES], f"{len(doubles) - MOST_NOTES} more ranks have several reports"]
    return notes + doubles
