CREATE TABLE PROF_KERNEL_PROFILES (
  -- {row KernelProfileRow}
  -- {docs kernel launches that `prof kernel` selected, and how it profiled each; their metrics; prof's own}
  -- Launches that prof kernel selected. One that it profiled also has a row in
  -- CUPTI_ACTIVITY_KIND_KERNEL, with the same globalPid and correlationId.
  id INTEGER NOT NULL PRIMARY KEY,  -- {- id} from 0, in the order of the launches
  globalPid INTEGER NOT NULL,       -- {- global_pid} see docs/schema.md, Serialized ids
  correlationId INTEGER NOT NULL,   -- {- correlation} of the launch
  deviceId INTEGER NOT NULL,        -- {- device} CUDA ordinal in the process
  contextId INTEGER NOT NULL,       -- {- context}
  streamId INTEGER NOT NULL,        -- {- stream}
  nameId INTEGER NOT NULL,          -- {- name:int32} StringIds.id: demangled name
  gridX INTEGER NOT NULL,           -- {- grid_x}
  gridY INTEGER NOT NULL,           -- {- grid_y}
  gridZ INTEGER NOT NULL,           -- {- grid_z}
  blockX INTEGER NOT NULL,          -- {- block_x}
  blockY INTEGER NOT NULL,          -- {- block_y}
  blockZ INTEGER NOT NULL,          -- {- block_z}
  invocation INTEGER NOT NULL,      -- {- invocation} how many launches of this name the process had before
  mode TEXT NOT NULL,               -- {- mode} "none" (one pass), "kernel" (replayed), "rotate", "application" (passes of several launches: PROF_KERNEL_PASSES)
  passes INTEGER NOT NULL,          -- {- passes} that the metrics take; 0: none was made
  status TEXT NOT NULL,             -- {- status} "ok", "refused" (prof does not profile this kernel), "failed" (CUPTI did not)
  reason TEXT                       -- {- reason?} why the status is not "ok", why there are no SASS metrics, or which passes are missing
);
