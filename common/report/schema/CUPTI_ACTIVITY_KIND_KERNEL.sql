CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (
  -- {row KernelRow nullable}
  -- {docs kernels; with graphs traced as a whole, only those outside of graphs}
  -- A kernel on the GPU.
  start INTEGER NOT NULL,  -- {int64 start} ns
  end INTEGER NOT NULL,  -- {int64 end} ns
  deviceId INTEGER NOT NULL,  -- {uint32 device} CUDA ordinal in the process
  contextId INTEGER NOT NULL,  -- {uint64 context:uint32}
  greenContextId INTEGER,  -- {uint64 green_context:uint32} 0: not of a green context
  streamId INTEGER NOT NULL,  -- {uint64 stream:uint32} 7 is the default stream of the first context
  correlationId INTEGER,  -- {uint32 correlation} of the API call that caused it; unique in its process
  globalPid INTEGER,  -- {uint64 global_pid} see docs/schema.md, Serialized ids
  demangledName INTEGER NOT NULL,  -- {uint64 demangled_name:int32} StringIds.id
  shortName INTEGER NOT NULL,  -- {uint64 short_name:int32} StringIds.id: the bare name
  mangledName INTEGER,  -- {uint64 mangled_name:int32} StringIds.id
  launchType INTEGER,  -- {uint32 launch_type:int32} ENUM_CUDA_KERNEL_LAUNCH_TYPE.id
  cacheConfig INTEGER,  -- {uint32 cache_config:int32} ENUM_CUDA_FUNC_CACHE_CONFIG.id
  registersPerThread INTEGER NOT NULL,  -- {uint32 registers:int32}
  gridX INTEGER NOT NULL,  -- {int32 grid_x}
  gridY INTEGER NOT NULL,  -- {int32 grid_y}
  gridZ INTEGER NOT NULL,  -- {int32 grid_z}
  blockX INTEGER NOT NULL,  -- {int32 block_x}
  blockY INTEGER NOT NULL,  -- {int32 block_y}
  blockZ INTEGER NOT NULL,  -- {int32 block_z}
  staticSharedMemory INTEGER NOT NULL,  -- {int32 static_shared} bytes
  dynamicSharedMemory INTEGER NOT NULL,  -- {int32 dynamic_shared} bytes
  localMemoryPerThread INTEGER NOT NULL,  -- {int32 local_per_thread:uint32} bytes
  localMemoryTotal INTEGER NOT NULL,  -- {int32 local_total:int64} bytes
  gridId INTEGER NOT NULL,  -- {int64 grid_id}
  sharedMemoryExecuted INTEGER,  -- {uint32 shared_executed} bytes
  graphNodeId INTEGER,  -- {uint64 graph_node} NULL unless of a graph
  sharedMemoryLimitConfig INTEGER,  -- {uint32 shared_limit_config:int32} ENUM_CUDA_SHARED_MEM_LIMIT_CONFIG.id
  graphId INTEGER,  -- {- graph:uint32} number CUPTI gives the graph; NULL unless of a graph
  clusterX INTEGER,  -- {- cluster_x:uint32} appended by us, as schema 3.24 has it; 0: no clusters
  clusterY INTEGER,  -- {- cluster_y:uint32}
  clusterZ INTEGER  -- {- cluster_z:uint32}
);
