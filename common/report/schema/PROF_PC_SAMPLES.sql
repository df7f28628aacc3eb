CREATE TABLE PROF_PC_SAMPLES (
  -- {row PcSampleRow}
  -- {docs samples of the instructions that GPUs execute, and what they wait for, with `--pc-sampling`; prof's own}
  -- Warps that were sampled at an instruction, by the reason why they did not go on; prof's own.
  start INTEGER NOT NULL,       -- {- start} ns; of the time in which the samples were taken
  end INTEGER NOT NULL,         -- {- end} ns
  globalPid INTEGER NOT NULL,   -- {- global_pid} see docs/schema.md, Serialized ids
  deviceId INTEGER NOT NULL,    -- {- device:uint32} CUDA ordinal in the process
  contextId INTEGER NOT NULL,   -- {- context:uint32}
  cubinCrc INTEGER NOT NULL,    -- {- cubin} PROF_CUBINS.crc
  functionId INTEGER NOT NULL,  -- {- function:int32} StringIds.id: the mangled name, as in CUPTI_ACTIVITY_KIND_KERNEL.mangledName
  pcOffset INTEGER NOT NULL,    -- {- offset} of the instruction in its function, bytes
  stallId INTEGER NOT NULL,     -- {- stall:int32} StringIds.id: stall reason, such as long_scoreboard; selected: it went on
  samples INTEGER NOT NULL,     -- {- samples} with this reason
  notIssued INTEGER NOT NULL    -- {- not_issued} those of them at which the scheduler issued no instruction of any warp
);
