CREATE TABLE NVTX_EVENTS (
  -- NVTX ranges, marks and names. Exactly one of text and textId is set where there is a text.
  start INTEGER NOT NULL,      -- ns
  end INTEGER,                 -- ns; NULL for marks and names; of a range that never ended that of the recording
  eventType INTEGER NOT NULL,  -- ENUM_NSYS_EVENT_TYPE.id: 59 push/pop, 60 start/end, 34 mark, 33 category, 39 thread name, 75/76 domain
  rangeId INTEGER,             -- start/end ranges: what nvtxRangeStart returned
  category INTEGER,            -- id of a category, named by an eventType 33 row of the same domain
  color INTEGER,               -- ARGB
  text TEXT,                   -- message given with the event
  globalTid INTEGER,           -- thread of the start; see docs/schema.md, Serialized ids
  endGlobalTid INTEGER,        -- thread of the end, where it is another one
  textId INTEGER,              -- StringIds.id of a registered string
  domainId INTEGER,            -- 0 is the default domain; others are named by an eventType 75 row
  uint64Value INTEGER,         -- at most one of the payload columns is set
  int64Value INTEGER,
  doubleValue REAL,
  uint32Value INTEGER,
  int32Value INTEGER,
  floatValue REAL,
  jsonTextId INTEGER,
  jsonText TEXT,               -- fields of a payload with a schema, a JSON object
  binaryData TEXT,             -- its bytes, a blob; see docs/schema.md, NVTX payloads
  isOpen INTEGER               -- 1: a range that never ended; otherwise NULL
);
