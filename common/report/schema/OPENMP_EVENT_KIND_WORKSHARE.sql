CREATE TABLE OPENMP_EVENT_KIND_WORKSHARE (
  -- {row OpenMpWorkRow}
  -- {docs OpenMP loops, sections, single constructs and others that share work}
  -- Constructs that share work. One that is interrupted by tasks has several rows.
  start INTEGER NOT NULL,      -- {- start} ns
  end INTEGER NOT NULL,        -- {- end} ns
  eventClass INTEGER NOT NULL REFERENCES ENUM_NSYS_EVENT_CLASS(id),  -- {- const EventClass::kOpenMp} 78
  globalTid INTEGER,           -- {- global_tid} see docs/schema.md, Serialized ids
  correlationId INTEGER,       -- {- const 0} always 0
  nameId INTEGER NOT NULL,     -- {- name_id:int32} StringIds.id: what it is
  eventKind INTEGER,           -- {- const 36} ENUM_OPENMP_EVENT_KIND.id
  kind INTEGER,                -- {- kind:int32} ENUM_OPENMP_WORK.id
  parallelId INTEGER,          -- {- parallel} number of the region in its process; 0: none
  taskId INTEGER,              -- {- task} number of the task in its process; 0: none
  count INTEGER,               -- {- count} iterations, sections
  codeId INTEGER               -- {- code:int32?} PROF_OPENMP_CODE.id: where the construct is; prof's own column
);
