CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (
  -- {row RuntimeRow nullable}
  -- {docs calls of the CUDA runtime and driver API}
  -- A call of the CUDA runtime or driver API.
  start INTEGER NOT NULL,  -- {int64 start} ns
  end INTEGER NOT NULL,  -- {int64 end} ns
  eventClass INTEGER NOT NULL,  -- {uint32 event_class:EventClass=EventClass::kCudaRuntime} ENUM_NSYS_EVENT_CLASS.id
  globalTid INTEGER,  -- {uint64 global_tid} see docs/schema.md, Serialized ids
  correlationId INTEGER,  -- {uint32 correlation} of the API call that caused it; unique in its process
  nameId INTEGER NOT NULL,  -- {uint64 name_id:int32} StringIds.id
  returnValue INTEGER NOT NULL,  -- {uint32 result:int32} cudaError_t or CUresult
  callchainId INTEGER  -- {int64 callchain} NULL: none taken
);
