CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_HOST_NODE_AND_HOST_LAUNCH (
  -- {row HostFunctionRow nullable}
  -- {docs host functions for which a stream waited}
  -- One host function: a node of a CUDA graph, or a launch by cudaLaunchHostFunc.
  start INTEGER NOT NULL,  -- {int64 start} ns
  end INTEGER NOT NULL,  -- {int64 end} ns
  deviceId INTEGER NOT NULL,  -- {uint32 device} CUDA ordinal in the process
  contextId INTEGER NOT NULL,  -- {uint64 context:uint32}
  greenContextId INTEGER,  -- {uint64 green_context:uint32} 0: not of a green context
  streamId INTEGER NOT NULL,  -- {uint64 stream:uint32} the stream that waited
  correlationId INTEGER,  -- {uint32 correlation} of the API call that caused it; unique in its process
  globalPid INTEGER,  -- {uint64 global_pid} see docs/schema.md, Serialized ids
  graphNodeId INTEGER,  -- {uint64 graph_node} NULL for a launch
  graphId INTEGER  -- {uint32 graph} NULL for a launch
);
