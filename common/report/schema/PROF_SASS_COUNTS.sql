CREATE TABLE PROF_SASS_COUNTS (
  -- {row SassCountRow}
  -- {docs what each machine instruction did in the launches of which `prof kernel` counted SASS metrics; prof's own}
  -- SASS metrics: counts of machine instructions in launches that prof kernel profiled; prof's own. Counts of 0 have no
  -- row. The source lines of instructions are in the code of PROF_CUBINS.
  profileId INTEGER NOT NULL,   -- {- profile} PROF_KERNEL_PROFILES.id
  cubinCrc INTEGER NOT NULL,    -- {- cubin} PROF_CUBINS.crc
  functionId INTEGER NOT NULL,  -- {- function:int32} StringIds.id: mangled name; kernels can call other functions
  pcOffset INTEGER NOT NULL,    -- {- offset} of the instruction in its function, bytes
  metricId INTEGER NOT NULL,    -- {- metric} PROF_METRIC_NAMES.metricId, such as that of smsp__sass_sectors_mem_global
  value INTEGER NOT NULL        -- {- value} of all warps of the launch
);
