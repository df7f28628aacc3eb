CREATE TABLE MPI_P2P_EVENTS (
  -- {row MpiMessageRow}
  -- {docs MPI calls that send or receive, with `-t mpi`; MPI_Sendrecv has a row for each half}
  -- MPI calls that send or receive a message.
  start INTEGER NOT NULL,  -- {- start} ns
  end INTEGER,             -- {- end} ns
  globalTid INTEGER,       -- {- global_tid} see docs/schema.md, Serialized ids
  textId INTEGER,          -- {- name_id:int32} StringIds.id: function
  commHandle INTEGER,      -- {- comm?} handle of the communicator
  tag INTEGER,             -- {- tag:int32?} NULL if it is a wildcard that could not be resolved
  remoteRank INTEGER,      -- {- peer:int32?} in the communicator; -1 as NULL of tag; NULL: no process
  size INTEGER,            -- {- bytes?} of the message; of a receive that does not block that of the buffer
  requestHandle INTEGER    -- {- request?} of calls that do not block
);
