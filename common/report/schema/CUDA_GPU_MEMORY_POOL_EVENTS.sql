CREATE TABLE CUDA_GPU_MEMORY_POOL_EVENTS (
  -- {docs as CUDA_GPU_MEMORY_USAGE_EVENTS}
  -- A memory pool was created, destroyed or trimmed.
  start INTEGER NOT NULL,  -- {int64} ns
  globalPid INTEGER NOT NULL,  -- {uint64} see docs/schema.md, Serialized ids
  deviceId INTEGER NOT NULL,  -- {uint32} CUDA ordinal in the process
  address INTEGER NOT NULL,  -- {uint64}
  operationType INTEGER NOT NULL,  -- {uint32} ENUM_CUDA_MEMPOOL_OPER.id
  poolType INTEGER NOT NULL,  -- {uint32} ENUM_CUDA_MEMPOOL_TYPE.id
  correlationId INTEGER,  -- {uint32} of the API call that caused it; unique in its process
  minBytesToKeep INTEGER,  -- {uint64}
  localMemoryPoolReleaseThreshold INTEGER,  -- {uint64}
  localMemoryPoolSize INTEGER,  -- {uint64}
  localMemoryPoolUtilizedSize INTEGER  -- {uint64}
);
