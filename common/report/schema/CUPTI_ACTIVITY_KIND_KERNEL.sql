CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (
  -- A kernel on the GPU.
  start INTEGER NOT NULL,  -- ns
  end INTEGER NOT NULL,  -- ns
  deviceId INTEGER NOT NULL,  -- CUDA ordinal in the process
  contextId INTEGER NOT NULL,
  greenContextId INTEGER,  -- 0: not of a green context
  streamId INTEGER NOT NULL,  -- 7 is the default stream of the first context
  correlationId INTEGER,  -- of the API call that caused it; unique in its process
  globalPid INTEGER,  -- see docs/schema.md, Serialized ids
  demangledName INTEGER NOT NULL,  -- StringIds.id
  shortName INTEGER NOT NULL,  -- StringIds.id: the bare name
  mangledName INTEGER,  -- StringIds.id
  launchType INTEGER,  -- ENUM_CUDA_KERNEL_LAUNCH_TYPE.id
  cacheConfig INTEGER,  -- ENUM_CUDA_FUNC_CACHE_CONFIG.id
  registersPerThread INTEGER NOT NULL,
  gridX INTEGER NOT NULL,
  gridY INTEGER NOT NULL,
  gridZ INTEGER NOT NULL,
  blockX INTEGER NOT NULL,
  blockY INTEGER NOT NULL,
  blockZ INTEGER NOT NULL,
  staticSharedMemory INTEGER NOT NULL,  -- bytes
  dynamicSharedMemory INTEGER NOT NULL,  -- bytes
  localMemoryPerThread INTEGER NOT NULL,  -- bytes
  localMemoryTotal INTEGER NOT NULL,  -- bytes
  gridId INTEGER NOT NULL,
  sharedMemoryExecuted INTEGER,  -- bytes
  graphNodeId INTEGER,  -- NULL unless of a graph
  sharedMemoryLimitConfig INTEGER,  -- ENUM_CUDA_SHARED_MEM_LIMIT_CONFIG.id
  graphId INTEGER,  -- number CUPTI gives the graph; NULL unless of a graph
  clusterX INTEGER,  -- appended by us, as schema 3.24 has it; 0: no clusters
  clusterY INTEGER,
  clusterZ INTEGER
);
