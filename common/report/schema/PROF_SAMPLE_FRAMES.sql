CREATE TABLE PROF_SAMPLE_FRAMES (
  -- {row SampleFrameRow : StackFrame}
  -- {docs as PROF_SAMPLE_CHAINS}
  -- Frames of the call chains of CPU samples, each different one once; prof's own.
  id INTEGER NOT NULL PRIMARY KEY,  -- {int64 id} in PROF_SAMPLE_CHAINS.frames
  symbol INTEGER NOT NULL,          -- {uint32 .symbol} as in SAMPLING_CALLCHAINS, like all that follows
  module INTEGER NOT NULL,          -- {uint32 .module} StringIds.id
  kernelMode INTEGER,               -- {bool .is_kernel} 1: of the kernel; otherwise 0
  thumbCode INTEGER,                -- {bool const 0} 0
  unresolved INTEGER,               -- {bool .is_unresolved} 1: symbol is not a name; 0: it is
  specialEntry INTEGER,             -- {bool .is_special} 1: no frame but a word on the chain
  originalIP INTEGER,               -- {uint64 .address} address in the process
  unwindMethod INTEGER,             -- {int32 .method} ENUM_STACK_UNWIND_METHOD.id
  line INTEGER                      -- {int32 .line} of the source file
);
