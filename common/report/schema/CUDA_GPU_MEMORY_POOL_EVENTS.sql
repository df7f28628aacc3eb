CREATE TABLE CUDA_GPU_MEMORY_POOL_EVENTS (
  -- A memory pool was created, destroyed or trimmed.
  start INTEGER NOT NULL,  -- ns
  globalPid INTEGER NOT NULL,  -- see docs/schema.md, Serialized ids
  deviceId INTEGER NOT NULL,  -- CUDA ordinal in the process
  address INTEGER NOT NULL,
  operationType INTEGER NOT NULL,  -- ENUM_CUDA_MEMPOOL_OPER.id
  poolType INTEGER NOT NULL,  -- ENUM_CUDA_MEMPOOL_TYPE.id
  correlationId INTEGER,  -- of the API call that caused it; unique in its process
  minBytesToKeep INTEGER,
  localMemoryPoolReleaseThreshold INTEGER,
  localMemoryPoolSize INTEGER,
  localMemoryPoolUtilizedSize INTEGER
);
