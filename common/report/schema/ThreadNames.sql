CREATE TABLE ThreadNames (
  -- Threads that recorded something.
  nameId INTEGER NOT NULL,  -- StringIds.id of the last name the thread had
  priority INTEGER,         -- as in /proc/<pid>/stat: 20 + nice
  globalTid INTEGER         -- see docs/schema.md, Serialized ids
);
