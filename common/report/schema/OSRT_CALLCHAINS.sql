CREATE TABLE OSRT_CALLCHAINS (
  -- Call chains of OS-runtime calls, one row a frame.
  id INTEGER NOT NULL,          -- OSRT_API.callchainId
  symbol INTEGER NOT NULL,      -- StringIds.id: function
  module INTEGER NOT NULL,      -- StringIds.id: of a Python frame file:line
  kernelMode INTEGER,           -- 1: of the kernel; otherwise 0
  thumbCode INTEGER,            -- 0
  unresolved INTEGER,           -- 1: symbol is not a name; 0: it is
  specialEntry INTEGER,         -- 1: no frame but a word on the chain; otherwise NULL
  originalIP INTEGER,           -- NULL for Python frames
  unwindMethod INTEGER,         -- ENUM_STACK_UNWIND_METHOD.id
  stackDepth INTEGER NOT NULL,  -- 0: innermost
  line INTEGER,                 -- of the source file; ours
  PRIMARY KEY (id, stackDepth)
);
