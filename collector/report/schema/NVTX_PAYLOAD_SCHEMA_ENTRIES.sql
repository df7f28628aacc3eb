CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (
  -- Counters of each group in NVTX_PAYLOAD_SCHEMAS.
  domainId INTEGER NOT NULL,
  schemaId INTEGER NOT NULL,
  idx INTEGER NOT NULL,
  flags INTEGER,
  type INTEGER,                -- NVTX's: 15 int32, 16 uint32, 17 int64, 18 uint64, 19 float, 20 double
  name TEXT,
  description TEXT,            -- the unit
  arrayOrUnionDetail INTEGER,
  offset INTEGER               -- bytes
);
