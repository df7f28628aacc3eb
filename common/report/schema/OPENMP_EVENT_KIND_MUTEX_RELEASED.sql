CREATE TABLE OPENMP_EVENT_KIND_MUTEX_RELEASED (
  -- {row OpenMpReleaseRow}
  -- {docs OpenMP locks that were released}
  -- Moments at which mutexes other than critical regions were released.
  start INTEGER NOT NULL,      -- {- start} ns
  end INTEGER NOT NULL,        -- {- =start} ns
  eventClass INTEGER NOT NULL REFERENCES ENUM_NSYS_EVENT_CLASS(id),  -- {- const EventClass::kOpenMp} 78
  globalTid INTEGER,           -- {- global_tid} see docs/schema.md, Serialized ids
  correlationId INTEGER,       -- {- const 0} always 0
  nameId INTEGER NOT NULL,     -- {- const 4294967295} nsys's id of no text, 4294967295
  eventKind INTEGER,           -- {- const 20} ENUM_OPENMP_EVENT_KIND.id
  kind INTEGER,                -- {- kind:int32} ENUM_OPENMP_MUTEX.id
  waitId INTEGER,              -- {- mutex} address of the mutex
  taskId INTEGER               -- {- task} number of the task in its process; 0: none
);
