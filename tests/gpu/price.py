"""The cost of tracing, compared with nsys and torch.profiler.

PROF_GPU_SECONDS is how long one section may take: no round begins that would not end in time. PROF_NEWER_CUPTI names a
libcupti of 13.4 or later; then prof is measured beside other subscribers of it, too.
"""
import math
import os
import statistics
import sys
import time

from suite import (CALLS_ALONE, NSYS, PROGRAMS, SOURCES, WORK, check, cuptis, last_json, run, show, under_nsys,
                   under_prof)


LIMIT = float(os.environ.get("PROF_GPU_SECONDS", "inf"))
NEWER_CUPTI = os.environ.get("PROF_NEWER_CUPTI", "")


def variants_of(command, name):
    """The command by itself and under each tool."""
    variants = {
        "untraced": lambda: run(command),
        "prof": lambda: under_prof(command, name, *CALLS_ALONE)[0],
        "prof by default": lambda: under_prof(command, name)[0],
        "CUPTI alone": lambda: on_the_floor(command)}
    if NEWER_CUPTI:
        libraries = {"LD_LIBRARY_PATH": f"{os.path.dirname(NEWER_CUPTI)}:{os.environ.get('LD_LIBRARY_PATH', '')}"}
        variants["prof, several"] = lambda: under_prof(
            command, name, *CALLS_ALONE, "--cupti-path", NEWER_CUPTI, "--cupti-subscribers=several",
            env={**os.environ, **libraries})[0]
    if NSYS:
        variants["nsys"] = lambda: under_nsys(command, name, export=False)[0]
    return variants


def launches():
    """The cost of a launch for its thread, pinned to one core or not, interleaved with untraced and nsys runs."""
    for title, words in (("pinned", ["--pin", "1"]), ("not pinned", [])):
        loop = [PROGRAMS / "launch_loop", "--batches", "50", *words]
        runs = interleaved(11, variants_of(loop, "loop"), "ns_per_launch", LIMIT / 2)
        if not runs.get("untraced"):
            check(f"launch loop, {title}", False, "no round")
            continue
        for tool in (name for name in runs if name != "untraced"):
            added = [round(b - a) for a, b in zip(runs["untraced"], runs[tool])]
            median = statistics.median(added)
            text = f"{sorted(added)}, median {median}"
            if (tool, title) == ("prof", "pinned"):
                check("launch loop: ns added by prof", median <= 900, text, "median <= 900")
            else:
                show(f"launch loop, {title}: ns added by {tool}", text)
        show(f"launch loop, {title}: ns, least of the runs", {name: min(ns) for name, ns in runs.items()})
        show(f"launch loop, {title}: ns untraced", sorted(runs["untraced"]))


RESNET = [sys.executable, SOURCES / "resnet18.py", "--steps", "30", "--warmup", "10"]


def steps():
    """A training step, interleaved with untraced, nsys and torch.profiler runs. Ratios within one round."""
    step = interleaved(5, {**variants_of(RESNET, "step"), "torch": lambda: run([*RESNET, "--profiler"])},
                       "median_step_ms", LIMIT)
    if not step.get("untraced"):
        return check("ResNet-18 step", False, "no round")
    show("ResNet-18 step, ms", {k: [round(x, 2) for x in v] for k, v in step.items()})
    ratios = {k: round(statistics.median(b / a for a, b in zip(step["untraced"], v)), 3)
              for k, v in step.items()}
    return check("ResNet-18 step: x untraced", ratios.get("prof", math.inf) <= 1.15, ratios, "prof <= 1.15")


def price():
    """A training step, and how long prof and nsys take from its end to their reports."""
    steps()
    ending = WORK / "ended"
    timed = ["bash", "-c", " ".join(map(str, RESNET)) + f"; date +%s.%N > {ending}"]
    _, path = under_prof(timed, "step")
    took = {"prof": time.time() - float(ending.read_text())}
    size = {"prof": path.stat().st_size}
    if NSYS:
        under_nsys(timed, "step", export=False)
        took["nsys"] = time.time() - float(ending.read_text())
        before = time.time()
        run([NSYS, "export", "--type", "sqlite", "-f", "true", "-o", WORK / "step.nsys.sqlite",
             WORK / "step.nsys.nsys-rep"])
        took["nsys, its SQLite export"] = time.time() - before
        size["nsys-rep"] = (WORK / "step.nsys.nsys-rep").stat().st_size
        size["nsys, its SQLite export"] = (WORK / "step.nsys.sqlite").stat().st_size
    show("ResNet-18: from exit to report, s", {k: round(v, 2) for k, v in took.items()})
    show("ResNet-18: report, bytes", size)


def on_the_floor(command):
    """Runs a command while CUPTI collects a minimum of data and discards it. Returns what run() returns."""
    cupti = cuptis()
    where = {"LD_LIBRARY_PATH": os.path.dirname(cupti[-1])} if cupti else {}
    tool = {"CUDA_INJECTION64_PATH": str(PROGRAMS / "libcupti_floor.so")}
    done = run(command, env={**os.environ, **where, **tool})
    return done if "cupti_floor: on" in done[2] else (done[0], "", f"libcupti_floor.so was not loaded: {done[2]}", done[3])


def interleaved(rounds, variants, key, limit=math.inf):
    """Runs the variants in turn, so that a slow phase of the machine affects all of them. Prints each round when it
    has ended, and begins none that would not end within `limit` seconds. A variant without a value in the first round
    is left out. Later a round counts only if each variant has a value."""
    values = {name: [] for name in variants}
    begin, longest = time.monotonic(), 0.0
    for number in range(1, rounds + 1):
        start = time.monotonic()
        if start - begin + longest > limit:
            show(f"rounds within {limit:.0f} s", number - 1)
            break
        found = {name: value_of(variant(), name, key) for name, variant in variants.items()}
        longest = max(longest, time.monotonic() - start)
        print(f"     round {number}, {time.monotonic() - start:.0f} s, {key}: {found}", flush=True)
        if number == 1:
            values = {name: [] for name, value in found.items() if value is not None}
            found = {name: found[name] for name in values}
            variants = {name: variants[name] for name in values}
        if None not in found.values():
            for name, value in found.items():
                values[name].append(value)
    return values


def value_of(done, name, key):
    """The value that a program printed under the key. Says why if there is none."""
    status, out, err, took = done
    value = last_json(out).get(key)
    if value is None:
        show(f"{name}: no {key}; status {status} after {took:.0f} s", (err or out)[-300:])
    return value
