CREATE TABLE NVTX_PAYLOAD_ENUMS (
  -- {docs enums and scopes that programs registered with NVTX}
  -- Enums that the program registered for payloads of NVTX events.
  domainId INTEGER,    -- as in NVTX_EVENTS
  schemaId INTEGER,    -- id: what NVTX_PAYLOAD_SCHEMA_ENTRIES.type refers to
  name TEXT,
  numEntries INTEGER,
  size INTEGER         -- bytes of a value
);
