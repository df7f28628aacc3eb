CREATE TABLE CUSOLVER_EVENTS (
  -- Calls of cuSOLVER that came through the dynamic linker.
  start INTEGER NOT NULL,                                               -- ns
  end INTEGER NOT NULL,                                                 -- ns
  eventClass INTEGER NOT NULL REFERENCES ENUM_NSYS_EVENT_CLASS(id),     -- 1001, prof's own
  globalTid INTEGER,                                                    -- see docs/schema.md, Serialized ids
  nameId INTEGER NOT NULL                                               -- StringIds.id: function
);
