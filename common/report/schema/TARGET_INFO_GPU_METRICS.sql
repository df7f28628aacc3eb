CREATE TABLE TARGET_INFO_GPU_METRICS (
  -- {docs as GPU_METRICS}
  -- Metrics that were sampled, by GPU.
  typeId INTEGER NOT NULL,    -- GENERIC_EVENT_TYPES.typeId
  sourceId INTEGER NOT NULL,  -- GENERIC_EVENT_SOURCES.sourceId
  typeName TEXT NOT NULL,
  metricId INTEGER NOT NULL,  -- number of the metric in its set
  metricName TEXT NOT NULL    -- name and unit; clocks are in Hz in spite of their names
);
