CREATE TABLE GPU_METRICS (
  -- Values of the GPUs' counters: one row for each metric and sample. A sample covers the time since the one before.
  rawTimestamp INTEGER NOT NULL,  -- ns; the same as timestamp
  timestamp INTEGER NOT NULL,     -- ns; end of the sample
  typeId INTEGER NOT NULL,        -- TARGET_INFO_GPU_METRICS.typeId; the lowest 8 bits are TARGET_INFO_GPU.id
  metricId INTEGER NOT NULL,      -- TARGET_INFO_GPU_METRICS.metricId
  value INTEGER NOT NULL          -- whole percent, Hz, or whatever the metric's name says
);
