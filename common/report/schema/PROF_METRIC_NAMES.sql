CREATE TABLE PROF_METRIC_NAMES (
  -- {docs as PROF_KERNEL_PROFILES}
  -- Metrics of PROF_KERNEL_METRICS and PROF_SASS_COUNTS; prof's own. Names are CUPTI's and Nsight Compute's.
  metricId INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,   -- "sm__throughput.avg.pct_of_peak_sustained_elapsed"
  unit TEXT NOT NULL,   -- as Nsight Compute prints it without prefixes: "%", "byte", "byte/s", "ns", "hz"; "": none
  description TEXT,     -- CUPTI's
  chip TEXT             -- "GH100"; each chip has its rows
);
