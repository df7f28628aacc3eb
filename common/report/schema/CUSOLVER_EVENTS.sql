CREATE TABLE CUSOLVER_EVENTS (
  -- {row CusolverRow : LibraryCall}
  -- {docs as CUBLAS_EVENTS}
  -- Calls of cuSOLVER that came through the dynamic linker.
  start INTEGER NOT NULL,                                               -- {- .start} ns
  end INTEGER NOT NULL,                                                 -- {- .end} ns
  eventClass INTEGER NOT NULL REFERENCES ENUM_NSYS_EVENT_CLASS(id),     -- {- const EventClass::kCusolver} 1001, prof's own
  globalTid INTEGER,                                                    -- {- .global_tid} see docs/schema.md, Serialized ids
  nameId INTEGER NOT NULL                                               -- {- .name_id} StringIds.id: function
);
