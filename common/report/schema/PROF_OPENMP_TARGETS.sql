CREATE TABLE PROF_OPENMP_TARGETS (
  -- {row OpenMpTargetRow}
  -- {docs OpenMP target constructs of programs of GCC; prof's own}
  -- Target constructs, and what moves data for them; prof's own.
  start INTEGER NOT NULL,      -- {- start} ns
  end INTEGER NOT NULL,        -- {- end} ns
  globalTid INTEGER,           -- {- global_tid} see docs/schema.md, Serialized ids
  nameId INTEGER NOT NULL,     -- {- name_id:int32} StringIds.id: what it is
  kind INTEGER,                -- {- kind:int32} 1 target, 2 enter data, 3 exit data, 4 update
  device INTEGER,              -- {- device:int32} number of the device; -1: the default, -2: the host
  parallelId INTEGER,          -- {- parallel} number of the region in its process; 0: none
  taskId INTEGER,              -- {- task} number of the task in its process; 0: none
  bytes INTEGER,               -- {- bytes} that it copies if the device has its own memory
  codeId INTEGER               -- {- code:int32?} PROF_OPENMP_CODE.id: where the construct is
);
