CREATE TABLE CUDA_UM_GPU_PAGE_FAULT_EVENTS (
  -- {docs as CUDA_UM_CPU_PAGE_FAULT_EVENTS}
  -- The GPU touched unified memory that was not there.
  start INTEGER NOT NULL,  -- ns
  end INTEGER NOT NULL,  -- ns
  globalPid INTEGER NOT NULL,  -- see docs/schema.md, Serialized ids
  deviceId INTEGER NOT NULL,  -- CUDA ordinal in the process
  address INTEGER NOT NULL,
  numberOfPageFaults INTEGER NOT NULL,
  faultAccessType INTEGER NOT NULL
);
