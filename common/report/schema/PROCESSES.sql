CREATE TABLE PROCESSES (
  -- Traced processes.
  globalPid INTEGER,  -- see docs/schema.md, Serialized ids
  pid INTEGER,        -- in the profiler's pid namespace
  name TEXT           -- path of the executable, or the kernel's name where it is not known
);
