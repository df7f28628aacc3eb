CREATE TABLE TARGET_INFO_CUDA_STREAM (
  -- {docs as TARGET_INFO_CUDA_CONTEXT_INFO}
  -- CUDA streams.
  streamId INTEGER NOT NULL,  -- {uint32} 7 is the default stream of the first context
  hwId INTEGER NOT NULL,  -- {uint32}
  vmId INTEGER NOT NULL,  -- {uint32}
  processId INTEGER NOT NULL,  -- {uint32}
  contextId INTEGER NOT NULL,  -- {uint32}
  priority INTEGER NOT NULL,  -- {uint32}
  flag INTEGER NOT NULL  -- {uint32}
);
