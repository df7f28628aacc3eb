CREATE TABLE GENERIC_EVENTS (
  -- Samples of counters outside of GPU_METRICS. Their values are in GENERIC_EVENT_DATA.
  genericEventId INTEGER NOT NULL PRIMARY KEY,
  rawTimestamp INTEGER NOT NULL,  -- ns; the same as timestamp
  timestamp INTEGER NOT NULL,     -- ns
  typeId INTEGER NOT NULL,        -- GENERIC_EVENT_TYPES.typeId
  globalTid INTEGER,              -- thread of prof that took the sample
  data TEXT
);
