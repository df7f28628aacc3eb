CREATE TABLE PROF_KERNEL_METRICS (
  -- {row KernelMetricRow}
  -- {docs as PROF_KERNEL_PROFILES}
  -- Values of metrics, for each launch that was profiled; prof's own. A metric that has no value has no row.
  profileId INTEGER NOT NULL,  -- {- profile} PROF_KERNEL_PROFILES.id
  metricId INTEGER NOT NULL,   -- {- metric} PROF_METRIC_NAMES.metricId
  value REAL NOT NULL          -- {- value} in the metric's unit
);
