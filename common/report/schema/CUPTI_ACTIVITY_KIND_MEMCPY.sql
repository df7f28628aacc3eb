CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (
  -- {row MemcpyRow nullable}
  -- {docs copies by the GPU, and migrations of unified memory}
  -- A copy, by the GPU or seen by it.
  start INTEGER NOT NULL,  -- {int64 start} ns
  end INTEGER NOT NULL,  -- {int64 end} ns
  deviceId INTEGER NOT NULL,  -- {uint32 device} CUDA ordinal in the process
  contextId INTEGER NOT NULL,  -- {uint64 context:uint32}
  greenContextId INTEGER,  -- {uint64 green_context:uint32} 0: not of a green context
  streamId INTEGER NOT NULL,  -- {uint64 stream:uint32} 7 is the default stream of the first context
  correlationId INTEGER,  -- {uint32 correlation} of the API call that caused it; unique in its process
  globalPid INTEGER,  -- {uint64 global_pid} see docs/schema.md, Serialized ids
  bytes INTEGER NOT NULL,  -- {uint64 bytes}
  copyKind INTEGER NOT NULL,  -- {uint64 copy_kind:int32} ENUM_CUDA_MEMCPY_OPER.id
  deprecatedSrcId INTEGER,  -- {uint32 null} always NULL
  srcKind INTEGER,  -- {uint32 source_kind:int32} ENUM_CUDA_MEM_KIND.id
  dstKind INTEGER,  -- {uint32 target_kind:int32} ENUM_CUDA_MEM_KIND.id
  srcDeviceId INTEGER,  -- {uint32 source_device}
  srcContextId INTEGER,  -- {uint32 source_context}
  dstDeviceId INTEGER,  -- {uint32 target_device}
  dstContextId INTEGER,  -- {uint32 target_context}
  migrationCause INTEGER,  -- {uint32 migration_cause:int32} ENUM_CUDA_UNIF_MEM_MIGRATION.id
  graphNodeId INTEGER,  -- {uint64 graph_node} NULL unless of a graph
  virtualAddress INTEGER,  -- {uint64 virtual_address}
  copyCount INTEGER  -- {uint64 count}
);
