CREATE TABLE GPU_CONTEXT_SWITCH_EVENTS (
  -- {docs when GPUs began and ended to work for contexts, with `--gpuctxsw`}
  -- When a GPU began (tag 9) and ended (tag 7) to work for a context of the program.
  tag INTEGER NOT NULL,  -- {int32} ENUM_GPU_CTX_SWITCH.id
  vmId INTEGER NOT NULL,  -- {uint64}
  seqNo INTEGER NOT NULL,  -- {uint32} number of the row on this GPU
  contextId INTEGER NOT NULL,  -- {uint32}
  timestamp INTEGER NOT NULL,  -- {int64} ns
  globalPid INTEGER,  -- {uint64} see docs/schema.md, Serialized ids
  gpuId INTEGER,  -- {uint32} TARGET_INFO_GPU.id; NULL: not known
  end INTEGER  -- {-} ns, with tag 9: when the GPU ended to work for the context; NULL: not within the report
);
