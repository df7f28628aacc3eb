CREATE TABLE SAMPLING_CALLCHAINS (
  -- {docs call chains of `COMPOSITE_EVENTS`; a view, see below}
  -- Call chains of samples, one row a frame.
  id INTEGER NOT NULL,          -- {int64} COMPOSITE_EVENTS.id
  symbol INTEGER NOT NULL,      -- {uint32} StringIds.id: function; module+0xoffset if unresolved
  module INTEGER NOT NULL,      -- {uint32} StringIds.id: file; of a Python frame file:line
  kernelMode INTEGER,           -- {bool} 1: of the kernel; otherwise 0
  thumbCode INTEGER,            -- {bool} 0
  unresolved INTEGER,           -- {bool} 1: symbol is not a name; 0: it is
  specialEntry INTEGER,         -- {bool} 1: no frame but a word on the chain ([Max depth], ...)
  originalIP INTEGER,           -- {uint64} address in the process; NULL for Python frames
  unwindMethod INTEGER,         -- {int32} ENUM_STACK_UNWIND_METHOD.id: how the frame was found
  stackDepth INTEGER NOT NULL,  -- {int32} 0: innermost
  line INTEGER,                 -- of the source file; ours
  PRIMARY KEY (id, stackDepth)
);
