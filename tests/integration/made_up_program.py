"""A made-up program: one thread that launches work on made-up GPUs, and the report of its run.

Time passes as in a real program: a call takes time of the thread, launched work waits for its stream,
and a synchronization waits for the GPU. All times are in ns.
"""
import contextlib
import itertools
import json

from made_up_report import SCHEMA, THREAD, MadeUpReport

US, MS = 1_000, 1_000_000
H2D, D2H = 1, 2
PAGEABLE, PINNED, DEVICE = 0, 1, 2
MULTIPROCESSORS = 132

TABLES = """
    ALTER TABLE NVTX_EVENTS ADD COLUMN jsonText;
    CREATE TABLE OSRT_API (start, end, eventClass, globalTid, nameId);
    CREATE TABLE PROFILER_OVERHEAD (start, end, globalTid);
    CREATE TABLE PROF_PYTHON_SAMPLES (start, globalTid, callchainId);
    CREATE TABLE PROF_PYTHON_CALLCHAINS (id, symbol, module, unresolved, stackDepth, line);
    CREATE TABLE META_DATA_CAPTURE (name, value);
    CREATE TABLE TARGET_INFO_GPU (id, cuDevice, smCount, computeMajor, computeMinor, threadsPerWarp, maxWarpsPerSm,
      maxBlocksPerSm, maxRegistersPerSm, maxShmemPerSm);
    CREATE TABLE TARGET_INFO_GPU_METRICS (typeId, sourceId, typeName, metricId, metricName);
    CREATE TABLE GPU_METRICS (rawTimestamp, timestamp, typeId, metricId, value);
    CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid, devStateName, name, nameEnum, value);
    CREATE TABLE GENERIC_EVENT_TYPES (typeId, nameId);
    CREATE TABLE GENERIC_EVENT_TYPE_FIELDS (typeId, fieldIdx, fieldNameId, unit);
    CREATE TABLE GENERIC_EVENTS (genericEventId INTEGER PRIMARY KEY, timestamp, typeId);
    CREATE TABLE GENERIC_EVENT_DATA (genericEventId, fieldIdx, intVal, uintVal, floatVal, doubleVal);
"""
# With the names that nsys gives them on a GH100.
METRICS = ("GR Active", "SMs Active", "Tensor Active", "Compute Warps in Flight", "DRAM Read Bandwidth",
           "DRAM Write Bandwidth", "PCIe RX Throughput", "NVLink RX Responses User Data")
METRIC_PERIOD = 100 * US


class Program(MadeUpReport):
    LAUNCH = 5 * US    # duration of a launching call
    LATENCY = 2 * US   # from the end of a call to the start of its work

    def __init__(self, path, device=0):
        super().__init__(path, SCHEMA + TABLES)
        self.device = device
        self.insert("TARGET_INFO_GPU", device, device, MULTIPROCESSORS, 9, 0, 32, 64, 32, 65536, 233472)
        self.now = 1 * MS
        self.thread = THREAD
        self.chains = {}
        self.ready = {}  # for each stream, the time when its work is done
        self.gpu_work = []  # (start, end, name) of kernels; copies have the name "copy"
        self.correlations = itertools.count(1)
        self.counter_groups = itertools.count(1 << 50)
        self.counter_events = itertools.count(1)

    # --- the thread

    def compute(self, duration):
        self.now += duration

    def call(self, name, duration=LAUNCH):
        correlation = next(self.correlations)
        self.insert("CUPTI_ACTIVITY_KIND_RUNTIME", self.now, self.now + duration, 0, self.thread, correlation,
                    self.string(name), 0)
        self.now += duration
        return correlation

    def os_call(self, name, duration):
        self.insert("OSRT_API", self.now, self.now + duration, 27, self.thread, self.string(name))
        self.now += duration

    @contextlib.contextmanager
    def range(self, name, domain=0, payload=None):
        start = self.now
        yield
        self.insert("NVTX_EVENTS", start, self.now, 59, name, None, self.thread, domain,
                    json.dumps(payload) if payload else None)

    def open_range(self, name):
        """It never ends."""
        self.insert("NVTX_EVENTS", self.now, None, 59, name, None, self.thread, 0, None)

    def communicator(self, ranks):
        """Makes NCCL's communicator of the thread's process."""
        self.insert("NVTX_EVENTS", self.now, None, 75, "NCCL", None, self.thread, 1, None)
        with self.range("ncclCommInitRankConfig", 1, {"NCCL communicator ID": 7, "No. of ranks": ranks}):
            self.now += US

    def all_reduce(self, size, duration, name="AllReduce", stream=7):
        with self.range(f"nccl{name}", 1, {"NCCL communicator ID": 7, "Message size [bytes]": size}):
            self.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", duration, blocks=24, stream=stream)

    @contextlib.contextmanager
    def process(self, pid):
        """What is done inside is done by the main thread of this process."""
        thread, now = self.thread, self.now
        self.thread = 1 << 48 | pid << 24 | pid
        yield
        self.thread, self.now = thread, now

    def python_samples(self, frames, duration):
        """The thread runs Python code: frames are (function, file, line), innermost first."""
        if not self.chains:
            self.insert("META_DATA_CAPTURE", "PYTHON_SAMPLING_OPTIONS:FREQUENCY", "1000")
        key = tuple(frames)
        if key not in self.chains:
            self.chains[key] = len(self.chains) + 1
            for depth, (function, file, line) in enumerate(frames):
                self.insert("PROF_PYTHON_CALLCHAINS", self.chains[key], self.string(function),
                            self.string(f"{file}:{line}"), 0, depth, line)
        for at in range(self.now + MS, self.now + duration + 1, MS):
            self.insert("PROF_PYTHON_SAMPLES", at, self.thread, self.chains[key])
        self.now += duration

    # --- the GPU

    def work(self, duration, stream, name="copy"):
        start = max(self.now + self.LATENCY, self.ready.get(stream, 0))
        self.ready[stream] = start + duration
        self.gpu_work.append((start, start + duration, name))
        return start, start + duration

    def kernel(self, name, duration, blocks=2 * MULTIPROCESSORS, stream=7, call="cudaLaunchKernel_v7000",
               took=LAUNCH):
        correlation = self.call(call, took)
        self.insert("CUPTI_ACTIVITY_KIND_KERNEL", *self.work(duration, stream, name), self.device, 1, stream,
                    correlation, self.thread & ~0xffffff, self.string(name), self.string(name.split("(")[0]), blocks, 1, 1, 256, 1, 1, 32, 0, 0)

    def graph(self, kernels, gap):
        """Launches a CUDA graph. Its nodes are kernels (name, duration), each `gap` after the one before it."""
        correlation = self.call("cudaGraphLaunch_v10000")
        for name, duration in kernels:
            self.insert("CUPTI_ACTIVITY_KIND_KERNEL", *self.work(duration, 7, name), self.device, 1, 7, correlation,
                        self.thread & ~0xffffff, self.string(name), self.string(name), 2 * MULTIPROCESSORS, 1, 1, 256, 1, 1, 32, 0, 0)
            self.ready[7] += gap

    def copy(self, size, duration, kind=H2D, memory=PINNED, stream=7, call="cudaMemcpyAsync_v3020"):
        correlation = self.call(call)
        sides = (memory, DEVICE) if kind == H2D else (DEVICE, memory)
        self.insert("CUPTI_ACTIVITY_KIND_MEMCPY", *self.work(duration, stream), self.device, 1, stream, correlation,
                    self.thread & ~0xffffff, size, kind, *sides)

    def pageable_copy(self, size, duration, kind=H2D, stream=7):
        """The call returns when the copy is done."""
        correlation = next(self.correlations)
        start = self.now
        begin, end = self.work(duration, stream)
        self.insert("CUPTI_ACTIVITY_KIND_RUNTIME", start, end + self.LATENCY, 0, self.thread, correlation,
                    self.string("cudaMemcpy_v3020"), 0)
        self.now = end + self.LATENCY
        sides = (PAGEABLE, DEVICE) if kind == H2D else (DEVICE, PAGEABLE)
        self.insert("CUPTI_ACTIVITY_KIND_MEMCPY", begin, end, self.device, 1, stream, correlation, self.thread & ~0xffffff, size, kind,
                    *sides)

    def synchronize(self, name="cudaDeviceSynchronize_v3020"):
        wait = max([self.now, *self.ready.values()]) - self.now
        self.call(name, wait + 5 * US)

    def overhead(self, start, end):
        self.insert("PROFILER_OVERHEAD", start, end, THREAD)

    def sample_metrics(self, loads, unknown=None, period=METRIC_PERIOD):
        """Samples the GPU's metrics from 0 until now, each `period` ns. loads[name]: percents by metric while the work of this name
        runs. `unknown`: times (start, end) in which somebody else keeps the GPU busy."""
        type_id = 1 << 48 | self.device
        for number, name in enumerate(METRICS):
            self.insert("TARGET_INFO_GPU_METRICS", type_id, 1, "", number, f"{name} [Throughput %]")
        works = sorted(self.gpu_work + [(start, end, None) for start, end in unknown or ()])
        for start in range(0, self.now, period):
            end = start + period
            values = dict.fromkeys(METRICS, 0)
            while works and works[0][1] <= start:
                works.pop(0)
            for begin, finish, name in works:
                if begin >= end:
                    break
                part = (min(finish, end) - max(begin, start)) / period
                for metric, percent in {"GR Active": 100, **loads.get(name, {})}.items():
                    values[metric] += percent * max(0, part)
            for number, metric in enumerate(METRICS):
                self.insert("GPU_METRICS", start, start, type_id, number, round(values[metric]))

    def sample_counters(self, group, counters, samples):
        """Counters of prof profile --enable. counters: {name: unit}; samples: (time, {name: value})."""
        type_id = next(self.counter_groups)
        self.insert("GENERIC_EVENT_TYPES", type_id, self.string(group))
        for index, (name, unit) in enumerate(counters.items()):
            self.insert("GENERIC_EVENT_TYPE_FIELDS", type_id, index, self.string(name), unit)
        for time, values in samples:
            event = next(self.counter_events)
            self.insert("GENERIC_EVENTS", event, time, type_id)
            for name, value in values.items():
                self.insert("GENERIC_EVENT_DATA", event, list(counters).index(name), None, None, None, value)
