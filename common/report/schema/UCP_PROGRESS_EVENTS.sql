CREATE TABLE UCP_PROGRESS_EVENTS (
  -- {row UcpProgressRow}
  -- {docs transfers of UCX that went on after their call, from the call to their completion; globalTid is the thread that saw it}
  -- Transfers of UCX from their call to their completion, on the thread that saw it.
  start INTEGER NOT NULL,  -- {- start} ns
  end INTEGER,             -- {- end} ns
  globalTid INTEGER,       -- {- global_tid} see docs/schema.md, Serialized ids
  textId INTEGER,          -- {- name_id:int32} StringIds.id: function
  bufferAddr INTEGER,      -- {- buffer?} address of the data
  packedSize INTEGER,      -- {- bytes?} bytes; NULL if only the program knows the size of its datatype
  peerWorkerUid INTEGER,   -- {- peer?} UCP_WORKERS.workerUid of the other end; NULL if it is not known
  tag INTEGER              -- {- tag?} of functions with a tag; of a receive that of the message
);
