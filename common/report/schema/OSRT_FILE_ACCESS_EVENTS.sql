CREATE TABLE OSRT_FILE_ACCESS_EVENTS (
  -- {row FileEventRow}
  -- {docs what calls did to files, sockets and pipes, with `--osrt-file-access`}
  -- What calls did to files, with --osrt-file-access, however short they were.
  fileAccessId INTEGER NOT NULL,    -- {- access} OSRT_FILE_ACCESS_DESCRIPTORS.fileAccessId
  threadId INTEGER NOT NULL,        -- {- thread} tid; the process is the descriptor's
  startedAt INTEGER NOT NULL,       -- {- start} ns
  endedAt INTEGER NOT NULL,         -- {- end} ns
  eventType INTEGER NOT NULL,       -- {- type:int32} ENUM_PROF_FILE_EVENT_TYPE.id
  apiCallId INTEGER NOT NULL,       -- {- name_id:int32} StringIds.id: function
  bytesProcessed INTEGER NOT NULL,  -- {- bytes} that the call transferred
  context TEXT NOT NULL             -- {- context} always empty
);
