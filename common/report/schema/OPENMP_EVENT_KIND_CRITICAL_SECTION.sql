CREATE TABLE OPENMP_EVENT_KIND_CRITICAL_SECTION (
  -- {row OpenMpCriticalRow}
  -- {docs OpenMP critical regions}
  -- Critical regions, from the end of the wait.
  start INTEGER NOT NULL,      -- {- start} ns
  end INTEGER NOT NULL,        -- {- end} ns
  eventClass INTEGER NOT NULL REFERENCES ENUM_NSYS_EVENT_CLASS(id),  -- {- const EventClass::kOpenMp} 78
  globalTid INTEGER,           -- {- global_tid} see docs/schema.md, Serialized ids
  correlationId INTEGER,       -- {- const 0} always 0
  nameId INTEGER NOT NULL,     -- {- name_id:int32} StringIds.id: what it is
  eventKind INTEGER,           -- {- const 35} ENUM_OPENMP_EVENT_KIND.id
  kind INTEGER,                -- {- kind:int32} ENUM_OPENMP_MUTEX.id
  waitId INTEGER               -- {- mutex} address of the mutex
);
