CREATE TABLE TARGET_INFO_SESSION_START_TIME (
  -- Wall clock at time 0 of the session; one row.
  utcEpochNs INTEGER,  -- ns since the epoch
  utcTime TEXT,        -- ISO 8601
  localTime TEXT       -- ISO 8601, in the target's time zone
);
