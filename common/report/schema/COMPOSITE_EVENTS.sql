CREATE TABLE COMPOSITE_EVENTS (
  -- Samples of threads that were running on a CPU.
  id INTEGER NOT NULL PRIMARY KEY,  -- SAMPLING_CALLCHAINS.id
  start INTEGER NOT NULL,           -- ns
  cpu INTEGER,                      -- logical CPU
  threadState INTEGER,              -- ENUM_SAMPLING_THREAD_STATE.id: 1, running
  globalTid INTEGER,                -- see docs/schema.md, Serialized ids
  cpuCycles INTEGER NOT NULL        -- that the sample stands for; 1: it is one of a clock
);
