CREATE TABLE CUDA_CALLCHAINS (
  -- Call chains of CUDA API calls, one row a frame.
  id INTEGER NOT NULL,          -- CUPTI_ACTIVITY_KIND_RUNTIME.callchainId
  symbol INTEGER NOT NULL,      -- StringIds.id: function
  module INTEGER NOT NULL,      -- StringIds.id: of a Python frame file:line
  unresolved INTEGER,           -- 1: symbol is not a name; 0: it is
  originalIP INTEGER,           -- NULL for Python frames
  stackDepth INTEGER NOT NULL,  -- 0: innermost
  line INTEGER,                 -- of the source file; ours
  PRIMARY KEY (id, stackDepth)
);
