CREATE TABLE OSRT_CALLCHAINS (
  -- {docs as CUDA_CALLCHAINS}
  -- Call chains of OS-runtime calls, one row a frame.
  id INTEGER NOT NULL,          -- {int64} OSRT_API.callchainId
  symbol INTEGER NOT NULL,      -- {uint32} StringIds.id: function
  module INTEGER NOT NULL,      -- {uint32} StringIds.id: of a Python frame file:line
  kernelMode INTEGER,           -- {bool} 1: of the kernel; otherwise 0
  thumbCode INTEGER,            -- {bool} 0
  unresolved INTEGER,           -- {bool} 1: symbol is not a name; 0: it is
  specialEntry INTEGER,         -- {bool} 1: no frame but a word on the chain; otherwise NULL
  originalIP INTEGER,           -- {uint64} NULL for Python frames
  unwindMethod INTEGER,         -- {int32} ENUM_STACK_UNWIND_METHOD.id
  stackDepth INTEGER NOT NULL,  -- {int32} 0: innermost
  line INTEGER,                 -- of the source file; ours
  PRIMARY KEY (id, stackDepth)
);
