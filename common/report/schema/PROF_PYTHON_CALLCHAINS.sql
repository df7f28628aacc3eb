CREATE TABLE PROF_PYTHON_CALLCHAINS (
  -- Call chains of Python samples and waits, one row a frame; prof's own.
  id INTEGER NOT NULL,          -- callchainId of PROF_PYTHON_SAMPLES and _WAITS
  symbol INTEGER NOT NULL,      -- StringIds.id: function
  module INTEGER NOT NULL,      -- StringIds.id: file:line
  unresolved INTEGER,           -- 1: symbol is not a name; 0: it is
  stackDepth INTEGER NOT NULL,  -- 0: innermost
  line INTEGER,                 -- of the source file
  PRIMARY KEY (id, stackDepth)
);
