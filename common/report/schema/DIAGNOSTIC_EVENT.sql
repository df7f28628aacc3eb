CREATE TABLE DIAGNOSTIC_EVENT (
  -- {docs what was dropped, switched off or not seen; read it when in doubt}
  -- What the profiler has to say about this report: what was switched off, lost or not seen.
  timestamp INTEGER NOT NULL,      -- {int64} ns on the session's timeline
  timestampType INTEGER NOT NULL,  -- {int32} ENUM_DIAGNOSTIC_TIMESTAMP_SOURCE.id
  source INTEGER NOT NULL,         -- {int32} ENUM_DIAGNOSTIC_SOURCE_TYPE.id
  severity INTEGER NOT NULL,       -- {int32} ENUM_DIAGNOSTIC_SEVERITY_LEVEL.id
  text TEXT NOT NULL,  -- {text}
  globalPid INTEGER                -- {uint64} process it is about
);
