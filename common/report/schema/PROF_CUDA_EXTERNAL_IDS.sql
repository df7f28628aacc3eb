CREATE TABLE PROF_CUDA_EXTERNAL_IDS (
  -- {row ExternalIdRow}
  -- {docs on whose behalf CUDA calls were made, as PyTorch's profiler and others say it to CUPTI; prof's own}
  -- CUDA calls that were made while another user of CUPTI in the program worked on behalf of an id that
  -- it gave; prof's own.
  correlationId INTEGER NOT NULL,  -- {- correlation:uint32} as in CUPTI_ACTIVITY_KIND_RUNTIME, _KERNEL, _MEMCPY, _MEMSET
  globalPid INTEGER NOT NULL,      -- {- global_pid} see docs/schema.md, Serialized ids
  clientId INTEGER NOT NULL,       -- {- client_id:int32} StringIds.id: the library that gave the id
  externalKind INTEGER NOT NULL,   -- {- kind:int32} CUpti_ExternalCorrelationKind: 1 unknown, 2 OpenACC, 3 to 5 custom
  externalId INTEGER NOT NULL      -- {- external_id} the library's
);
