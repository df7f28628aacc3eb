CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (
  -- {row MemsetRow nullable}
  -- {docs fills by the GPU}
  -- Memory set by the GPU.
  start INTEGER NOT NULL,  -- {int64 start} ns
  end INTEGER NOT NULL,  -- {int64 end} ns
  deviceId INTEGER NOT NULL,  -- {uint32 device} CUDA ordinal in the process
  contextId INTEGER NOT NULL,  -- {uint64 context:uint32}
  greenContextId INTEGER,  -- {uint64 green_context:uint32} 0: not of a green context
  streamId INTEGER NOT NULL,  -- {uint64 stream:uint32} 7 is the default stream of the first context
  correlationId INTEGER,  -- {uint32 correlation} of the API call that caused it; unique in its process
  globalPid INTEGER,  -- {uint64 global_pid} see docs/schema.md, Serialized ids
  value INTEGER NOT NULL,  -- {uint32 value}
  bytes INTEGER NOT NULL,  -- {uint64 bytes}
  graphNodeId INTEGER,  -- {uint64 graph_node} NULL unless of a graph
  memKind INTEGER  -- {uint32 memory_kind:int32} ENUM_CUDA_MEM_KIND.id
);
