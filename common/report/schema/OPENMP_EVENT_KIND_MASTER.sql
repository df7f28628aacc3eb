CREATE TABLE OPENMP_EVENT_KIND_MASTER (
  -- {row OpenMpMasterRow}
  -- {docs OpenMP master and masked regions}
  -- Master and masked regions.
  start INTEGER NOT NULL,      -- {- start} ns
  end INTEGER NOT NULL,        -- {- end} ns
  eventClass INTEGER NOT NULL REFERENCES ENUM_NSYS_EVENT_CLASS(id),  -- {- const EventClass::kOpenMp} 78
  globalTid INTEGER,           -- {- global_tid} see docs/schema.md, Serialized ids
  correlationId INTEGER,       -- {- const 0} always 0
  nameId INTEGER NOT NULL,     -- {- name_id:int32} StringIds.id: what it is
  eventKind INTEGER,           -- {- const 32} ENUM_OPENMP_EVENT_KIND.id
  parallelId INTEGER,          -- {- parallel} number of the region in its process; 0: none
  taskId INTEGER,              -- {- task} number of the task in its process; 0: none
  codeId INTEGER               -- {- code:int32?} PROF_OPENMP_CODE.id: where the construct is; prof's own column
);
