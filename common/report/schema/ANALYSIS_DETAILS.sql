CREATE TABLE ANALYSIS_DETAILS (
  -- {docs duration; `startTime` is 0}
  -- Extent of the session; one row.
  globalVid INTEGER NOT NULL,  -- {uint64} globalPid of no process: hardware and VM id only
  duration INTEGER NOT NULL,   -- {uint64} ns
  startTime INTEGER NOT NULL,  -- {uint64} ns on the session's timeline
  stopTime INTEGER NOT NULL    -- {uint64} ns on the session's timeline
);
