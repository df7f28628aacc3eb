CREATE TABLE TARGET_INFO_CUDA_CONTEXT_INFO (
  -- {docs CUDA contexts and streams}
  -- CUDA contexts.
  nullStreamId INTEGER NOT NULL,  -- {uint32}
  hwId INTEGER NOT NULL,  -- {uint32}
  vmId INTEGER NOT NULL,  -- {uint32}
  processId INTEGER NOT NULL,  -- {uint32}
  deviceId INTEGER NOT NULL,  -- {uint32} CUDA ordinal in the process
  contextId INTEGER NOT NULL,  -- {uint32}
  parentContextId INTEGER,  -- {uint32}
  isGreenContext INTEGER,  -- {bool}
  numMultiprocessors INTEGER  -- {uint32} that a green context may use; NULL: all of the GPU, or not known
);
