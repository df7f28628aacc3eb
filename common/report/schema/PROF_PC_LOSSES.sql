CREATE TABLE PROF_PC_LOSSES (
  -- {row PcLossRow}
  -- {docs how many PC samples there were, and how many have no rows; prof's own}
  -- PC samples of a context in a time: all of them, and those without rows; prof's own.
  start INTEGER NOT NULL,              -- {- start} ns
  end INTEGER NOT NULL,                -- {- end} ns
  globalPid INTEGER NOT NULL,          -- {- global_pid} see docs/schema.md, Serialized ids
  deviceId INTEGER NOT NULL,           -- {- device:uint32} CUDA ordinal in the process
  contextId INTEGER NOT NULL,          -- {- context:uint32}
  period INTEGER NOT NULL,             -- {- period} cycles of a multiprocessor between two of its samples
  total INTEGER NOT NULL,              -- {- total} samples that the GPU took: those with rows and the next three
  dropped INTEGER NOT NULL,            -- {- dropped} by the GPU
  nonUser INTEGER NOT NULL,            -- {- non_user} of kernels of the driver and of NVIDIA's tools
  unrecorded INTEGER NOT NULL,         -- {- unrecorded} for which prof had no room
  hardwareBufferFull INTEGER NOT NULL  -- {- hardware_buffer_full} how many times the GPU's buffer of samples was full
);
