CREATE TABLE PROCESSES (
  -- {docs traced processes; `name` is the path of the last program they ran}
  -- Traced processes.
  globalPid INTEGER,  -- {uint64} see docs/schema.md, Serialized ids
  pid INTEGER,        -- {uint64} in the profiler's pid namespace
  name TEXT           -- {text} path of the executable, or the kernel's name where it is not known
);
