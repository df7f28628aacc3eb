CREATE TABLE NVTX_SCOPES (
  -- {docs as NVTX_PAYLOAD_ENUMS}
  -- Scopes that the program registered with NVTX: where events and counters come from.
  domainId INTEGER,
  scopeId INTEGER,
  parentScopeId INTEGER,  -- 0: none, 1: the root
  path TEXT               -- relative to the parent
);
