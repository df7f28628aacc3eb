CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (
  -- Memory set by the GPU.
  start INTEGER NOT NULL,  -- ns
  end INTEGER NOT NULL,  -- ns
  deviceId INTEGER NOT NULL,  -- CUDA ordinal in the process
  contextId INTEGER NOT NULL,
  greenContextId INTEGER,  -- 0: not of a green context
  streamId INTEGER NOT NULL,  -- 7 is the default stream of the first context
  correlationId INTEGER,  -- of the API call that caused it; unique in its process
  globalPid INTEGER,  -- see docs/schema.md, Serialized ids
  value INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  graphNodeId INTEGER,  -- NULL unless of a graph
  memKind INTEGER  -- ENUM_CUDA_MEM_KIND.id
);
