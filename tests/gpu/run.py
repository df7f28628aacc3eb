#!/usr/bin/env python3
"""The GPU suite: everything that needs silicon, beside the genuine nsys, in one table.

  PROF=/tmp/p/bin/prof tests/gpu/run.py [SECTION ...]

Sections: known events tools programs endings others price. Runs all by default; exits 1 on a miss. Needs
what tests/gpu/build_programs.sh made (build/gpu). NVIDIA's nsys is taken from $NSYS or from Nsight
Compute's folder.
"""
import csv
import io
import statistics
import sys
import time

from suite import (NSYS, PROF, PROGRAMS, SOURCES, WORK, Report, check, finish, last_json, run, setup,
                   show, under_nsys, under_prof)

KIND = "CUPTI_ACTIVITY_KIND_"
COPIES = {1: "HtoD", 2: "DtoH", 8: "DtoD", 9: "HtoH"}
SYNCS = {1: "event", 2: "stream_wait_event", 3: "stream", 4: "device"}


def known():
    """Counts and names against the program's own and nsys's."""
    program = [PROGRAMS / "known_answer"]
    options = ["--cuda-memory-usage=true"]
    (status, out, err, _), path = under_prof(program, "known", *options)
    check("known answer: exit status under prof", status == 0, status, 0)
    truth = last_json(out)
    ours = Report(path)
    check("known answer: integrity_check", ours.rows("PRAGMA integrity_check")[0][0] == "ok", "ok")
    kernels = ours.counts(KIND + "KERNEL", ["StringIds:shortName"])
    check("known answer: kernels by name", kernels == truth["kernels"], dict(kernels), truth["kernels"])
    copies = {COPIES.get(kind): [count, total] for kind, count, total in ours.rows(
        f"SELECT copyKind, count(*), sum(bytes) FROM {KIND}MEMCPY GROUP BY 1")}
    check("known answer: copies", copies == truth["memcpy"], copies, truth["memcpy"])
    sets = list(ours.rows(f"SELECT count(*), sum(bytes) FROM {KIND}MEMSET")[0])
    check("known answer: memsets", sets == truth["memset"], sets, truth["memset"])
    launches = sum(ours.counts(KIND + "GRAPH_TRACE", ["graphId"]).values())
    check("known answer: graph launches", launches == truth["graph_launches"], launches,
          truth["graph_launches"])
    syncs = {SYNCS[kind]: n for kind, n in ours.counts(KIND + "SYNCHRONIZATION", ["syncType"]).items()}
    # CUPTI counts a query of an event as a wait for it; so does nsys.
    wanted = dict(truth["syncs"])
    wanted["event"] += truth["runtime_calls"]["cudaEventQuery"]
    check("known answer: synchronizations", syncs == wanted, syncs, wanted)
    events = sum(ours.counts(KIND + "CUDA_EVENT", ["eventId"]).values())
    check("known answer: event records", events == truth["event_records"], events,
          truth["event_records"])
    launched = ours.rows(f"SELECT count(*) FROM {KIND}RUNTIME r JOIN StringIds s ON s.id = r.nameId "
                         "WHERE s.value LIKE 'cudaLaunchKernel_v%'")[0][0]
    check("known answer: cudaLaunchKernel calls", launched == truth["runtime_calls"]["cudaLaunchKernel"],
          launched, truth["runtime_calls"]["cudaLaunchKernel"])
    check("known answer: GPU work without its API call", ours.orphans() == 0, ours.orphans(), 0)
    if not NSYS:
        return
    _, path = under_nsys(program, "known", *options)
    theirs = Report(path)
    for title, table, columns in (
            ("kernels", "KERNEL", ["StringIds:demangledName", "StringIds:shortName",
                                   "StringIds:mangledName", "gridX", "gridY", "gridZ", "blockX",
                                   "blockY", "blockZ", "staticSharedMemory", "dynamicSharedMemory",
                                   "registersPerThread", "launchType", "cacheConfig",
                                   "sharedMemoryExecuted", "localMemoryTotal",
                                   "localMemoryPerThread", "sharedMemoryLimitConfig", "deviceId",
                                   "contextId", "greenContextId"]),
            ("copies (but HtoH, which nsys leaves out)", "MEMCPY",
             ["copyKind", "srcKind", "dstKind", "bytes", "copyCount"]),
            ("memsets", "MEMSET", ["value", "bytes", "memKind"]),
            ("graph launches", "GRAPH_TRACE", ["graphId", "graphExecId"]),
            ("event records", "CUDA_EVENT", ["eventId", "streamId"])):
        mine, other = (r.counts(KIND + table, columns) for r in (ours, theirs))
        if table == "MEMCPY":
            mine = type(mine)({key: n for key, n in mine.items() if key[0] != 9})
        same = mine == other
        check(f"like nsys: {title}", same, sum(mine.values()),
              sum(other.values()) if same else f"{(mine - other)} / {(other - mine)}")
    for title, table, columns in (
            ("streams", "TARGET_INFO_CUDA_STREAM", ["streamId", "priority", "flag", "contextId"]),
            ("contexts", "TARGET_INFO_CUDA_CONTEXT_INFO", ["contextId", "nullStreamId", "deviceId"]),
            ("graph events", "CUDA_GRAPH_EVENTS", ["StringIds:nameId", "graphId", "graphExecId"]),
            ("memory usage", "CUDA_GPU_MEMORY_USAGE_EVENTS",
             ["memKind", "memoryOperationType", "bytes", "streamId"])):
        mine, other = ours.counts(table, columns), theirs.counts(table, columns)
        check(f"like nsys: {title}", mine == other, sum(mine.values()),
              sum(other.values()) if mine == other else f"{mine - other} / {other - mine}")
    # nsys drops the wait of cudaDeviceSynchronize and calls a stream's 2 (nsys-compat.md 1.4).
    waits = theirs.counts(KIND + "SYNCHRONIZATION", ["CASE WHEN syncType = 2 AND eventId = 4294967295 "
                                                     "THEN 3 ELSE syncType END"])
    mine = ours.counts(KIND + "SYNCHRONIZATION", ["syncType"])
    check("like nsys: synchronizations but of the device", {**mine, 4: 0} == {**waits, 4: 0},
          dict(mine), dict(waits))
    gpu = [theirs.rows("SELECT * FROM TARGET_INFO_GPU"), ours.rows("SELECT * FROM TARGET_INFO_GPU")]
    check("like nsys: TARGET_INFO_GPU", gpu[0] == gpu[1], gpu[1], "" if gpu[0] == gpu[1] else gpu[0])
    # Many rounds: one round's kernels take 0.15 ms together, and vary by more than 2 % between runs.
    program += ["--scale", "50"]
    ours, theirs = (Report(under(program, "scaled")[1]) for under in (under_prof, under_nsys))
    for table, where in (("KERNEL", "1"), ("MEMCPY", "copyKind <> 9")):
        close("like nsys: time of all " + table.lower() + "s", ours.total(KIND + table, where),
              theirs.total(KIND + table, where), 0.02)


def events():
    """Which event and which recording of it, which stream: as CUPTI tells nsys, made from API calls."""
    program = [PROGRAMS / "event_calls"]
    (status, _, err, _), path = under_prof(program, "events")
    check("events: exit status under prof", status == 0, status, 0 if status == 0 else err[-300:])
    if not NSYS:
        return
    ours = Report(path)
    theirs = Report(under_nsys(program, "events", "--cuda-event-trace=true")[1])
    place = ["deviceId", "contextId", "streamId", "eventId", "eventSyncId"]
    # nsys drops the wait of cudaDeviceSynchronize and calls a stream's 2 (nsys-compat.md 1.4).
    kind = "CASE WHEN syncType = 2 AND eventId = 4294967295 THEN 3 ELSE syncType END"
    for title, table, columns in (("waits", "SYNCHRONIZATION", [kind, *place]),
                                  ("recordings", "CUDA_EVENT", place)):
        mine, other = (type(rows)({key: n for key, n in rows.items() if key[0] != 4 or table == "CUDA_EVENT"})
                       for rows in (r.counts(KIND + table, columns) for r in (ours, theirs)))
        check(f"events: {title} like nsys", mine == other and mine, sum(mine.values()),
              sum(other.values()) if mine == other else f"{mine - other} / {other - mine}")


def close(title, ours, theirs, tolerance):
    ratio = ours / theirs if theirs else 0
    check(title, abs(ratio - 1) <= tolerance, f"{ours} ns, {ratio:.4f} x nsys's", f"within {tolerance:.0%}")


def table(text):
    return list(csv.DictReader(io.StringIO(text[text.find("Time (%)") if "Time (%)" in text
                                                else text.find("Total (MB)"):].strip())))


def tools():
    """nsys's own stats and analyze on our report, against prof stats."""
    if not NSYS:
        return
    _, path = under_prof([PROGRAMS / "known_answer"], "tools", "--cuda-memory-usage=true")
    for report in ("cuda_api_sum", "cuda_gpu_kern_sum", "cuda_gpu_kern_sum:base",
                   "cuda_gpu_mem_time_sum", "cuda_gpu_mem_size_sum", "osrt_sum"):
        status, theirs, err, _ = run([NSYS, "stats", "-q", "-r", report, "-f", "csv", path])
        _, ours, our_err, _ = run([PROF, "stats", "-q", "-r", report, "-f", "csv", path])
        same = status == 0 and table(theirs) == table(ours) and len(table(ours)) > 0
        check(f"nsys stats {report} on our report", same, f"{len(table(ours))} lines",
              "the same as prof stats" if same else f"{theirs[:300]}{err[:200]} | {ours[:300]}{our_err[:200]}")
    for rule in ("cuda_memcpy_async", "cuda_memcpy_sync", "cuda_memset_sync", "cuda_api_sync",
                 "gpu_gaps", "gpu_time_util"):
        status, out, err, _ = run([NSYS, "analyze", "-q", "-r", rule, "-f", "csv", path])
        bad = status != 0 or "ERROR" in out + err or "SKIPPED" in out + err
        check(f"nsys analyze {rule} on our report", not bad, f"status {status}",
              "no complaint" if not bad else (out + err)[-300:])


def gpu_time(title, ours, theirs):
    mine, other = ours.time_by_kernel(), theirs.time_by_kernel()
    check(f"{title}: names of kernels", set(mine) == set(other), f"{len(mine)} names",
          f"{len(other)}" if set(mine) == set(other)
          else f"only ours {list(set(mine) - set(other))[:3]}, only nsys's {list(set(other) - set(mine))[:3]}")
    counts = [r.counts(KIND + "KERNEL", ["StringIds:demangledName"]) for r in (ours, theirs)]
    check(f"{title}: kernels", counts[0] == counts[1], sum(counts[0].values()),
          sum(counts[1].values()))
    close(f"{title}: GPU time of all kernels", sum(mine.values()), sum(other.values()), 0.02)
    check(f"{title}: GPU work without its API call", ours.orphans() == 0, ours.orphans(), 0)


def programs():
    """Real programs: unchanged output, the same GPU work as under nsys."""
    python = sys.executable
    cases = (
        ("resnet18", [python, SOURCES / "resnet18.py", "--steps", "10", "--warmup", "5"], "loss"),
        ("resnet18 compiled", [python, SOURCES / "resnet18.py", "--compile", "--steps", "5",
                               "--warmup", "3"], "loss"),
        ("generate", [python, SOURCES / "generate.py", "--tokens", "50"], "tokens"),
        ("jax step", [python, SOURCES / "jax_step.py"], "loss"),
        ("cupy saxpy", [python, SOURCES / "cupy_saxpy.py"], "ok"))
    for title, command, key in cases:
        name = title.replace(" ", "_")
        status, out, err, _ = run(command)
        check(f"{title}: untraced", status == 0, status, 0 if status == 0 else err[-300:])
        plain = last_json(out)
        (status, out, err, _), path = under_prof(command, name)
        check(f"{title}: status and output under prof", status == 0 and last_json(out).get(key) == plain.get(key),
              f"status {status}", f"the same {key}" if status == 0 else err[-300:])
        ours = Report(path)
        lost = [m for m in ours.messages() if "lost" in m or "failed" in m or "not traced" in m]
        check(f"{title}: nothing lost", not lost, lost, [])
        if NSYS:
            _, path = under_nsys(command, name)
            gpu_time(title, ours, Report(path))


def endings():
    """What is kept when the program does not end well."""
    def kernels(report):
        return report.counts(KIND + "KERNEL", ["StringIds:shortName"])

    for end, wanted in (("return", 0), ("_exit", 0), ("kill9", 137), ("illegal", 3), ("reset", 0),
                        ("profilerstop", 0)):
        (status, out, _, _), path = under_prof(
            [PROGRAMS / "long_kernel", f"--end={end}", "--seconds", "3"], f"end_{end}", trace="cuda")
        truth = last_json(out)
        report = Report(path)
        seen, finished = kernels(report), truth.get("kernels_finished", {})
        kept = all(seen.get(name, 0) >= n for name, n in finished.items())
        said = any("last GPU records" in m for m in report.messages())
        check(f"{end}: status", status == wanted, status, wanted)
        check(f"{end}: finished kernels kept", kept, dict(seen), finished)
        check(f"{end}: says that GPU records are missing", said == (end == "kill9"), said, end == "kill9")
    command = (f"{PROF} profile -t cuda -f true -o {WORK}/term.sqlite {PROGRAMS}/long_kernel "
               "--end=sleep --seconds 10 > term.out & sleep 3; pkill -TERM -x long_kernel; wait $!")
    status, _, err, _ = run(["bash", "-c", command])
    truth = last_json((WORK / "term.out").read_text())
    seen = kernels(Report(WORK / "term.sqlite"))
    kept = all(seen.get(name, 0) >= n for name, n in truth.get("kernels_finished", {}).items())
    check("SIGTERM while a kernel runs: status and kept", status == 143 and kept, (status, dict(seen)),
          (143, truth.get("kernels_finished")))


def others():
    """Other tools in the process, forks, several processes, no GPU."""
    python = sys.executable
    resnet = [python, SOURCES / "resnet18.py", "--steps", "5", "--warmup", "3"]
    _, out, _, _ = run(resnet)
    plain = last_json(out)
    (status, out, err, _), path = under_prof([*resnet, "--profiler"], "torch_profiler")
    check("torch.profiler under prof: program", status == 0 and last_json(out).get("loss") == plain.get("loss"),
          status, 0 if status == 0 else err[-300:])
    show("torch.profiler under prof: its CUDA events, our kernels",
         (last_json(out).get("profiler_cuda_events"),
          sum(Report(path).counts(KIND + "KERNEL", ["deviceId"]).values())))
    ranged = [PROGRAMS / "long_kernel", "--end=profilerstop", "--seconds", "1"]
    (status, out, _, _), path = under_prof(ranged, "ranged", "-c", "cudaProfilerApi",
                                           "--capture-range-end=stop", trace="cuda")
    wanted = last_json(out).get("in_range")
    seen = Report(path).counts(KIND + "KERNEL", ["StringIds:shortName"])
    check("capture range: kernels between cudaProfilerStart and Stop", dict(seen) == wanted, dict(seen), wanted)
    if NSYS:
        run([NSYS, "profile", "-t", "cuda", "--sample=none", "--cpuctxsw=none", "-c", "cudaProfilerApi",
             "--capture-range-end=repeat:2", "-f", "true", "-o", WORK / "nsys_range", *ranged])
        show("capture range: files of nsys's repeat:2", sorted(p.name for p in WORK.glob("nsys_range*")))
    for name, command in (("worker_fork", [python, SOURCES / "worker_fork.py"]),
                          ("two_ranks", [python, "-m", "torch.distributed.run", "--standalone",
                                         "--nproc-per-node", "2", SOURCES / "two_ranks.py"]),
                          ("no_gpu", [PROGRAMS / "no_gpu"]),
                          ("cuinit_only", [PROGRAMS / "cuinit_only"])):
        (status, out, err, _), path = under_prof(command, name)
        report = Report(path)
        pids = report.counts(KIND + "KERNEL", ["globalPid"])
        check(f"{name}: status", status == 0, status, 0 if status == 0 else err[-300:])
        show(f"{name}: processes with kernels, kernels", (len(pids), sum(pids.values())))
    sanitizer = ["compute-sanitizer", "--tool", "memcheck", PROGRAMS / "known_answer"]
    status, out, err, _ = under_prof(sanitizer, "sanitizer", timeout=60)[0]
    clean = any("ERROR SUMMARY: 0 errors" in line for line in (out + err).splitlines())
    check("compute-sanitizer under prof: clean", status == 0 and clean, status,
          0 if clean else (out + err)[-300:])


def price():
    """Interleaved with untraced, nsys and torch.profiler runs; ratios of one round to its untraced."""
    loop = [PROGRAMS / "launch_loop", "--batches", "100"]
    launch = interleaved(7, {
        "untraced": lambda: run(loop)[1],
        "prof": lambda: under_prof(loop, "loop")[0][1],
        "nsys": lambda: under_nsys(loop, "loop", export=False)[0][1] if NSYS else ""}, "ns_per_launch")
    for tool in ("prof", "nsys"):
        added = [round(b - a) for a, b in zip(launch["untraced"], launch[tool])]
        text = f"{sorted(added)}, median {statistics.median(added)}" if added else "no nsys"
        if tool == "prof":
            check("launch loop: ns added by prof", statistics.median(added) <= 900, text, "median <= 900")
        else:
            show("launch loop: ns added by nsys", text)
    show("launch loop: ns untraced", sorted(launch["untraced"]))
    resnet = [sys.executable, SOURCES / "resnet18.py", "--steps", "60", "--warmup", "15"]
    step = interleaved(5, {
        "untraced": lambda: run(resnet)[1],
        "prof": lambda: under_prof(resnet, "step")[0][1],
        "nsys": lambda: under_nsys(resnet, "step", export=False)[0][1] if NSYS else "",
        "torch": lambda: run([*resnet, "--profiler"])[1]}, "median_step_ms")
    show("ResNet-18 step, ms", {k: [round(x, 2) for x in v] for k, v in step.items()})
    ratios = {k: round(statistics.median(b / a for a, b in zip(step["untraced"], v)), 3)
              for k, v in step.items() if v}
    check("ResNet-18 step: x untraced", ratios["prof"] <= 1.15, ratios, "prof <= 1.15")
    more = interleaved(3, {
        "untraced": lambda: run(resnet)[1],
        "all APIs": lambda: under_prof(resnet, "step", "--cuda-trace-all-apis=true")[0][1],
        "no events": lambda: under_prof(resnet, "step", "--cuda-event-trace=false")[0][1],
        "cuda alone": lambda: under_prof(resnet, "step", trace="cuda")[0][1]}, "median_step_ms")
    show("ResNet-18 step: x untraced with other options",
         {k: round(statistics.median(b / a for a, b in zip(more["untraced"], v)), 3) for k, v in more.items()})
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


def interleaved(rounds, variants, key):
    """Runs the variants in turn, so that a slow phase of the machine meets all of them."""
    values = {name: [] for name in variants}
    for _ in range(rounds):
        for name, variant in variants.items():
            value = last_json(variant()).get(key)
            if value is not None:
                values[name].append(value)
    return values


SECTIONS = {"known": known, "events": events, "tools": tools, "programs": programs, "endings": endings,
            "others": others, "price": price}


def main():
    wanted = sys.argv[1:] or list(SECTIONS)
    unknown = [name for name in wanted if name not in SECTIONS]
    if unknown:
        sys.exit(__doc__)
    setup()
    for name in wanted:
        print(f"== {name}", flush=True)
        try:
            SECTIONS[name]()
        except Exception as error:  # a broken section must not hide the others
            check(f"section {name}", False, repr(error))
    return finish()


if __name__ == "__main__":
    sys.exit(main())
