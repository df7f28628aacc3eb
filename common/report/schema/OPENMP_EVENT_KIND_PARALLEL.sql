CREATE TABLE OPENMP_EVENT_KIND_PARALLEL (
  -- {row OpenMpParallelRow}
  -- {docs OpenMP parallel regions, with `-t openmp`}
  -- Parallel regions of OpenMP.
  start INTEGER NOT NULL,      -- {- start} ns
  end INTEGER NOT NULL,        -- {- end} ns
  eventClass INTEGER NOT NULL REFERENCES ENUM_NSYS_EVENT_CLASS(id),  -- {- const EventClass::kOpenMp} 78
  globalTid INTEGER,           -- {- global_tid} see docs/schema.md, Serialized ids
  correlationId INTEGER,       -- {- const 0} always 0
  nameId INTEGER NOT NULL,     -- {- name_id:int32} StringIds.id: what it is
  eventKind INTEGER,           -- {- const 28} ENUM_OPENMP_EVENT_KIND.id
  parallelId INTEGER,          -- {- parallel} number of the region in its process; 0: none
  parentTaskId INTEGER,        -- {- parent} task that began the region; 0: a thread outside of all regions
  codeId INTEGER               -- {- code:int32?} PROF_OPENMP_CODE.id: where the construct is; prof's own column
);
