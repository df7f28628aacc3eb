"""The cost of tracing, compared with nsys and torch.profiler."""
import os
import statistics
import sys
import time

from suite import (CALLS_ALONE, NSYS, PROGRAMS, SOURCES, WORK, check, cuptis, last_json, run, show, under_nsys,
                   under_prof)


def launches():
    """The cost of a launch for its thread, pinned to one core, interleaved with untraced and nsys runs."""
    loop = [PROGRAMS / "launch_loop", "--batches", "50", "--pin", "1"]
    runs = interleaved(11, {
        "untraced": lambda: run(loop)[1],
        "prof": lambda: under_prof(loop, "loop", *CALLS_ALONE)[0][1],
        "prof by default": lambda: under_prof(loop, "loop")[0][1],
        "CUPTI alone": lambda: on_the_floor(loop),
        "nsys": lambda: under_nsys(loop, "loop", export=False)[0][1] if NSYS else ""}, "ns_per_launch")
    for tool in ("prof", "prof by default", "CUPTI alone", "nsys"):
        added = [round(b - a) for a, b in zip(runs["untraced"], runs[tool])]
        text = f"{sorted(added)}, median {statistics.median(added)}" if added else "no nsys"
        if tool == "prof":
            check("launch loop: ns added by prof", statistics.median(added) <= 900, text, "median <= 900")
        else:
            show(f"launch loop: ns added by {tool}", text)
    show("launch loop: ns, least of the runs", {name: min(ns) for name, ns in runs.items() if ns})
    show("launch loop: ns untraced", sorted(runs["untraced"]))


def price():
    """A training step, interleaved with untraced, nsys and torch.profiler runs. Ratios within one round."""
    resnet = [sys.executable, SOURCES / "resnet18.py", "--steps", "30", "--warmup", "10"]
    step = interleaved(5, {
        "untraced": lambda: run(resnet)[1],
        "prof": lambda: under_prof(resnet, "step", *CALLS_ALONE)[0][1],
        "prof by default": lambda: under_prof(resnet, "step")[0][1],
        "CUPTI alone": lambda: on_the_floor(resnet),
        "nsys": lambda: under_nsys(resnet, "step", export=False)[0][1] if NSYS else "",
        "torch": lambda: run([*resnet, "--profiler"])[1]}, "median_step_ms")
    show("ResNet-18 step, ms", {k: [round(x, 2) for x in v] for k, v in step.items()})
    ratios = {k: round(statistics.median(b / a for a, b in zip(step["untraced"], v)), 3)
              for k, v in step.items() if v}
    check("ResNet-18 step: x untraced", ratios["prof"] <= 1.15, ratios, "prof <= 1.15")
    ending = WORK / "ended"
    timed = ["bash", "-c", " ".join(map(str, resnet)) + f"; date +%s.%N > {ending}"]
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
    """Runs a command while CUPTI collects a minimum of data and discards it. Returns the program's output."""
    cupti = cuptis()
    where = {"LD_LIBRARY_PATH": os.path.dirname(cupti[-1])} if cupti else {}
    tool = {"CUDA_INJECTION64_PATH": str(PROGRAMS / "libcupti_floor.so")}
    _, out, err, _ = run(command, env={**os.environ, **where, **tool})
    if "cupti_floor: on" not in err:
        raise RuntimeError(f"libcupti_floor.so was not loaded: {err[-300:]}")
    return out


def interleaved(rounds, variants, key):
    """Runs the variants in turn, so that a slow phase of the machine affects all of them."""
    values = {name: [] for name in variants}
    for _ in range(rounds):
        for name, variant in variants.items():
            value = last_json(variant()).get(key)
            if value is not None:
                values[name].append(value)
    return values
