CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (
  -- A CUDA event was recorded into a stream.
  deviceId INTEGER NOT NULL,  -- CUDA ordinal in the process
  contextId INTEGER NOT NULL,
  greenContextId INTEGER,  -- 0: not of a green context
  streamId INTEGER NOT NULL,  -- 7 is the default stream of the first context
  correlationId INTEGER,  -- of the API call that caused it; unique in its process
  globalPid INTEGER,  -- see docs/schema.md, Serialized ids
  eventId INTEGER NOT NULL,  -- 4294967295: none
  eventSyncId INTEGER  -- pairs a wait with the record of the event
);
