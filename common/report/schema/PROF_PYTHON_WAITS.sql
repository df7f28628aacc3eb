CREATE TABLE PROF_PYTHON_WAITS (
  -- {docs as PROF_PYTHON_SAMPLES}
  -- Where Python threads waited; prof's own.
  start INTEGER NOT NULL,        -- ns: a time in the wait
  globalTid INTEGER NOT NULL,    -- see docs/schema.md, Serialized ids
  callchainId INTEGER NOT NULL   -- PROF_PYTHON_CALLCHAINS.id
);
