CREATE TABLE OPENMP_EVENT_KIND_TASK (
  -- {row OpenMpTaskRow}
  -- {docs times in which threads did OpenMP tasks: their parts of parallel regions, and explicit tasks}
  -- Times in which threads did tasks. A task has a row for each time.
  start INTEGER NOT NULL,      -- {- start} ns
  end INTEGER NOT NULL,        -- {- end} ns
  eventClass INTEGER NOT NULL REFERENCES ENUM_NSYS_EVENT_CLASS(id),  -- {- const EventClass::kOpenMp} 78
  globalTid INTEGER,           -- {- global_tid} see docs/schema.md, Serialized ids
  correlationId INTEGER,       -- {- const 0} always 0
  nameId INTEGER NOT NULL,     -- {- name_id:int32} StringIds.id: what it is
  eventKind INTEGER,           -- {- const 31} ENUM_OPENMP_EVENT_KIND.id
  parallelId INTEGER,          -- {- parallel} number of the region in its process; 0: none
  taskId INTEGER,              -- {- task} number of the task in its process
  kind INTEGER                 -- {- kind:int32} ENUM_OPENMP_TASK_FLAG.id
);
