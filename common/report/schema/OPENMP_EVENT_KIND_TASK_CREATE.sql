CREATE TABLE OPENMP_EVENT_KIND_TASK_CREATE (
  -- {row OpenMpTaskCreateRow}
  -- {docs OpenMP tasks that were made}
  -- Moments at which explicit tasks were made.
  start INTEGER NOT NULL,      -- {- start} ns
  end INTEGER NOT NULL,        -- {- =start} ns
  eventClass INTEGER NOT NULL REFERENCES ENUM_NSYS_EVENT_CLASS(id),  -- {- const EventClass::kOpenMp} 78
  globalTid INTEGER,           -- {- global_tid} see docs/schema.md, Serialized ids
  correlationId INTEGER,       -- {- const 0} always 0
  nameId INTEGER NOT NULL,     -- {- name_id:int32} StringIds.id: what it is
  eventKind INTEGER,           -- {- const 15} ENUM_OPENMP_EVENT_KIND.id
  parentTaskId INTEGER,        -- {- parent} task that made it
  newTaskId INTEGER,           -- {- task} the new task
  codeId INTEGER               -- {- code:int32?} PROF_OPENMP_CODE.id: where the construct is; prof's own column
);
