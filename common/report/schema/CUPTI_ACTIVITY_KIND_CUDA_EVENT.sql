CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (
  -- {row CudaEventRow}
  -- {docs CUDA events recorded into streams; has no times}
  -- A CUDA event was recorded into a stream.
  deviceId INTEGER NOT NULL,  -- {uint32 device} CUDA ordinal in the process
  contextId INTEGER NOT NULL,  -- {uint64 context:uint32}
  greenContextId INTEGER,  -- {uint64 green_context:uint32} 0: not of a green context
  streamId INTEGER NOT NULL,  -- {uint64 stream:uint32} 7 is the default stream of the first context
  correlationId INTEGER,  -- {uint32 correlation} of the API call that caused it; unique in its process
  globalPid INTEGER,  -- {uint64 global_pid} see docs/schema.md, Serialized ids
  eventId INTEGER NOT NULL,  -- {uint32 event} 4294967295: none
  eventSyncId INTEGER  -- {uint64 event_sync} pairs a wait with the record of the event
);
