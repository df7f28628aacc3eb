"""Two made-up reports for prof diff, and what it prints about them."""
import csv
import io

import pytest
from made_up_report import PROCESS, THREAD, MadeUpReport
from profiling import prof

H2D, D2H = 1, 2

# Tables as in 2021, only with the columns that prof diff reads.
SCHEMA = """
    CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL UNIQUE);
    CREATE TABLE ANALYSIS_DETAILS (duration);
    CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid, nameId);
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, globalPid, demangledName, shortName);
    CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, globalPid, copyKind);
    CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start, end, deviceId, globalPid);
    CREATE TABLE NVTX_EVENTS (start, end, eventType, text, textId, globalTid, domainId);
    CREATE TABLE OSRT_API (start, end, eventClass, nameId);
"""


class MadeUp(MadeUpReport):
    def __init__(self, path, duration):
        super().__init__(path, SCHEMA, isolation_level=None)
        self.insert("ANALYSIS_DETAILS", duration)
        self.insert("NVTX_EVENTS", 0, None, 75, "train", None, THREAD, 1)
        self.now = 1000

    def time(self, duration):
        """Events follow each other without gaps."""
        self.now += duration + 1
        return self.now - duration, self.now

    def kernel(self, name, duration, times=1):
        for _ in range(times):
            self.insert("CUPTI_ACTIVITY_KIND_KERNEL", *self.time(duration), 0, PROCESS, self.string(name),
                        self.string(name.split("<")[0]))

    def copy(self, kind, duration):
        self.insert("CUPTI_ACTIVITY_KIND_MEMCPY", *self.time(duration), 0, PROCESS, kind)

    def fill(self, duration):
        self.insert("CUPTI_ACTIVITY_KIND_MEMSET", *self.time(duration), 0, PROCESS)

    def call(self, name, duration, event_class=0):
        self.insert("CUPTI_ACTIVITY_KIND_RUNTIME", *self.time(duration), event_class, THREAD, self.string(name))

    def range(self, text, duration, domain=0):
        self.insert("NVTX_EVENTS", *self.time(duration), 59, text, None, THREAD, domain)

    def osrt(self, name, duration, event_class=27):
        self.insert("OSRT_API", *self.time(duration), event_class, self.string(name))

    def drop(self, *tables):
        for table in tables:
            self.database.execute(f"DROP TABLE {table}")


@pytest.fixture
def pair(tmp_path):
    """Two reports with a different change in each category."""
    before, after = MadeUp(tmp_path / "before.db", 100_000), MadeUp(tmp_path / "after.db", 120_000)
    after.string("ids of strings differ between reports")
    before.kernel("gemm<float>", 5000, times=2)
    after.kernel("gemm<float>", 4000, times=2)
    before.kernel("gone<int>", 700)
    after.kernel("fused<half>", 3000, times=3)
    for report in (before, after):
        report.kernel("same<int>", 100)
    before.kernel("steady", 10_000)
    after.kernel("steady", 10_099)
    before.copy(H2D, 400)
    after.copy(H2D, 800)
    before.fill(50)
    after.fill(60)
    before.call("cudaLaunchKernel_v7000", 20)
    after.call("cudaLaunchKernel_v11060", 20)  # five digits are kept, as in nsys
    after.call("cudaLaunchKernel_v7000", 25)
    after.call("cudaLaunchKernel_v7000", 1_000_000, event_class=67)
    before.range("step", 600, domain=1)
    after.range("step", 900, domain=1)
    before.range("step", 40)
    after.range("step", 10)
    before.osrt("read", 33)
    after.osrt("poll", 2_000)
    after.osrt("trace", 1_000_000, event_class=31)
    return before, after


def diff(pair, *options):
    done = prof("diff", *options, *(report.path for report in pair))
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


def changes(pair, *options):
    """The second table of the CSV, unchanged."""
    return diff(pair, "-f", "csv", *options).split("\n\n")[1] + "\n"


def names(pair, *options):
    return [row["Name"] for row in csv.DictReader(io.StringIO(changes(pair, *options)))]
