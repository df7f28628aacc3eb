"""A report that a test makes row by row. All times are in ns."""
import sqlite3

PID = 482
PROCESS = 1 << 48 | PID << 24
THREAD = PROCESS + PID

# nsys's tables, only with the columns that prof reads.
SCHEMA = """
    CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL UNIQUE);
    CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid, correlationId, nameId, returnValue);
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid,
      demangledName, shortName, gridX, gridY, gridZ, blockX, blockY, blockZ, registersPerThread,
      staticSharedMemory, dynamicSharedMemory);
    CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId, streamId, correlationId, globalPid,
      bytes, copyKind, srcKind, dstKind);
    CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start, end, deviceId, contextId, streamId, correlationId, globalPid,
      bytes, memKind);
    CREATE TABLE NVTX_EVENTS (start, end, eventType, text, textId, globalTid, domainId);
"""


class MadeUpReport:
    def __init__(self, path, schema, isolation_level="DEFERRED"):
        """With isolation_level=None each row is in the file at once, else when done."""
        self.path = path
        self.database = sqlite3.connect(path, isolation_level=isolation_level)
        self.database.executescript(schema)
        self.strings = {}

    def insert(self, table, *values):
        self.database.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(values))})", values)

    def string(self, text):
        """Its id in StringIds."""
        if text not in self.strings:
            self.strings[text] = len(self.strings) + 1
            self.insert("StringIds", self.strings[text], text)
        return self.strings[text]

    def done(self):
        self.database.commit()
        self.database.close()
        return self.path
