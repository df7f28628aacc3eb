CREATE TABLE SCHED_EVENTS (
  -- When threads of the target started and stopped running on a CPU.
  start INTEGER NOT NULL,      -- ns
  cpu INTEGER NOT NULL,        -- logical CPU
  isSchedIn INTEGER NOT NULL,  -- 1: it runs from here on; 0: it does not
  globalTid INTEGER,           -- see docs/schema.md, Serialized ids
  threadState INTEGER,         -- ENUM_SAMPLING_THREAD_STATE.id, when it stops: 5 ended, 6 preempted, 7 waits; else 0
  threadBlock INTEGER          -- NULL on Linux
);
