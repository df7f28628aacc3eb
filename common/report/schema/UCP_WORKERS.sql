CREATE TABLE UCP_WORKERS (
  -- {docs workers of UCX}
  -- Workers of UCX: what a process sends and receives with.
  globalTid INTEGER NOT NULL,  -- the thread that made it; see docs/schema.md, Serialized ids
  workerUid INTEGER NOT NULL   -- unique in a job
);
