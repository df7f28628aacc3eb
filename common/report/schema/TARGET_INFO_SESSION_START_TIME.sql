CREATE TABLE TARGET_INFO_SESSION_START_TIME (
  -- {docs wall clock at time 0}
  -- Wall clock at time 0 of the session; one row.
  utcEpochNs INTEGER,  -- {uint64} ns since the epoch
  utcTime TEXT,        -- {text} ISO 8601
  localTime TEXT       -- {text} ISO 8601, in the target's time zone
);
