#!/usr/bin/env python3
"""Makes the reports of a data-parallel training job, and a ledger of what is true of them (ledger.json).

The job is simulated forward: each rank loads data, launches kernels ahead of its GPU, and takes part in all-reduces of
one communicator, which end on all ranks together after the last one has arrived. The same options and seed make the
same run. The ledger has arrivals, last arrivers and waits of all all-reduces, the clocks, what was lost, the kernels
by name, and how long the job would take without the straggler: it is simulated again.

Usage: make_run.py RANKS EVENTS -o RUN/ [--seed 1] [--straggler 17:cpu:1.15] [--jitter 2%]
       [--clock 50ms:20ppm:step@0.5] [--lost 0.1%] [--missing 3] [--gpus-per-node 8]
"""
import argparse
import array
import json
import random
import sqlite3
from pathlib import Path

SCHEMA = Path(__file__).resolve().parents[2] / "common" / "report" / "schema"
TABLES = ("StringIds", "CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
          "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "NVTX_EVENTS", "OSRT_API", "PROCESSES", "ThreadNames", "PROF_RANKS",
          "PROF_CLOCKS", "TARGET_INFO_SYSTEM_ENV", "ANALYSIS_DETAILS", "TARGET_INFO_SESSION_START_TIME",
          "META_DATA_CAPTURE", "DIAGNOSTIC_EVENT")
KERNELS = 24  # of a step; an all-reduce follows each sixth
BUCKET = 6
LAYERS = [(f"void layer_{i}<float>(float *, const float *, int)", 6_000 + 3_500 * i) for i in range(8)]
ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096>)"
TRANSFER = 90_000
LAUNCH = 4_500
LOADING = 220_000
EVENTS_OF_STEP = 2 * KERNELS + 2 * (KERNELS // BUCKET) + 3  # launches, kernels, wait, loading, range
EPOCH = 1_790_000_000_000_000_000
JOB = "4711"
API, LAUNCH_NAME, SYNCHRONIZE, READ, STEP, THREAD_NAME, RECORD_EVENT, WAIT_EVENT = range(1, 9)
FIRST_KERNEL = 10
COMPUTE, NETWORK = 7, 14  # streams
STREAM_WAIT_EVENT = 2  # ENUM_CUPTI_SYNC_TYPE
ALL_REDUCE_ID = FIRST_KERNEL + len(LAYERS)
FLUSH = 20_000


def share(text):
    """0.02 for "2%"."""
    return float(text[:-1]) / 100 if text.endswith("%") else float(text)


def straggler(text):
    rank, kind, factor = text.split(":")
    if kind not in ("cpu", "gpu", "data"):
        raise argparse.ArgumentTypeError("a straggler is RANK:KIND:FACTOR, KIND is cpu, gpu or data")
    return int(rank), kind, float(factor)


def clock(text):
    """OFFSET[:DRIFT[:step@SHARE]]: the largest offset (ms) and drift (ppm) of a node, and when clocks are set."""
    parts = text.split(":")
    return {"offset": float(parts[0].removesuffix("ms")) * 1e6,
            "drift": float(parts[1].removesuffix("ppm")) / 1e6 if len(parts) > 1 else 0.0,
            "step": float(parts[2].removeprefix("step@")) if len(parts) > 2 else None}


class Job:
    """Simulates the job step by step. Times are true ns since the job began."""

    def __init__(self, options, fault):
        self.options = options
        self.fault = fault
        ranks = range(options.ranks)
        self.random = [random.Random(f"{options.seed}:{rank}") for rank in ranks]
        self.cpu = [self.random[rank].randrange(3_000_000) for rank in ranks]
        self.gpu = list(self.cpu)
        self.network = list(self.cpu)
        self.steps = max(1, options.events // EVENTS_OF_STEP)

    def time(self, rank, kind, usual):
        """A duration of this rank. The draw does not depend on the fault."""
        drawn = usual * max(0.2, self.random[rank].gauss(1, self.options.jitter))
        slow = self.fault and self.fault[0] == rank and self.fault[1] == kind
        return max(1, round(drawn * (self.fault[2] if slow else 1)))

    def call(self, rank, kind, usual):
        start = self.cpu[rank]
        self.cpu[rank] = start + self.time(rank, kind, usual)
        return start, self.cpu[rank]

    def step(self, number, sink):
        begins = list(self.cpu)
        for rank, begin in enumerate(begins):
            sink.loading(rank, *self.call(rank, "data", LOADING))
        for kernel in range(KERNELS):
            name, usual = kernel % len(LAYERS), LAYERS[kernel % len(LAYERS)][1]
            for rank in range(len(self.cpu)):
                launch = self.call(rank, "cpu", LAUNCH)
                start = max(self.gpu[rank], launch[1])
                self.gpu[rank] = start + self.time(rank, "gpu", usual)
                sink.kernel(rank, FIRST_KERNEL + name, launch, (start, self.gpu[rank]), COMPUTE)
            if kernel % BUCKET == BUCKET - 1:
                self.all_reduce(number, kernel // BUCKET, sink)
        for rank, begin in enumerate(begins):
            start = self.cpu[rank]
            self.cpu[rank] = max(self.gpu[rank], self.network[rank], start) + 3_000
            self.gpu[rank] = max(self.gpu[rank], self.network[rank])
            sink.wait(rank, start, self.cpu[rank])
            sink.step(rank, begin, self.cpu[rank])

    def all_reduce(self, step, index, sink):
        ranks = range(len(self.cpu))
        launches = [self.call(rank, "cpu", LAUNCH) for rank in ranks]
        arrivals = [max(launches[rank][1], self.gpu[rank], self.network[rank]) for rank in ranks]
        end = max(arrivals) + TRANSFER
        for rank in ranks:
            self.network[rank] = end
            sink.kernel(rank, ALL_REDUCE_ID, launches[rank], (arrivals[rank], end), NETWORK)
        sink.collective(step, index, arrivals, end)

    def run(self, sink):
        for number in range(self.steps):
            self.step(number, sink)
        return max(self.cpu)


class Nothing:
    """Keeps nothing of a simulation."""

    def __getattr__(self, _):
        return lambda *_: None


class Report:
    """One rank's report, on the clock of its node."""

    def __init__(self, path, rank, options, node):
        self.rank, self.node, self.options = rank, node, options
        self.random = random.Random(f"lost {options.seed}:{rank}")
        self.lost = 0
        self.process = (1 << 48) | (1000 + rank) << 24
        self.thread = self.process | (1000 + rank)
        self.correlation = 0
        self.waiting = {}
        self.count = 0
        self.database = sqlite3.connect(path, isolation_level=None)
        self.database.execute("PRAGMA synchronous = OFF")
        self.database.execute("BEGIN")
        for table in TABLES:
            self.database.executescript((SCHEMA / f"{table}.sql").read_text())
        self.database.execute("BEGIN")
        names = {0: "[Unknown]", LAUNCH_NAME: "cudaLaunchKernel_v7000", SYNCHRONIZE: "cudaStreamSynchronize_v3020",
                 READ: "read", STEP: "step", RECORD_EVENT: "cudaEventRecord_v3020",
                 WAIT_EVENT: "cudaStreamWaitEvent_v3020", THREAD_NAME: "train", ALL_REDUCE_ID: ALL_REDUCE}
        names |= {FIRST_KERNEL + i: name for i, (name, _) in enumerate(LAYERS)}
        for number, text in names.items():
            self.add("StringIds", id=number, value=text)

    def local(self, time):
        return round(time * (1 + self.node["drift"]))

    def add(self, table, **row):
        key = (table, *row)
        rows = self.waiting.get(key)
        if rows is None:
            rows = self.waiting[key] = []
        rows.append(tuple(row.values()))
        self.count += 1
        if self.count % FLUSH == 0:
            self.flush()

    def event(self, table, times, **row):
        """An event, which may be lost. Returns whether it was kept."""
        if self.options.lost and self.random.random() < self.options.lost:
            self.lost += 1
            return False
        self.add(table, start=self.local(times[0]), end=self.local(times[1]), **row)
        return True

    def api(self, name, times):
        self.correlation += 1
        self.event("CUPTI_ACTIVITY_KIND_RUNTIME", times, eventClass=0, globalTid=self.thread,
                   correlationId=self.correlation, nameId=name, returnValue=0)

    def wait_for_computing(self, time):
        """The stream of the network waits for what was launched on the other one."""
        where = {"deviceId": 0, "contextId": 1, "greenContextId": 0, "globalPid": self.process}
        self.api(RECORD_EVENT, (time, time + 1))
        event = self.correlation
        self.add("CUPTI_ACTIVITY_KIND_CUDA_EVENT", streamId=COMPUTE, correlationId=self.correlation, eventId=event,
                 eventSyncId=event, **where)
        self.api(WAIT_EVENT, (time + 1, time + 2))
        self.add("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", start=self.local(time), end=self.local(time), streamId=NETWORK,
                 correlationId=self.correlation, syncType=STREAM_WAIT_EVENT, eventId=event, eventSyncId=event, **where)

    def kernel(self, name, launch, times, stream):
        if stream == NETWORK:
            self.wait_for_computing(launch[0])
            launch = (launch[0] + 2, launch[1])
        self.api(LAUNCH_NAME, launch)
        return self.event(
            "CUPTI_ACTIVITY_KIND_KERNEL", times, deviceId=0, contextId=1, greenContextId=0, streamId=stream,
            correlationId=self.correlation, globalPid=self.process, demangledName=name, shortName=name,
            registersPerThread=32, gridX=64, gridY=1, gridZ=1, blockX=128, blockY=1, blockZ=1, staticSharedMemory=0,
            dynamicSharedMemory=0, localMemoryPerThread=0, localMemoryTotal=0, gridId=self.correlation)

    def flush(self):
        for (table, *columns), rows in self.waiting.items():
            places = ", ".join("?" * len(columns))
            self.database.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places})", rows)
            rows.clear()

    def close(self, end):
        self.add("PROCESSES", globalPid=self.process, pid=1000 + self.rank, name="/usr/bin/python3")
        self.add("ThreadNames", nameId=THREAD_NAME, priority=20, globalTid=self.thread)
        self.add("PROF_RANKS", globalPid=self.process, rank=self.rank, size=self.options.ranks,
                 localRank=self.rank % self.options.gpus_per_node, localSize=self.options.gpus_per_node,
                 nodeRank=self.rank // self.options.gpus_per_node, jobId=JOB, source="torchrun", precedence=0)
        self.add("TARGET_INFO_SYSTEM_ENV", globalVid=0, devStateName="Local (CLI)", name="Hostname", nameEnum=0,
                 value=self.node["name"])
        self.add("ANALYSIS_DETAILS", globalVid=0, duration=self.local(end), startTime=0, stopTime=self.local(end))
        self.add("TARGET_INFO_SESSION_START_TIME", utcEpochNs=EPOCH + round(self.node["offset"]), utcTime="",
                 localTime="")
        self.add("META_DATA_CAPTURE", name="COMMAND_LINE", value="made by make_run.py")
        if self.lost:
            self.add("DIAGNOSTIC_EVENT", timestamp=0, timestampType=1, source=1, severity=2,
                     text=f"{self.lost} events were dropped", globalPid=self.process)
        self.clocks(end)
        self.flush()
        self.database.execute("COMMIT")
        self.database.close()

    def clocks(self, end):
        for part in range(11):
            time = end * part // 10
            is_set = self.node["step_at"] is not None and time >= self.node["step_at"]
            raw = self.node["boot_time"] + self.local(time)
            real = EPOCH + time + round(0 if is_set else self.node["offset"])
            self.add("PROF_CLOCKS", time=self.local(time), monotonicRaw=raw, monotonic=raw, boottime=raw, realtime=real,
                     tai=real + 37_000_000_000, uncertainty=200, ntpOffset=0, ntpFrequency=0,
                     ntpMaxError=round(abs(self.node["offset"])) + 1_000_000, ntpEstimatedError=1_000_000, ntpStatus=0,
                     isSynchronized=1, bootId=self.node["boot"], namespaceShift=0)


class Run:
    """Writes what the simulation does: the reports and the ledger."""

    def __init__(self, options, nodes):
        self.options = options
        draw = random.Random(f"missing {options.seed}")
        self.missing = sorted(draw.sample(range(options.ranks), options.missing))
        self.reports = [None if rank in self.missing else
                        Report(options.output / f"rank_{rank}.db", rank, options, nodes[rank // options.gpus_per_node])
                        for rank in range(options.ranks)]
        self.collectives = []
        self.kernels = {}

    def kernel(self, rank, name, launch, times, stream):
        report = self.reports[rank]
        if report and report.kernel(name, launch, times, stream):
            values = self.kernels.setdefault(name, array.array("q"))
            values.append(report.local(times[1]) - report.local(times[0]))

    def loading(self, rank, start, end):
        report = self.reports[rank]
        if report:
            report.event("OSRT_API", (start, end), eventClass=27, globalTid=report.thread, nameId=READ,
                         returnValue=4096, nestingLevel=0, callchainId=0)

    def wait(self, rank, start, end):
        if self.reports[rank]:
            self.reports[rank].api(SYNCHRONIZE, (start, end))

    def step(self, rank, start, end):
        report = self.reports[rank]
        if report:
            report.event("NVTX_EVENTS", (start, end), eventType=59, globalTid=report.thread, textId=STEP, domainId=0)

    def collective(self, step, index, arrivals, end):
        last = max(arrivals)
        self.collectives.append({"step": step, "index": index, "arrivals": arrivals, "end": end,
                                 "last": arrivals.index(last)})

    def close(self, end):
        for report in self.reports:
            if report:
                report.close(end)

    def kernel_sums(self):
        names = {ALL_REDUCE_ID: ALL_REDUCE} | {FIRST_KERNEL + i: name for i, (name, _) in enumerate(LAYERS)}
        sums = {}
        for number, values in self.kernels.items():
            ordered = sorted(values)
            count = len(ordered)
            sums[names[number]] = {"count": count, "total": sum(ordered), "min": ordered[0], "max": ordered[-1],
                                   "median": (ordered[(count - 1) // 2] + ordered[count // 2]) / 2}
        return sums

    def waits(self):
        """ns in which each rank waited for the last one."""
        sums = [0] * self.options.ranks
        for each in self.collectives:
            last = each["arrivals"][each["last"]]
            for rank, arrival in enumerate(each["arrivals"]):
                sums[rank] += last - arrival
        return sums


def make_nodes(options):
    draw = random.Random(f"nodes {options.seed}")
    nodes = []
    for number in range(-(-options.ranks // options.gpus_per_node)):
        drift = draw.uniform(-1, 1) * options.clock["drift"]
        nodes.append({"name": f"node{number:04}", "boot": f"{draw.getrandbits(128):032x}", "drift": drift,
                      "boot_time": draw.randrange(10**12, 10**15),
                      "offset": draw.uniform(-1, 1) * options.clock["offset"], "step_at": None})
    return nodes


def make(options):
    options.output.mkdir(parents=True, exist_ok=True)
    for old in options.output.glob("rank_*.db"):
        old.unlink()
    without = Job(options, None).run(Nothing()) if options.straggler or options.clock["step"] is not None else None
    nodes = make_nodes(options)
    if options.clock["step"] is not None:
        for node in nodes:
            node["step_at"] = round(without * options.clock["step"])
    run = Run(options, nodes)
    job = Job(options, options.straggler)
    elapsed = job.run(run)
    run.close(elapsed)
    ledger = {
        "ranks": options.ranks, "steps": job.steps, "seed": options.seed, "straggler": options.straggler,
        "elapsed": elapsed, "gain_without_straggler": elapsed - without if options.straggler else 0, "missing": run.missing, "nodes": nodes,
        "lost": [report.lost if report else None for report in run.reports], "kernels": run.kernel_sums(),
        "waits": run.waits(), "collectives": run.collectives}
    (options.output / "ledger.json").write_text(json.dumps(ledger), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("ranks", type=int)
    parser.add_argument("events", type=int, help="of each rank")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--straggler", type=straggler, metavar="RANK:cpu|gpu|data:FACTOR")
    parser.add_argument("--jitter", type=share, default=0.02, help="standard deviation of durations (default: 2%%)")
    parser.add_argument("--clock", type=clock, default=clock("0ms"), metavar="OFFSET[:DRIFT[:step@SHARE]]")
    parser.add_argument("--lost", type=share, default=0.0, help="share of the events that are lost")
    parser.add_argument("--missing", type=int, default=0, help="number of ranks without a report")
    parser.add_argument("--gpus-per-node", type=int, default=8)
    make(parser.parse_args())


if __name__ == "__main__":
    main()
