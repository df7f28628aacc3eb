CREATE TABLE GPU_METRICS (
  -- {row GpuMetricRow}
  -- {docs samples of GPUs' counters, with `--gpu-metrics-devices`; their names}
  -- Values of the GPUs' counters: one row for each metric and sample. A sample covers the interval that starts at its time.
  rawTimestamp INTEGER NOT NULL,  -- {- start} ns; the same as timestamp
  timestamp INTEGER NOT NULL,     -- {- =start} ns; start of the sample
  typeId INTEGER NOT NULL,        -- {- type_id} TARGET_INFO_GPU_METRICS.typeId; the lowest 8 bits are TARGET_INFO_GPU.id
  metricId INTEGER NOT NULL,      -- {- metric_id:int32} TARGET_INFO_GPU_METRICS.metricId
  value INTEGER NOT NULL          -- {- value} whole percent, Hz, or whatever the metric's name says
);
