#!/usr/bin/env python3
"""Makes reports of the traces that ByteDance published with "Understanding Stragglers in Large Model Training Using
What-if Analysis" (OSDI 2025; ByteDance-Seed/StragglerAnalysis), and asks prof for the slowdown by stragglers.

A worker is a rank. Its operations become kernels: computation on one stream, each kind of communication on another one,
with waits between the streams for what the trace's dependency model says. Sends and receives, gradients and parameters
become NCCL's messages and collective operations. A thread launches the kernels of a step at the step's start. The
model, the simulation and the true slowdown come from a checkout of their repository.

Usage: straggler_traces.py CHECKOUT [--trace AR] -o RUN/
The Python has pandas below 3, pyarrow, pyyaml, tqdm and ujson.
"""
import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import make_run
import yaml

PROF = os.environ.get("PROF", str(Path(__file__).resolve().parents[2] / "build" / "release" / "bin" / "prof"))
STREAMS = {"forward-send": 14, "forward-recv": 15, "backward-send": 16, "backward-recv": 17, "params-all-gather": 18}
COMPUTE = 7
RECORD, WAIT, NCCL, LAUNCH = 1000, 1001, 1002, 300
CALLS = {"send": "ncclSend", "recv": "ncclRecv", "all-gather": "ncclAllGather", "reduce-scatter": "ncclReduceScatter",
         "all-reduce": "ncclAllReduce", "clip": "ncclAllReduce"}
STREAM_WAIT_EVENT = 2  # ENUM_CUPTI_SYNC_TYPE
BETWEEN_STEPS = 100_000


class Worker(make_run.Report):
    """A worker's report."""

    def __init__(self, path, rank, options):
        node = {"name": "node", "boot": "0" * 32, "drift": 0, "boot_time": 1, "offset": 0, "step_at": None}
        super().__init__(path, rank, options, node)
        self.cpu = 0
        self.events = 0
        self.names = {}
        self.recorded = {}  # of this step: stream, event and end of each operation
        self.stream_ends = {}
        self.add("StringIds", id=RECORD, value="cudaEventRecord_v3020")
        self.add("StringIds", id=WAIT, value="cudaStreamWaitEvent_v3020")
        self.add("NVTX_EVENTS", start=0, eventType=75, text="NCCL", globalTid=self.thread, domainId=1)

    def name(self, text):
        if text not in self.names:
            self.names[text] = 2000 + len(self.names)
            self.add("StringIds", id=self.names[text], value=text)
        return self.names[text]

    def call(self, name):
        start, self.cpu = self.cpu, self.cpu + LAUNCH
        self.api(name, (start, self.cpu))
        return start, self.cpu

    def record(self, stream):
        """The event of what was launched on the stream so far."""
        self.call(RECORD)
        self.events += 1
        self.add("CUPTI_ACTIVITY_KIND_CUDA_EVENT", deviceId=0, contextId=1, greenContextId=0, streamId=stream,
                 correlationId=self.correlation, globalPid=self.process, eventId=self.events, eventSyncId=self.events)
        return self.events

    def wait(self, stream, event):
        start, end = self.call(WAIT)
        self.add("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", start=start, end=end, deviceId=0, contextId=1, greenContextId=0,
                 streamId=stream, correlationId=self.correlation, globalPid=self.process,
                 syncType=STREAM_WAIT_EVENT, eventId=event, eventSyncId=event)

    def nccl(self, function, fields, start, end):
        self.add("NVTX_EVENTS", start=start, end=end, eventType=59, text=function, globalTid=self.thread, domainId=1,
                 jsonText=json.dumps(fields))


class Trace:
    """One trace, simulated without launch delays: their slowdown is of that. Some delays are waits for operations that
    were not recorded."""

    def __init__(self, checkout, name):
        sys.path[:0] = [str(checkout), str(checkout / "analyzer")]
        from analyzer import metatypes, simulator, wia  # pylint: disable=import-outside-toplevel
        meta = metatypes.JobMeta(**yaml.safe_load((checkout / "data" / f"meta-{name}.yaml").read_text()))
        self.pipeline = meta.pp_size
        self.waits, groups, numbers, shared, rows = wia.parse_trace(meta, checkout / "data" / f"trace-{name}.parquet")
        rows["launch_delay"] = 0.0
        rows, _ = simulator.simulate(self.waits, groups, numbers, shared, rows)
        rows["op"] = rows["op"].astype(str)
        rows["optype"] = rows["optype"].astype(str)
        self.workers = int(rows["dp_rank"].max() + 1) * self.pipeline
        self.partners = {op: len(group) for group in groups for op in group}
        self.steps = [step for _, step in rows.sort_values(["start_ts", "end_ts"], kind="stable").groupby("step")]
        self.true = json.loads((checkout / "data" / f"result-{name}.json").read_text())["blocking_slowdown"]

    def worker(self, row):
        return row.dp_rank * self.pipeline + row.stage


def communicator(row, pipeline, partners):
    """Name, communicator, own rank in it and peer of an operation; nothing if it is computation."""
    kind = next((text for text in CALLS if text in row.optype), None)
    if kind in ("send", "recv") and partners.get(row.op) == 2:
        ahead = (row.optype in ("forward-send", "backward-recv"))
        peer = (row.stage + (1 if ahead else -1)) % pipeline
        number = 1000 + row.dp_rank * 10 + (0 if row.optype.startswith("forward") else 1)
        return CALLS[kind], number, row.stage, peer
    if kind in ("all-gather", "reduce-scatter"):
        return CALLS[kind], 100 + row.stage, row.dp_rank, None
    if row.optype.startswith("embedding") and partners.get(row.op) == 2:
        return CALLS[kind], 500 + row.dp_rank, min(row.stage, 1), None
    if kind == "clip":
        return CALLS[kind], 900, row.dp_rank * pipeline + row.stage, None
    return None


class Writer:
    """Writes the reports of a trace."""

    def __init__(self, trace, folder):
        self.trace = trace
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("rank_*.db"):
            old.unlink()
        options = argparse.Namespace(seed=1, lost=0, ranks=trace.workers, gpus_per_node=trace.workers)
        self.workers = [Worker(folder / f"rank_{rank}.db", rank, options) for rank in range(trace.workers)]
        self.members = set()
        self.time = 1_000_000

    def run(self):
        for step in self.trace.steps:
            begins = [self.time] * len(self.workers)
            for worker in self.workers:
                worker.cpu = self.time
                worker.recorded = {}
                worker.call(make_run.API)
            base, end = self.time + BETWEEN_STEPS, self.time
            for row in step.itertuples():
                end = max(end, self.operation(row, base))
            self.time = end + BETWEEN_STEPS
            for worker, begin in zip(self.workers, begins):
                worker.api(make_run.SYNCHRONIZE, (worker.cpu, end + 10_000))
                worker.event("NVTX_EVENTS", (begin, end + 20_000), eventType=59, globalTid=worker.thread,
                             textId=make_run.STEP, domainId=0)
        for worker in self.workers:
            worker.close(self.time)

    def operation(self, row, base):
        """Launches an operation, and returns when it ends."""
        worker = self.workers[self.trace.worker(row)]
        start = base + round(float(row.start_ts) * 1e9)
        end = base + round(float(row.end_ts) * 1e9)
        stream = STREAMS.get(row.optype, COMPUTE)
        awaited = self.trace.waits.get(row.op, [])
        for each in awaited:
            other, event, _ = worker.recorded.get(each, (stream, None, 0))
            if other != stream:
                worker.wait(stream, event)
        # The trace has single precision: some operations begin up to 0.1 ms before what they wait for has ended.
        ends = [worker.recorded[each][2] for each in awaited if each in worker.recorded]
        start = max([start, worker.stream_ends.get(stream, 0), *ends]) + stream  # no two kernels start in one ns
        end = worker.stream_ends[stream] = max(end, start + 1)
        of = communicator(row, self.trace.pipeline, self.trace.partners)
        begin = worker.cpu
        name = worker.name(f"ncclDevKernel_{row.optype}()" if of else row.optype)
        launch = (worker.cpu, worker.cpu + LAUNCH)
        worker.cpu = launch[1]
        worker.kernel(name, launch, (start, end), stream)
        if of:
            self.payload(worker, of, begin)
        worker.recorded[row.op] = (stream, worker.record(stream), end)
        return end

    def ranks_of(self, communicator_number):
        if communicator_number < 500:
            return self.trace.workers // self.trace.pipeline
        if communicator_number < 900:
            return 2
        return self.trace.workers if communicator_number == 900 else self.trace.pipeline

    def payload(self, worker, of, begin):
        function, number, own, peer = of
        fields = {"NCCL communicator ID": number}
        if (worker.rank, number) not in self.members:
            self.members.add((worker.rank, number))
            worker.nccl("ncclCommInitRank", fields | {"No. of ranks": self.ranks_of(number), "Rank": int(own)}, 0, 1)
        fields["Message size [bytes]"] = 1 << 20
        if peer is not None:
            fields["Peer rank"] = int(peer)
        worker.nccl(function, fields, begin, worker.cpu)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--trace", default="AR", choices=("AR", "SE", "ST"))
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    trace = Trace(options.checkout, options.trace)
    Writer(trace, options.output).run()
    print(f"slowdown by stragglers, as published: {trace.true:.3f}")
    subprocess.run([PROF, "stats", "-q", "-r", "what_if:stragglers=mean", options.output], check=True)


if __name__ == "__main__":
    main()
