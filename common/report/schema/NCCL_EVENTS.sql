CREATE TABLE NCCL_EVENTS (
  -- {row NcclRow : LibraryCall}
  -- {docs as CUBLAS_EVENTS}
  -- Calls of NCCL that came through the dynamic linker.
  start INTEGER NOT NULL,                                               -- {- .start} ns
  end INTEGER NOT NULL,                                                 -- {- .end} ns
  eventClass INTEGER NOT NULL REFERENCES ENUM_NSYS_EVENT_CLASS(id),     -- {- const EventClass::kNccl} 1003, prof's own
  globalTid INTEGER,                                                    -- {- .global_tid} see docs/schema.md, Serialized ids
  nameId INTEGER NOT NULL                                               -- {- .name_id} StringIds.id: function
);
