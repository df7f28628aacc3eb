CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (
  -- {row MemoryUsageRow nullable}
  -- {docs allocations of memory on GPUs, and pools, with `--cuda-memory-usage`}
  -- Memory was allocated or freed.
  start INTEGER NOT NULL,  -- {int64 start} ns
  globalPid INTEGER NOT NULL,  -- {uint64 global_pid} see docs/schema.md, Serialized ids
  deviceId INTEGER NOT NULL,  -- {uint32 device} CUDA ordinal in the process
  contextId INTEGER NOT NULL,  -- {uint64 context:uint32}
  address INTEGER NOT NULL,  -- {uint64 address}
  pc INTEGER NOT NULL,  -- {uint64 pc}
  bytes INTEGER NOT NULL,  -- {uint64 bytes}
  memKind INTEGER NOT NULL,  -- {uint32 memory_kind:int32} ENUM_CUDA_MEM_KIND.id
  memoryOperationType INTEGER NOT NULL,  -- {uint32 operation:int32} ENUM_CUDA_DEV_MEM_EVENT_OPER.id
  name TEXT,  -- {text name}
  correlationId INTEGER,  -- {uint32 correlation} of the API call that caused it; unique in its process
  streamId INTEGER,  -- {uint64 stream:uint32} 7 is the default stream of the first context
  localMemoryPoolAddress INTEGER,  -- {uint64 pool_address}
  localMemoryPoolReleaseThreshold INTEGER,  -- {uint64 pool_release_threshold}
  localMemoryPoolSize INTEGER,  -- {uint64 pool_size}
  localMemoryPoolUtilizedSize INTEGER,  -- {uint64 pool_used}
  importedMemoryPoolAddress INTEGER,  -- {uint64 imported_address}
  importedMemoryPoolProcessId INTEGER  -- {uint64 imported_process}
);
