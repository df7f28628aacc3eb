CREATE TABLE PROF_PYTHON_SAMPLES (
  -- {docs samples of Python threads, and where they waited; prof's own}
  -- Python threads that were seen at work; prof's own.
  start INTEGER NOT NULL,        -- ns
  globalTid INTEGER NOT NULL,    -- see docs/schema.md, Serialized ids
  callchainId INTEGER NOT NULL   -- PROF_PYTHON_CALLCHAINS.id
);
