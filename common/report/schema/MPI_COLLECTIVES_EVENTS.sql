CREATE TABLE MPI_COLLECTIVES_EVENTS (
  -- {row MpiCollectiveRow}
  -- {docs collective MPI calls, with `-t mpi`; nsys's sizes: those of all ranks together}
  -- MPI calls in which all ranks of a communicator take part.
  start INTEGER NOT NULL,  -- {- start} ns
  end INTEGER,             -- {- end} ns
  globalTid INTEGER,       -- {- global_tid} see docs/schema.md, Serialized ids
  textId INTEGER,          -- {- name_id:int32} StringIds.id: function
  commHandle INTEGER,      -- {- comm?} handle of the communicator
  rootRank INTEGER,        -- {- root:int32?} NULL if the call has none; -4: MPI_ROOT
  size INTEGER,            -- {- bytes?} that the rank sends, times the ranks it sends them to
  recvSize INTEGER,        -- {- received?} that the rank receives, times the ranks it gets them from
  requestHandle INTEGER    -- {- request?} of calls that do not block
);
