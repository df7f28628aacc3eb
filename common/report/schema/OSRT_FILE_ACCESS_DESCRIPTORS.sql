CREATE TABLE OSRT_FILE_ACCESS_DESCRIPTORS (
  -- {docs the files, sockets and pipes of `OSRT_FILE_ACCESS_EVENTS`, and the kinds of events}
  -- One row for each life of a descriptor in a process, with --osrt-file-access.
  fileAccessId INTEGER NOT NULL,  -- from 1
  processId INTEGER NOT NULL,     -- pid
  openedAt INTEGER NOT NULL,      -- ns: the opening call returned; or it was first seen
  closedAt INTEGER NOT NULL,      -- ns: the closing call began; or the session ended
  filePath TEXT NOT NULL,         -- see docs/schema.md
  descriptor INTEGER NOT NULL     -- its number; prof's own column
);
