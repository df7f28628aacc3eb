CREATE TABLE SAMPLING_CALLCHAINS (
  -- Call chains of samples, one row a frame.
  id INTEGER NOT NULL,          -- COMPOSITE_EVENTS.id
  symbol INTEGER NOT NULL,      -- StringIds.id: function; module+0xoffset if unresolved
  module INTEGER NOT NULL,      -- StringIds.id: file; of a Python frame file:line
  kernelMode INTEGER,           -- 1: of the kernel; otherwise 0
  thumbCode INTEGER,            -- 0
  unresolved INTEGER,           -- 1: symbol is not a name; 0: it is
  specialEntry INTEGER,         -- 1: no frame but a word on the chain ([Max depth], ...)
  originalIP INTEGER,           -- address in the process; NULL for Python frames
  unwindMethod INTEGER,         -- ENUM_STACK_UNWIND_METHOD.id: how the frame was found
  stackDepth INTEGER NOT NULL,  -- 0: innermost
  line INTEGER,                 -- of the source file; ours
  PRIMARY KEY (id, stackDepth)
);
