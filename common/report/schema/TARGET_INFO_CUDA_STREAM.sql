CREATE TABLE TARGET_INFO_CUDA_STREAM (
  -- CUDA streams.
  streamId INTEGER NOT NULL,  -- 7 is the default stream of the first context
  hwId INTEGER NOT NULL,
  vmId INTEGER NOT NULL,
  processId INTEGER NOT NULL,
  contextId INTEGER NOT NULL,
  priority INTEGER NOT NULL,
  flag INTEGER NOT NULL
);
