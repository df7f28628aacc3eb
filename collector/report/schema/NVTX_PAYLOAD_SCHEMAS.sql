CREATE TABLE NVTX_PAYLOAD_SCHEMAS (
  -- Groups of counters, in the form that nsys gives to counters of NVTX.
  domainId INTEGER,
  schemaId INTEGER,
  name TEXT,            -- that of the group
  type INTEGER,         -- 1: static
  flags INTEGER,
  numEntries INTEGER,
  payloadSize INTEGER,  -- bytes
  alignTo INTEGER       -- bytes
);
