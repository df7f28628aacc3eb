CREATE TABLE MPI_COMMUNICATORS (
  -- {docs MPI communicators, a row for each process that has got one}
  -- Communicators as processes got them.
  rank INTEGER,          -- of the process in MPI_COMM_WORLD
  timestamp INTEGER,     -- ns
  commHandle INTEGER,    -- as in MPI_P2P_EVENTS
  parentHandle INTEGER,  -- 0: none
  localRank INTEGER,     -- of the process in this communicator; NULL for a copy of its parent
  size INTEGER,          -- number of ranks; NULL for a copy of its parent
  groupRoot INTEGER,     -- rank in MPI_COMM_WORLD of rank 0; NULL for a copy and an intercommunicator
  groupRootUid INTEGER,  -- number among those with this groupRoot, from 0
  members TEXT           -- always NULL
);
