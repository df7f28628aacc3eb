"""A made-up report of a program on CPUs: threads that run, wait in calls, and are sampled. Times are in ns."""
from made_up_report import PROCESS, THREAD, MadeUpReport
from profiling import SOURCE

US, MS = 1_000, 1_000_000
TABLES = ("StringIds", "SCHED_EVENTS", "OSRT_API", "OSRT_CALLCHAINS", "ThreadNames", "PROCESSES", "ANALYSIS_DETAILS",
          "META_DATA_CAPTURE", "PROF_PYTHON_SAMPLES", "PROF_PYTHON_CALLCHAINS", "COMPOSITE_EVENTS", "SAMPLING_CALLCHAINS")
RUNS, ENDS, WAITS = 0, 5, 7


class Threads(MadeUpReport):
    """Methods are about `thread`, at `now`."""

    def __init__(self, path, process="/usr/bin/app"):
        super().__init__(path, "".join((SOURCE / f"common/report/schema/{table}.sql").read_text() for table in TABLES))
        self.insert("PROCESSES", PROCESS, PROCESS >> 24 & 0xffffff, process)
        self.now, self.thread = 0, THREAD
        self.chains, self.samples, self.end = 0, 0, 0
        self.begin(THREAD, "main")

    def begin(self, thread, name):
        self.thread = thread
        self.insert("ThreadNames", self.string(name), 20, thread)
        self.switch(True, RUNS)

    def switch(self, runs, state):
        self.insert("SCHED_EVENTS", self.now, 0, int(runs), self.thread, state, None)

    def python_runs(self, duration, frames):
        """frames: (function, file, line), innermost first."""
        if self.chains == 0:
            self.insert("META_DATA_CAPTURE", "PYTHON_SAMPLING_OPTIONS:FREQUENCY", "1000")
        self.chains += 1
        for depth, (function, file, line) in enumerate(frames):
            self.insert("PROF_PYTHON_CALLCHAINS", self.chains, self.string(function), self.string(f"{file}:{line}"), 0, depth, line)
        for at in range(self.now + MS, self.now + duration + 1, MS):
            self.insert("PROF_PYTHON_SAMPLES", at, self.thread, self.chains)
        self.now += duration

    def native_runs(self, duration, functions):
        """functions of /usr/bin/app, innermost first."""
        if self.samples == 0:
            self.insert("META_DATA_CAPTURE", "LINUX_PERF_OPTIONS:SAMPLING_PERIOD", str(MS))
            self.insert("META_DATA_CAPTURE", "LINUX_PERF_OPTIONS:CPU_IP_TRIGGER_TYPE", "Software")
        for at in range(self.now + MS, self.now + duration + 1, MS):
            self.samples += 1
            self.insert("COMPOSITE_EVENTS", self.samples, at, 0, 1, self.thread, 1, 0)
            for depth, function in enumerate(functions):
                self.insert("SAMPLING_CALLCHAINS", self.samples, self.string(function), self.string("/usr/bin/app"), 0, None,
                            None, None, 4096 + depth, 7, depth, None)
        self.now += duration

    def runs(self, duration):
        self.now += duration

    def call(self, name, duration, result=0, waits=True):
        if waits:
            self.switch(False, WAITS)
        self.insert("OSRT_API", self.now, self.now + duration, 27, self.thread, self.string(name), result, 0, 0)
        self.now += duration
        if waits:
            self.switch(True, RUNS)

    def ends(self):
        self.switch(False, ENDS)
        self.end = max(self.end, self.now)

    def done(self):
        self.insert("ANALYSIS_DETAILS", 0, self.end, 0, self.end)
        return super().done()
