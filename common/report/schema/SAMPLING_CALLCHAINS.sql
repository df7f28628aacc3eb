CREATE TABLE SAMPLING_CALLCHAINS (
  -- {row SampleFrameRow : StackFrame}
  -- {docs call chains of `COMPOSITE_EVENTS`}
  -- Call chains of samples, one row a frame.
  id INTEGER NOT NULL,          -- {int64 id} COMPOSITE_EVENTS.id
  symbol INTEGER NOT NULL,      -- {uint32 .symbol} StringIds.id: function; module+0xoffset if unresolved
  module INTEGER NOT NULL,      -- {uint32 .module} StringIds.id: file; of a Python frame file:line
  kernelMode INTEGER,           -- {bool .is_kernel} 1: of the kernel; otherwise 0
  thumbCode INTEGER,            -- {bool const 0} 0
  unresolved INTEGER,           -- {bool .is_unresolved} 1: symbol is not a name; 0: it is
  specialEntry INTEGER,         -- {bool .is_special} 1: no frame but a word on the chain ([Max depth], ...)
  originalIP INTEGER,           -- {uint64 .address} address in the process; NULL for Python frames
  unwindMethod INTEGER,         -- {int32 .method} ENUM_STACK_UNWIND_METHOD.id: how the frame was found
  stackDepth INTEGER NOT NULL,  -- {int32 depth} 0: innermost
  line INTEGER,                 -- {- .line} of the source file; ours
  PRIMARY KEY (id, stackDepth)
);
