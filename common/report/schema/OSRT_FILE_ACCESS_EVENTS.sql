CREATE TABLE OSRT_FILE_ACCESS_EVENTS (
  -- What calls did to files, with --osrt-file-access, however short they were.
  fileAccessId INTEGER NOT NULL,    -- OSRT_FILE_ACCESS_DESCRIPTORS.fileAccessId
  threadId INTEGER NOT NULL,        -- tid; the process is the descriptor's
  startedAt INTEGER NOT NULL,       -- ns
  endedAt INTEGER NOT NULL,         -- ns
  eventType INTEGER NOT NULL,       -- ENUM_PROF_FILE_EVENT_TYPE.id
  apiCallId INTEGER NOT NULL,       -- StringIds.id: function
  bytesProcessed INTEGER NOT NULL,  -- that the call transferred
  context TEXT NOT NULL             -- always empty
);
