CREATE TABLE MPI_START_WAIT_EVENTS (
  -- {row MpiRequestRow}
  -- {docs MPI_Start, MPI_Test, MPI_Wait and their relatives, with `-t mpi`: a row for each request}
  -- MPI calls that start, test or wait for requests, a row for each request.
  start INTEGER NOT NULL,  -- {- start} ns
  end INTEGER,             -- {- end} ns
  globalTid INTEGER,       -- {- global_tid} see docs/schema.md, Serialized ids
  textId INTEGER,          -- {- name_id:int32} StringIds.id: function
  requestHandle INTEGER    -- {- request?} handle before the call; NULL if MPI_Waitany or MPI_Testany found none
);
