CREATE TABLE NVTX_PAYLOAD_ENUM_ENTRIES (
  -- {docs as NVTX_PAYLOAD_ENUMS}
  -- Values of NVTX_PAYLOAD_ENUMS.
  domainId INTEGER NOT NULL,
  schemaId INTEGER NOT NULL,  -- NVTX_PAYLOAD_ENUMS.schemaId
  idx INTEGER NOT NULL,
  name TEXT,
  value INTEGER,              -- NULL: 0
  isFlag INTEGER              -- 1: a bit that is combined with others; otherwise NULL
);
