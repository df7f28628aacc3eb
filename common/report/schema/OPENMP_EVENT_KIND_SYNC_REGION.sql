CREATE TABLE OPENMP_EVENT_KIND_SYNC_REGION (
  -- {row OpenMpSyncRow}
  -- {docs OpenMP barriers, taskwait and taskgroup constructs}
  -- Barriers, taskwait and taskgroup constructs. Times in which the thread did tasks are left out.
  start INTEGER NOT NULL,      -- {- start} ns
  end INTEGER NOT NULL,        -- {- end} ns
  eventClass INTEGER NOT NULL REFERENCES ENUM_NSYS_EVENT_CLASS(id),  -- {- const EventClass::kOpenMp} 78
  globalTid INTEGER,           -- {- global_tid} see docs/schema.md, Serialized ids
  correlationId INTEGER,       -- {- const 0} always 0
  nameId INTEGER NOT NULL,     -- {- name_id:int32} StringIds.id: what it is
  eventKind INTEGER,           -- {- const 30} ENUM_OPENMP_EVENT_KIND.id
  parallelId INTEGER,          -- {- parallel} number of the region in its process; 0: none
  taskId INTEGER,              -- {- task} number of the task in its process; 0: none
  kind INTEGER,                -- {- kind:int32} ENUM_OPENMP_SYNC_REGION.id
  codeId INTEGER               -- {- code:int32?} PROF_OPENMP_CODE.id: where the construct is; prof's own column
);
