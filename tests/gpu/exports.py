"""How long prof and nsys take to export the same recording."""
import os
import resource
import shutil
import time

from suite import NSYS, PROF, PROGRAMS, WORK, check, run, show, under_nsys

BATCHES = 800  # of 1,000 launches: 1.6 million events, kernels and calls


def timed(command):
    """Seconds of wall time and of CPU time."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    status, _, err, _ = run(command, timeout=500)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if status != 0:
        raise RuntimeError(f"{command}: {err[-500:]}")
    return (time.monotonic() - begin,
            after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def clear(path):
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)


def size(path):
    return sum(each.stat().st_size for each in path.rglob("*")) if path.is_dir() else path.stat().st_size


def exports():
    """The least of three exports of each type, both tools on one core."""
    _, source = under_nsys([PROGRAMS / "launch_loop", "--batches", str(BATCHES)], "exports", trace="cuda")
    show("exports: nsys's report and its SQLite, MB",
         [round(os.path.getsize(path) / 1e6, 1) for path in (WORK / "exports.nsys.nsys-rep", source)])
    for kind in ("parquetdir", "arrowdir"):
        best = {}
        for _ in range(3):
            for tool, command in (
                    ("nsys", [NSYS, "export", "-t", kind, "-f", "true", "-q", "true", "-o", WORK / "theirs",
                              WORK / "exports.nsys.nsys-rep"]),
                    ("prof", [PROF, "export", "-t", kind, "-f", "true", "-q", "-o", WORK / "ours", source])):
                found = timed(["taskset", "-c", "3", *command])
                best[tool] = min(best.get(tool, found), found)
        show(f"exports: {kind}, s of wall and CPU time", {tool: [round(each, 2) for each in found]
                                                          for tool, found in best.items()})
        show(f"exports: {kind}, MB", {tool: round(size(WORK / name) / 1e6, 1)
                                      for tool, name in (("nsys", "theirs"), ("prof", "ours"))})
        ratio = best["prof"][0] / best["nsys"][0]
        if kind == "parquetdir":
            check("exports: Parquet folder, x nsys's time", ratio <= 0.1, f"{ratio:.3f}", "<= 0.1")
        else:
            show("exports: Arrow folder, x nsys's time", f"{ratio:.3f}")
        for name in ("ours", "theirs"):
            clear(WORK / name)
