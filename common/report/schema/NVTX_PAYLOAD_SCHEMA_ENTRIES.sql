CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (
  -- {docs as NVTX_PAYLOAD_SCHEMAS}
  -- Fields of each schema in NVTX_PAYLOAD_SCHEMAS.
  domainId INTEGER NOT NULL,
  schemaId INTEGER NOT NULL,
  idx INTEGER NOT NULL,
  flags INTEGER,               -- NVTX_PAYLOAD_ENTRY_FLAG_*
  type INTEGER,                -- NVTX_PAYLOAD_ENTRY_TYPE_*, or the id of a schema or an enum
  name TEXT,
  description TEXT,            -- of prof's own counters the unit
  arrayOrUnionDetail INTEGER,  -- length, index of the length, or member of a union
  offset INTEGER               -- bytes; NULL after the first entry: as the types need
);
