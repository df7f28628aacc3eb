CREATE TABLE TARGET_INFO_CUDA_CONTEXT_INFO (
  -- CUDA contexts.
  nullStreamId INTEGER NOT NULL,
  hwId INTEGER NOT NULL,
  vmId INTEGER NOT NULL,
  processId INTEGER NOT NULL,
  deviceId INTEGER NOT NULL,  -- CUDA ordinal in the process
  contextId INTEGER NOT NULL,
  parentContextId INTEGER,
  isGreenContext INTEGER
);
