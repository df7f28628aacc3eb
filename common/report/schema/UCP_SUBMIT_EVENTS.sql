CREATE TABLE UCP_SUBMIT_EVENTS (
  -- {row UcpSubmitRow}
  -- {docs calls of UCX that send, receive, put, get or change remote memory, with `-t ucx`}
  -- Calls of UCX that begin a transfer.
  start INTEGER NOT NULL,  -- {- start} ns
  end INTEGER,             -- {- end} ns
  globalTid INTEGER,       -- {- global_tid} see docs/schema.md, Serialized ids
  textId INTEGER,          -- {- name_id:int32} StringIds.id: function
  bufferAddr INTEGER,      -- {- buffer?} address of the data
  packedSize INTEGER,      -- {- bytes?} bytes; NULL if only the program knows the size of its datatype
  peerWorkerUid INTEGER,   -- {- peer?} UCP_WORKERS.workerUid of the other end; NULL if it is not known
  tag INTEGER              -- {- tag?} of functions with a tag; of a receive the tag that it waits for
);
