CREATE TABLE MPI_P2P_EVENTS (
  -- {row MpiMessageRow}
  -- {docs MPI calls that send or receive, with `-t mpi`; MPI_Sendrecv has a row for each half}
  -- MPI calls that send or receive a message.
  start INTEGER NOT NULL,  -- {- start} ns
  end INTEGER,             -- {- end} ns
  globalTid INTEGER,       -- {- global_tid} see docs/schema.md, Serialized ids
  textId INTEGER,          -- {- name_id:int32} StringIds.id: function
  commHandle INTEGER,      -- {- comm?} handle of the communicator
  tag INTEGER,             -- {- tag:int32?} NULL if a wildcard could not be resolved
  remoteRank INTEGER,      -- {- peer:int32?} in the communicator; NULL as for tag
  size INTEGER,            -- {- bytes?} of the buffer; a message that is received can be shorter
  requestHandle INTEGER    -- {- request?} of calls that do not block
);
