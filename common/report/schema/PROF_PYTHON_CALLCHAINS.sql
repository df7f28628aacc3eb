CREATE TABLE PROF_PYTHON_CALLCHAINS (
  -- {docs as PROF_PYTHON_SAMPLES}
  -- Call chains of Python samples and waits, one row a frame; prof's own.
  id INTEGER NOT NULL,          -- {int64} callchainId of PROF_PYTHON_SAMPLES and _WAITS
  symbol INTEGER NOT NULL,      -- {uint32} StringIds.id: function
  module INTEGER NOT NULL,      -- {uint32} StringIds.id: file:line
  unresolved INTEGER,           -- {bool} 1: symbol is not a name; 0: it is
  stackDepth INTEGER NOT NULL,  -- {int32} 0: innermost
  line INTEGER,                 -- of the source file
  PRIMARY KEY (id, stackDepth)
);
