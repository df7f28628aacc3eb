CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (
  -- {row SyncRow}
  -- {docs waits of the program for the GPU, and of streams for events}
  -- The program waited for the GPU, or a stream for another.
  start INTEGER NOT NULL,  -- {int64 start} ns
  end INTEGER NOT NULL,  -- {int64 end} ns
  deviceId INTEGER NOT NULL,  -- {uint32 device} CUDA ordinal in the process
  contextId INTEGER NOT NULL,  -- {uint64 context:uint32}
  greenContextId INTEGER,  -- {uint64 null} 0: not of a green context
  streamId INTEGER NOT NULL,  -- {uint64 stream:uint32} 7 is the default stream of the first context
  correlationId INTEGER,  -- {uint32 correlation} of the API call that caused it; unique in its process
  globalPid INTEGER,  -- {uint64 global_pid} see docs/schema.md, Serialized ids
  deprecatedSyncType INTEGER,  -- {uint32 null} always NULL
  syncType INTEGER NOT NULL,  -- {uint32 type:int32} ENUM_CUPTI_SYNC_TYPE.id
  eventId INTEGER NOT NULL,  -- {uint32 event} 4294967295: none
  eventSyncId INTEGER  -- {uint64 event_sync} pairs a wait with the record of the event
);
