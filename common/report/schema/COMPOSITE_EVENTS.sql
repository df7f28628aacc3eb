CREATE TABLE COMPOSITE_EVENTS (
  -- {row SampleRow}
  -- {docs samples of threads, at a rate or of events, with `-s`}
  -- Samples of threads that were running on a CPU.
  id INTEGER NOT NULL PRIMARY KEY,  -- {- id} SAMPLING_CALLCHAINS.id
  start INTEGER NOT NULL,           -- {- start} ns
  cpu INTEGER,                      -- {- cpu:int32} logical CPU
  threadState INTEGER,              -- {- const ThreadState::kRunning} ENUM_SAMPLING_THREAD_STATE.id: 1, running
  globalTid INTEGER,                -- {- global_tid} see docs/schema.md, Serialized ids
  cpuCycles INTEGER NOT NULL,       -- {- weight:int32=1} that the sample stands for; 1: it is one of a clock
  callchainId INTEGER               -- {- chain} PROF_SAMPLE_CHAINS.id; 0: none; ours
);
