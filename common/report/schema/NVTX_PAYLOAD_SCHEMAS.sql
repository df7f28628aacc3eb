CREATE TABLE NVTX_PAYLOAD_SCHEMAS (
  -- {docs which counters `GENERIC_EVENTS` has, as counters of NVTX}
  -- What payloads of NVTX events and samples of counters are made of. Groups of counters that prof
  -- samples itself have one too, in the form that nsys gives to counters of NVTX.
  domainId INTEGER,     -- as in NVTX_EVENTS
  schemaId INTEGER,     -- the program's number from 2^24, prof's from 2^32
  name TEXT,            -- as registered; of prof's own counters that of the group
  type INTEGER,         -- 1: static, 2: dynamic, 3: union, 4: union with a selector in it
  flags INTEGER,        -- NVTX_PAYLOAD_SCHEMA_FLAG_*
  numEntries INTEGER,
  payloadSize INTEGER,  -- bytes, if registered
  alignTo INTEGER       -- bytes, if registered
);
