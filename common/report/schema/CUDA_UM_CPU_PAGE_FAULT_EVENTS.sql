CREATE TABLE CUDA_UM_CPU_PAGE_FAULT_EVENTS (
  -- {docs page faults on unified memory, if asked for}
  -- The CPU touched unified memory that was not there.
  start INTEGER NOT NULL,  -- ns
  globalPid INTEGER NOT NULL,  -- see docs/schema.md, Serialized ids
  address INTEGER NOT NULL,
  originalFaultPc INTEGER,
  CpuInstruction INTEGER NOT NULL,
  module INTEGER NOT NULL,
  unresolvedFaultPc INTEGER
);
