CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (
  -- Memory was allocated or freed.
  start INTEGER NOT NULL,  -- ns
  globalPid INTEGER NOT NULL,  -- see docs/schema.md, Serialized ids
  deviceId INTEGER NOT NULL,  -- CUDA ordinal in the process
  contextId INTEGER NOT NULL,
  address INTEGER NOT NULL,
  pc INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  memKind INTEGER NOT NULL,  -- ENUM_CUDA_MEM_KIND.id
  memoryOperationType INTEGER NOT NULL,  -- ENUM_CUDA_DEV_MEM_EVENT_OPER.id
  name TEXT,
  correlationId INTEGER,  -- of the API call that caused it; unique in its process
  streamId INTEGER,  -- 7 is the default stream of the first context
  localMemoryPoolAddress INTEGER,
  localMemoryPoolReleaseThreshold INTEGER,
  localMemoryPoolSize INTEGER,
  localMemoryPoolUtilizedSize INTEGER,
  importedMemoryPoolAddress INTEGER,
  importedMemoryPoolProcessId INTEGER
);
