CREATE TABLE GENERIC_EVENT_TYPES (
  -- {docs as GENERIC_EVENT_SOURCES}
  -- Groups of counters that are sampled together: a GPU, a network interface, a disk. Of FTrace:
  -- tracepoints.
  typeId INTEGER NOT NULL PRIMARY KEY,  -- see docs/schema.md, Metrics
  sourceId INTEGER NOT NULL,            -- GENERIC_EVENT_SOURCES.sourceId
  nameId INTEGER NOT NULL,              -- StringIds.id: of which device the counters are; empty for GPU_METRICS; of FTrace: sched/sched_switch
  hyperComment TEXT,
  ftraceFormat TEXT,                    -- how the kernel prints an event (print fmt)
  etwProviderId INTEGER,
  etwProviderNameId INTEGER,
  etwTaskId INTEGER,
  etwTaskNameId INTEGER,
  etwEventId INTEGER,
  etwVersion INTEGER,
  etwGuidHigh INTEGER,
  etwGuidLow INTEGER,
  etwGuid TEXT,
  data TEXT
);
