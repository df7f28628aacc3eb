"""Compares a report with the program's own counts and with nsys's report."""
import csv
import io
import os
import statistics

from suite import (KIND, NSYS, PROF, PROGRAMS, Report, check, close, last_json, run, show,
                   under_nsys, under_prof)

COPIES = {1: "HtoD", 2: "DtoH", 8: "DtoD", 9: "HtoH"}
SYNCS = {1: "event", 2: "stream_wait_event", 3: "stream", 4: "device"}


def known():
    """Counts and names, compared with the program's and nsys's."""
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
    # CUPTI counts a query of an event as a wait for it, and so does nsys.
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
    # nsys drops the wait of cudaDeviceSynchronize and gives that of a stream the type 2.
    waits = theirs.counts(KIND + "SYNCHRONIZATION", ["CASE WHEN syncType = 2 AND eventId = 4294967295 "
                                                     "THEN 3 ELSE syncType END"])
    mine = ours.counts(KIND + "SYNCHRONIZATION", ["syncType"])
    check("like nsys: synchronizations but of the device", {**mine, 4: 0} == {**waits, 4: 0},
          dict(mine), dict(waits))
    gpu = [theirs.rows("SELECT * FROM TARGET_INFO_GPU"), ours.rows("SELECT * FROM TARGET_INFO_GPU")]
    check("like nsys: TARGET_INFO_GPU", gpu[0] == gpu[1], gpu[1], "" if gpu[0] == gpu[1] else gpu[0])
    # Many rounds, because the kernels of one round take 0.15 ms together and vary by more than 2 % between
    # runs. The copies vary by 5 % between runs (pageable memory), so the median of seven is used.
    program += ["--scale", "50"]
    times = {"KERNEL": ([], []), "MEMCPY": ([], [])}
    for _ in range(7):
        reports = [Report(under(program, "scaled")[1]) for under in (under_prof, under_nsys)]
        for table, both in times.items():
            for report, totals in zip(reports, both):
                totals.append(report.total(KIND + table, "copyKind <> 9" if table == "MEMCPY" else "1"))
    for table, (ours, theirs) in times.items():
        show(f"time of all {table.lower()}s, ns: ours, nsys's", (ours, theirs))
        close(f"like nsys: time of all {table.lower()}s, medians of 7", statistics.median(ours),
              statistics.median(theirs), 0.02)


def events():
    """The event, its recording and the stream of each wait, made from API calls. nsys gets them from CUPTI."""
    program = [PROGRAMS / "event_calls"]
    (status, _, err, _), path = under_prof(program, "events")
    check("events: exit status under prof", status == 0, status, 0 if status == 0 else err[-300:])
    if not NSYS:
        return
    ours = Report(path)
    theirs = Report(under_nsys(program, "events", "--cuda-event-trace=true")[1])
    place = ["deviceId", "contextId", "streamId", "eventId", "eventSyncId"]
    # nsys drops the wait of cudaDeviceSynchronize and gives that of a stream the type 2.
    kind = "CASE WHEN syncType = 2 AND eventId = 4294967295 THEN 3 ELSE syncType END"
    for title, table, columns in (("waits", "SYNCHRONIZATION", [kind, *place]),
                                  ("recordings", "CUDA_EVENT", place)):
        mine, other = (type(rows)({key: n for key, n in rows.items() if key[0] != 4 or table == "CUDA_EVENT"})
                       for rows in (r.counts(KIND + table, columns) for r in (ours, theirs)))
        check(f"events: {title} like nsys", mine == other and mine, sum(mine.values()),
              sum(other.values()) if mine == other else f"{mine - other} / {other - mine}")


def names():
    """The names that event_calls gives to its device, context and streams."""
    if not NSYS:
        return
    program = [PROGRAMS / "event_calls"]
    ours, theirs = (Report(under(program, "names")[1]) for under in (under_prof, under_nsys))
    for kind, columns in (("DEVICE", ["name", "deviceId"]), ("CONTEXT", ["name", "deviceId", "contextId"]),
                          ("STREAM", ["name", "deviceId", "contextId", "streamId"])):
        mine, other = (r.counts(f"TARGET_INFO_NVTX_CUDA_{kind}", columns) for r in (ours, theirs))
        mine = type(mine)({key: n for key, n in mine.items() if key[0] != "the default stream"})
        check(f"names: {kind.lower()}s like nsys (which leaves out the default stream's)", mine == other and mine, dict(mine), dict(other))


STATISTICS_OF_RANGES = ("nvtx_sum", "nvtx_pushpop_sum", "nvtx_startend_sum", "nvtx_pushpop_trace", "nvtx_gpu_proj_sum",
                        "nvtx_gpu_proj_trace", "nvtx_kern_sum")


def ranges():
    """Nested and open ranges: statistics of one report equal nsys's, and both recorders see the same tree."""
    program = [PROGRAMS / "nested_ranges"]
    (_, out, _, _), mine = under_prof(program, "ranges")
    truth = last_json(out)
    counts = Report(mine).counts("NVTX_EVENTS", ["eventType"])
    seen = {"kernels": sum(Report(mine).counts(KIND + "KERNEL", ["deviceId"]).values()),
            "pushed": counts[59], "started": counts[60]}
    check("ranges: kernels and ranges of each kind", seen == truth, seen, truth)
    if not NSYS:
        return
    _, theirs = under_nsys(program, "ranges")
    for name in STATISTICS_OF_RANGES:
        tables = [run([tool, "stats", "-q", "-r", name, "-f", "csv", theirs])[1].strip() for tool in (PROF, NSYS)]
        check(f"ranges: {name} of nsys's report", tables[0] == tables[1] != "", "the same" if tables[0] == tables[1] else tables[0],
              tables[1] if tables[0] != tables[1] else "")
    trees = []
    for report in (mine, theirs):
        rows = list(csv.DictReader(io.StringIO(run([PROF, "stats", "-q", "-r", "nvtx_gpu_proj_trace", "-f", "csv", report])[1])))
        trees.append(sorted(tuple(row[key] for key in ("Name", "Style", "NumGPUOps", "Lvl", "NumChild")) for row in rows))
    check("ranges: the projected tree", trees[0] == trees[1], trees[0], trees[1] if trees[0] != trees[1] else "")


def graph_nodes():
    """known_answer with its graphs node by node."""
    if not NSYS:
        return
    program, option = [PROGRAMS / "known_answer"], "--cuda-graph-trace=node"
    ours, theirs = (Report(under(program, "nodes", option)[1]) for under in (under_prof, under_nsys))
    for title, table, columns in (
            ("kernels", "KERNEL", ["StringIds:shortName", "t.graphNodeId IS NULL"]),
            ("copies", "MEMCPY", ["copyKind", "bytes", "t.graphNodeId IS NULL"]),
            ("memsets", "MEMSET", ["value", "bytes", "t.graphNodeId IS NULL"])):
        mine, other = (r.counts(KIND + table, columns) for r in (ours, theirs))
        mine = type(mine)({key: n for key, n in mine.items() if table != "MEMCPY" or key[0] != 9})
        check(f"graph nodes: {title} like nsys", mine == other and mine, sum(mine.values()),
              sum(other.values()) if mine == other else f"{mine - other} / {other - mine}")
    mine, other = (r.counts("CUDA_GRAPH_NODE_EVENTS", ["StringIds:nameId"]) for r in (ours, theirs))
    check("graph nodes: made and cloned like nsys", mine == other and mine, dict(mine), dict(other))


def table(text):
    return list(csv.DictReader(io.StringIO(text[text.find("Time (%)") if "Time (%)" in text
                                                else text.find("Total (MB)"):].strip())))


def tools():
    """nsys's own stats and analyze on prof's report, compared with prof stats."""
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


def gpus():
    """Two GPUs in a process, and one that is hidden from it."""
    _, listed, _, _ = run(["nvidia-smi", "-L"])
    if len(listed.splitlines()) < 2:
        show("several GPUs", "only one here")
        return
    (status, out, err, _), path = under_prof([PROGRAMS / "two_gpus"], "two_gpus")
    check("two GPUs: exit status under prof", status == 0, status, 0 if status == 0 else err[-300:])
    ours = Report(path)
    kernels = {str(device): n for device, n in ours.counts(KIND + "KERNEL", ["deviceId"]).items()}
    check("two GPUs: kernels", kernels == last_json(out)["kernels"], kernels, last_json(out)["kernels"])
    check("two GPUs: GPU work without its API call", ours.orphans() == 0, ours.orphans(), 0)
    if not NSYS:
        return
    compare_gpus("two GPUs", ours, Report(under_nsys([PROGRAMS / "two_gpus"], "two_gpus")[1]))
    hidden = {**os.environ, "CUDA_VISIBLE_DEVICES": "1"}
    one = [PROGRAMS / "known_answer"]
    ours, theirs = (Report(under(one, "hidden", env=hidden)[1]) for under in (under_prof, under_nsys))
    mine = ours.rows("SELECT id, busLocation, uuid, cuDevice FROM TARGET_INFO_GPU")
    wanted = theirs.rows("SELECT g.id, busLocation, uuid, cuDevice FROM TARGET_INFO_GPU g "
                         "JOIN TARGET_INFO_CUDA_DEVICE d ON d.gpuId = g.id WHERE d.cudaId = 0")
    check("CUDA_VISIBLE_DEVICES=1: the GPU of device 0", mine == wanted, mine, wanted)


def compare_gpus(title, ours, theirs):
    for table, columns in (
            ("MEMCPY", ["copyKind", "srcKind", "dstKind", "bytes", "deviceId", "contextId", "srcDeviceId",
                        "srcContextId", "dstDeviceId", "dstContextId"]),
            ("KERNEL", ["StringIds:shortName", "deviceId", "contextId", "streamId"])):
        mine, other = (r.counts(KIND + table, columns) for r in (ours, theirs))
        check(f"{title}: {table} like nsys", mine == other, dict(mine),
              sum(other.values()) if mine == other else dict(other))
    for table, columns in (("TARGET_INFO_GPU", ["id", "busLocation", "uuid", "cuDevice"]),
                           ("TARGET_INFO_CUDA_DEVICE", ["gpuId", "cudaId"])):
        mine, other = ours.counts(table, columns), theirs.counts(table, columns)
        check(f"{title}: {table} like nsys", mine == other, sum(mine.values()),
              sum(other.values()) if mine == other else f"{mine - other} / {other - mine}")
