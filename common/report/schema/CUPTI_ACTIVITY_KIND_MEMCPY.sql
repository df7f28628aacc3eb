CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (
  -- A copy, by the GPU or seen by it.
  start INTEGER NOT NULL,  -- ns
  end INTEGER NOT NULL,  -- ns
  deviceId INTEGER NOT NULL,  -- CUDA ordinal in the process
  contextId INTEGER NOT NULL,
  greenContextId INTEGER,  -- 0: not of a green context
  streamId INTEGER NOT NULL,  -- 7 is the default stream of the first context
  correlationId INTEGER,  -- of the API call that caused it; unique in its process
  globalPid INTEGER,  -- see docs/schema.md, Serialized ids
  bytes INTEGER NOT NULL,
  copyKind INTEGER NOT NULL,  -- ENUM_CUDA_MEMCPY_OPER.id
  deprecatedSrcId INTEGER,  -- always NULL
  srcKind INTEGER,  -- ENUM_CUDA_MEM_KIND.id
  dstKind INTEGER,  -- ENUM_CUDA_MEM_KIND.id
  srcDeviceId INTEGER,
  srcContextId INTEGER,
  dstDeviceId INTEGER,
  dstContextId INTEGER,
  migrationCause INTEGER,  -- ENUM_CUDA_UNIF_MEM_MIGRATION.id
  graphNodeId INTEGER,  -- NULL unless of a graph
  virtualAddress INTEGER,
  copyCount INTEGER
);
