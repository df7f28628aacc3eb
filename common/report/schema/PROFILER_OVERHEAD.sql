CREATE TABLE PROFILER_OVERHEAD (
  -- {row OverheadRow}
  -- {docs what prof did on the program's threads}
  -- Time the profiler took on the target's threads.
  start INTEGER NOT NULL,       -- {int64 start} ns
  end INTEGER NOT NULL,         -- {int64 end} ns
  globalTid INTEGER,            -- {uint64 global_tid} see docs/schema.md, Serialized ids
  nameId INTEGER NOT NULL,      -- {uint64 name_id:int32} StringIds.id: what it did
  returnValue INTEGER NOT NULL  -- {uint32 const 0} always 0
);
