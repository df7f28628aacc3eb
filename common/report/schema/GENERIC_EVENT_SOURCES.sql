CREATE TABLE GENERIC_EVENT_SOURCES (
  -- {docs which counters and tracepoints `GENERIC_EVENTS` has}
  -- Where GENERIC_EVENTS and GPU_METRICS come from.
  sourceId INTEGER NOT NULL PRIMARY KEY,  -- see docs/schema.md, Metrics
  nameId INTEGER NOT NULL,                -- StringIds.id: GpuMetrics, GenericCounters or FTrace
  timeSourceId INTEGER NOT NULL,          -- ENUM_NSYS_GENERIC_EVENT_SOURCE.id
  sourceGroupId INTEGER NOT NULL,         -- ENUM_NSYS_GENERIC_EVENT_GROUP.id
  hyperType TEXT,
  hyperVersion TEXT,
  hyperStructPrefix TEXT,
  hyperMacroPrefix TEXT,
  hyperFilterFlags INTEGER,
  hyperDomain TEXT,
  data TEXT
);
