CREATE TABLE PROF_RANKS (
  -- {docs which rank of a job each process is, and what says so; prof's own}
  -- Processes to which a launcher, or the program itself, has given a rank in a job, from the
  -- variables of common/wire/rank_variables.hpp. If two sources disagree, both have a row.
  globalPid INTEGER NOT NULL,   -- see docs/schema.md, Serialized ids
  rank INTEGER NOT NULL,        -- in the job, from 0
  size INTEGER,                 -- number of ranks
  localRank INTEGER,            -- among the ranks of the node, from 0
  localSize INTEGER,            -- number of ranks of the node
  nodeRank INTEGER,             -- number of the node, from 0
  jobId TEXT,                   -- as the scheduler or launcher names the job
  attempt INTEGER,              -- how often the job was started again
  node TEXT,                    -- name of the node, in Kubernetes
  pod TEXT,                     -- namespace and name of the pod, in Kubernetes
  source TEXT NOT NULL,         -- who gave the rank: "torchrun", "Open MPI", "Slurm", ...
  precedence INTEGER NOT NULL   -- 0: the best source of the process; others disagree with it
);
