"""Profilers that the program brings along (torch.profiler, jax.profiler, Proton): with prof they see what they see
without it, and prof's report has the same kernels."""
import collections
import json
import statistics
import sys

from price import interleaved
from suite import CALLS_ALONE, SOURCES, WORK, Report, check, last_json, run, show, under_prof

GPU_WORK = ("kernel", "gpu_memcpy", "gpu_memset")


def events(path):
    return [event for event in json.loads(path.read_text())["traceEvents"] if event.get("ph") == "X" and "cat" in event]


def seen(path):
    """The events by category, name and stream."""
    return collections.Counter((event["cat"], event["name"], event["args"].get("stream")) for event in events(path)
                               if event["cat"] in (*GPU_WORK, "cuda_runtime", "cuda_driver", "cpu_op"))


def both_ways(program):
    """What a program prints alone and under prof, its folders, and prof's report."""
    folders = [WORK / f"{program}-{way}" for way in ("alone", "prof")]
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    alone = run([sys.executable, SOURCES / "profilers" / f"{program}.py", folders[0]])
    done, report = under_prof([sys.executable, SOURCES / "profilers" / f"{program}.py", folders[1]], program, *CALLS_ALONE)
    check(f"{program}: status", (done[0], alone[0]) == (0, 0), (done[0], alone[0]), done[2][-300:] if done[0] else (0, 0))
    return last_json(alone[1]), last_json(done[1]), folders, Report(report)


def durations_agree(folder, names, report):
    """Each kernel of torch's traces is in prof's report, with the same stream and duration."""
    rows = {correlation: (stream, length) for correlation, stream, length in report.rows(
        "SELECT correlationId, streamId, end - start FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE graphNodeId IS NULL")}
    kernels = [event for name in names for event in events(folder / name) if event["cat"] == "kernel"]
    known = [(rows[event["args"]["correlation"]], event) for event in kernels if event["args"]["correlation"] in rows]
    check("torch.profiler: its kernels in prof's report", len(known) == len(kernels) > 0, len(known), len(kernels))
    worst = max((abs(event["dur"] * 1000 - length) / length for (_, length), event in known), default=1)
    check("torch.profiler: GPU times", worst <= 0.01, f"{worst:.2%} apart at most", "within 1 %")
    streams = sum(stream != event["args"]["stream"] for (stream, _), event in known)
    check("torch.profiler: streams", streams == 0, f"{streams} differ", 0)


def profilers():
    alone, with_prof, folders, report = both_ways("torch_profiler")
    check("torch.profiler: cycles and graph", with_prof == alone, with_prof, alone)
    for name in alone.get("traces", ()):
        plain, profiled = (seen(folder / name) for folder in folders)
        check(f"torch.profiler: {name}", plain == profiled, f"{sum(profiled.values())} events, differ: "
              f"{list((plain - profiled).items())[:5]} {list((profiled - plain).items())[:5]}", sum(plain.values()))
    durations_agree(folders[1], alone.get("traces", ()), report)
    show("external ids", report.counts("PROF_CUDA_EXTERNAL_IDS", ["StringIds:clientId"]))
    for program in ("frameworks_profiler", "jax_profiler", "proton_profiler"):
        alone, with_prof, _, report = both_ways(program)
        check(f"{program}: the same as alone", with_prof == alone != {}, with_prof, alone)
        show(f"{program}: kernels in prof's report", report.rows("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL"))


def price_of_both():
    """A training step with torch.profiler under prof, beside each of them alone."""
    step = [sys.executable, SOURCES / "resnet18.py", "--steps", "30", "--warmup", "10"]
    runs = interleaved(5, {
        "untraced": lambda: run(step)[1],
        "torch": lambda: run([*step, "--profiler"])[1],
        "prof": lambda: under_prof(step, "both", *CALLS_ALONE)[0][1],
        "both": lambda: under_prof([*step, "--profiler"], "both", *CALLS_ALONE)[0][1]}, "median_step_ms")
    ratios = [both / max(torch, prof) for torch, prof, both in zip(runs["torch"], runs["prof"], runs["both"])]
    check("torch.profiler and prof: ResNet-18 step, x the more expensive one", statistics.median(ratios) <= 1.1,
          f"{[round(ratio, 3) for ratio in ratios]}, ms: { {k: [round(x, 2) for x in v] for k, v in runs.items()} }",
          "<= 1.1")
