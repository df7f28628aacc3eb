"""Profilers that the program brings along (torch.profiler, jax.profiler, Proton): with prof they see what they see
without it, and prof's report has the same kernels."""
import collections
import json
import statistics
import sys

from price import interleaved
from suite import CALLS_ALONE, KIND, SOURCES, WORK, Report, check, last_json, run, show, under_prof

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


STEP = [sys.executable, SOURCES / "resnet18.py", "--steps", "30", "--warmup", "10"]
BOTH = [*STEP, "--profiler"]


def price_of_both():
    """A training step with torch.profiler under prof, beside each of them alone."""
    runs = interleaved(7, {
        "untraced": lambda: run(STEP),
        "torch": lambda: run(BOTH),
        "prof": lambda: under_prof(STEP, "step", *CALLS_ALONE)[0],
        "both": lambda: under_prof(BOTH, "both", *CALLS_ALONE)[0]}, "median_step_ms")
    show("ResNet-18 step, ms", {name: [round(x, 2) for x in ms] for name, ms in runs.items()})
    show("ResNet-18 step, ms, medians", {name: round(statistics.median(ms), 2) for name, ms in runs.items()})
    show("ResNet-18 step, x untraced, medians", {name: round(statistics.median(
        b / a for a, b in zip(runs["untraced"], ms)), 3) for name, ms in runs.items()})
    ratios = [both / max(torch, prof) for torch, prof, both in zip(runs["torch"], runs["prof"], runs["both"])]
    check("torch.profiler and prof: ResNet-18 step, x the more expensive one", statistics.median(ratios) <= 1.1,
          f"median {statistics.median(ratios):.3f} of {sorted(round(ratio, 3) for ratio in ratios)}", "<= 1.1")


def calls(report):
    return report.counts(KIND + "RUNTIME", ["StringIds:nameId", "eventClass"])


def parts_of_both():
    """Hints where the price of both goes: parts left out, what was recorded, and CPU samples by module. One run each."""
    counted = {}
    for title, command, options, trace in (
            ("prof, all of it", STEP, CALLS_ALONE, "cuda,nvtx,osrt"), ("both, all of it", BOTH, CALLS_ALONE, "cuda,nvtx,osrt"),
            ("prof, cuda", STEP, CALLS_ALONE, "cuda"), ("both, cuda", BOTH, CALLS_ALONE, "cuda"),
            ("prof, nvtx,osrt", STEP, CALLS_ALONE, "nvtx,osrt"), ("both, nvtx,osrt", BOTH, CALLS_ALONE, "nvtx,osrt"),
            # torch.profiler gets its own events and no GPU's.
            ("both, CUPTI not shared", BOTH, [*CALLS_ALONE, "--cuda-injection=alone"], "cuda,nvtx,osrt"),
            # Callbacks for all calls: nothing is made of CUPTI's records.
            ("both, no rows by record", BOTH, [*CALLS_ALONE, "--cudabacktrace=all:1000000000"], "cuda,nvtx,osrt")):
        done, path = under_prof(command, "part", *options, trace=trace)
        report = Report(path)
        counted[title] = calls(report)
        show(title, f"{last_json(done[1]).get('median_step_ms')} ms, rows: " + str({
            table: report.rows(f"SELECT count(*) FROM {table}")[0][0] for table in (
                KIND + "RUNTIME", KIND + "KERNEL", "PROF_CUDA_EXTERNAL_IDS", "OSRT_API") if table in report.tables}))
        if "PROFILER_OVERHEAD" in report.tables:
            show(f"{title}: overhead, ms", report.rows(
                "SELECT value, count(*), round(sum(end - start) / 1e6, 2) FROM PROFILER_OVERHEAD o "
                "JOIN StringIds s ON s.id = o.nameId GROUP BY 1 ORDER BY 3 DESC LIMIT 6"))
    by_record, by_callback = counted["both, all of it"], counted["both, no rows by record"]
    check("torch.profiler and prof: API calls by record as by callback", by_record == by_callback,
          f"{sum(by_record.values())}, differ: {list((by_record - by_callback).items())[:5]} "
          f"{list((by_callback - by_record).items())[:5]}", sum(by_callback.values()))
    show("both, most frequent API calls", by_callback.most_common(12))
    for title, command in (("prof", STEP), ("both", BOTH)):
        _, path = under_prof(command, "sampled", "--sample=process-tree", "--cpuctxsw=none", "--python-sampling=false")
        samples_by("module", title, Report(path))
        samples_by("symbol", title, Report(path))


def samples_by(column, title, report):
    """Shares of the samples of the two busiest threads by their innermost frame; of functions only those of prof and CUPTI."""
    if "COMPOSITE_EVENTS" not in report.tables:
        return show(f"{title}, samples", report.messages())
    for thread, samples in report.rows("SELECT globalTid, count(*) FROM COMPOSITE_EVENTS GROUP BY 1 ORDER BY 2 DESC LIMIT 2"):
        rows = report.rows(
            f"SELECT f.value, count(*) FROM COMPOSITE_EVENTS e JOIN SAMPLING_CALLCHAINS c ON c.id = e.id AND stackDepth = 0 "
            f"JOIN StringIds m ON m.id = c.module JOIN StringIds f ON f.id = c.{column} WHERE globalTid = {thread} "
            + ("AND (m.value LIKE '%prof_inject%' OR m.value LIKE '%cupti%') " if column == "symbol" else "")
            + "GROUP BY 1 ORDER BY 2 DESC LIMIT 16")
        show(f"{title}, thread {thread & 0xffffff}, {samples} samples, by {column}", [
            (name.rsplit("/", 1)[-1], f"{count / samples:.1%}") for name, count in rows])
