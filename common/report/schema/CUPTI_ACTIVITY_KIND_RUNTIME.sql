CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (
  -- A call of the CUDA runtime or driver API.
  start INTEGER NOT NULL,  -- ns
  end INTEGER NOT NULL,  -- ns
  eventClass INTEGER NOT NULL,  -- ENUM_NSYS_EVENT_CLASS.id
  globalTid INTEGER,  -- see docs/schema.md, Serialized ids
  correlationId INTEGER,  -- of the API call that caused it; unique in its process
  nameId INTEGER NOT NULL,  -- StringIds.id
  returnValue INTEGER NOT NULL,  -- cudaError_t or CUresult
  callchainId INTEGER  -- NULL: none taken
);
