CREATE TABLE CUDA_CALLCHAINS (
  -- {docs call chains of CUDA and OS-runtime calls from a threshold on; with `--python-backtrace` with Python frames}
  -- Call chains of CUDA API calls, one row a frame.
  id INTEGER NOT NULL,          -- {int64} CUPTI_ACTIVITY_KIND_RUNTIME.callchainId
  symbol INTEGER NOT NULL,      -- {uint32} StringIds.id: function
  module INTEGER NOT NULL,      -- {uint32} StringIds.id: of a Python frame file:line
  unresolved INTEGER,           -- {bool} 1: symbol is not a name; 0: it is
  originalIP INTEGER,           -- {uint64} NULL for Python frames
  stackDepth INTEGER NOT NULL,  -- {int32} 0: innermost
  line INTEGER,                 -- of the source file; ours
  PRIMARY KEY (id, stackDepth)
);
