CREATE TABLE TARGET_INFO_NVTX_CUDA_STREAM (
  -- Names of streams given through NVTX.
  name TEXT NOT NULL,
  hwId INTEGER NOT NULL,
  vmId INTEGER NOT NULL,
  processId INTEGER NOT NULL,
  deviceId INTEGER NOT NULL,  -- CUDA ordinal in the process
  contextId INTEGER NOT NULL,
  streamId INTEGER NOT NULL  -- 7 is the default stream of the first context
);
