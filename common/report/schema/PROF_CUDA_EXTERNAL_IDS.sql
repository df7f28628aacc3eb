CREATE TABLE PROF_CUDA_EXTERNAL_IDS (
  -- CUDA calls that were made while another user of CUPTI in the program worked on behalf of an id that
  -- it gave; prof's own.
  correlationId INTEGER NOT NULL,  -- as in CUPTI_ACTIVITY_KIND_RUNTIME, _KERNEL, _MEMCPY, _MEMSET
  globalPid INTEGER NOT NULL,      -- see docs/schema.md, Serialized ids
  clientId INTEGER NOT NULL,       -- StringIds.id: the library that gave the id
  externalKind INTEGER NOT NULL,   -- CUpti_ExternalCorrelationKind: 1 unknown, 2 OpenACC, 3 to 5 custom
  externalId INTEGER NOT NULL      -- the library's
);
