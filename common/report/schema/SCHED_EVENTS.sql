CREATE TABLE SCHED_EVENTS (
  -- {row ScheduleRow}
  -- {docs when threads began and ended to run on a CPU, with `--cpuctxsw`}
  -- When threads of the target started and stopped running on a CPU.
  start INTEGER NOT NULL,      -- {- start} ns
  cpu INTEGER NOT NULL,        -- {- cpu:int32} logical CPU
  isSchedIn INTEGER NOT NULL,  -- {- is_in:int32} 1: it runs from here on; 0: it does not
  globalTid INTEGER,           -- {- global_tid} see docs/schema.md, Serialized ids
  threadState INTEGER,         -- {- state:ThreadState} ENUM_SAMPLING_THREAD_STATE.id, when it stops: 5 ended, 6 preempted, 7 waits; else 0
  threadBlock INTEGER          -- {- null} NULL on Linux
);
