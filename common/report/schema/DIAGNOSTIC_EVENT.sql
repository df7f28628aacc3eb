CREATE TABLE DIAGNOSTIC_EVENT (
  -- What the profiler has to say about this report: what was switched off, lost or not seen.
  timestamp INTEGER NOT NULL,      -- ns on the session's timeline
  timestampType INTEGER NOT NULL,  -- ENUM_DIAGNOSTIC_TIMESTAMP_SOURCE.id
  source INTEGER NOT NULL,         -- ENUM_DIAGNOSTIC_SOURCE_TYPE.id
  severity INTEGER NOT NULL,       -- ENUM_DIAGNOSTIC_SEVERITY_LEVEL.id
  text TEXT NOT NULL,
  globalPid INTEGER                -- process it is about
);
