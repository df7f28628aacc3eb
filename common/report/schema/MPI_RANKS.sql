CREATE TABLE MPI_RANKS (
  -- {docs the rank in MPI_COMM_WORLD of each process, and the thread that initialized MPI}
  -- Ranks of processes in MPI_COMM_WORLD.
  globalTid INTEGER NOT NULL,  -- the thread that initialized MPI; see docs/schema.md, Serialized ids
  rank INTEGER NOT NULL        -- in MPI_COMM_WORLD
);
