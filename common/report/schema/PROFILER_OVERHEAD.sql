CREATE TABLE PROFILER_OVERHEAD (
  -- Time the profiler took on the target's threads.
  start INTEGER NOT NULL,       -- ns
  end INTEGER NOT NULL,         -- ns
  globalTid INTEGER,            -- see docs/schema.md, Serialized ids
  nameId INTEGER NOT NULL,      -- StringIds.id: what it did
  returnValue INTEGER NOT NULL  -- always 0
);
