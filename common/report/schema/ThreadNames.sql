CREATE TABLE ThreadNames (
  -- {docs threads that recorded something, with their last name: NVTX's if given, else the kernel's}
  -- Threads that recorded something.
  nameId INTEGER NOT NULL,  -- {uint64} StringIds.id of the last name the thread had
  priority INTEGER,         -- {uint64} as in /proc/<pid>/stat: 20 + nice
  globalTid INTEGER         -- {uint64} see docs/schema.md, Serialized ids
);
