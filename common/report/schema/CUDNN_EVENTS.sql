CREATE TABLE CUDNN_EVENTS (
  -- {row CudnnRow : LibraryCall}
  -- {docs as CUBLAS_EVENTS}
  -- Calls of cuDNN that came through the dynamic linker.
  start INTEGER NOT NULL,                                               -- {- .start} ns
  end INTEGER NOT NULL,                                                 -- {- .end} ns
  eventClass INTEGER NOT NULL REFERENCES ENUM_NSYS_EVENT_CLASS(id),     -- {- const EventClass::kCudnn} 28
  globalTid INTEGER,                                                    -- {- .global_tid} see docs/schema.md, Serialized ids
  nameId INTEGER NOT NULL                                               -- {- .name_id} StringIds.id: function
);
