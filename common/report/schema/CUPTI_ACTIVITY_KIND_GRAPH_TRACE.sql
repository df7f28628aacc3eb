CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (
  -- {row GraphLaunchRow}
  -- {docs launches of whole CUDA graphs}
  -- One launch of a whole CUDA graph.
  start INTEGER NOT NULL,  -- {int64 start} ns
  end INTEGER NOT NULL,  -- {int64 end} ns
  deviceId INTEGER NOT NULL,  -- {uint32 device} CUDA ordinal in the process
  contextId INTEGER NOT NULL,  -- {uint64 context:uint32}
  greenContextId INTEGER,  -- {uint64 green_context:uint32} 0: not of a green context
  streamId INTEGER NOT NULL,  -- {uint64 stream:uint32} 7 is the default stream of the first context
  correlationId INTEGER,  -- {uint32 correlation} of the API call that caused it; unique in its process
  globalPid INTEGER,  -- {uint64 global_pid} see docs/schema.md, Serialized ids
  graphId INTEGER NOT NULL,  -- {uint32 graph} the graph it was instantiated from
  graphExecId INTEGER NOT NULL  -- {uint32 graph_exec}
);
