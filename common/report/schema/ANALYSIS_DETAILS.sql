CREATE TABLE ANALYSIS_DETAILS (
  -- Extent of the session; one row.
  globalVid INTEGER NOT NULL,  -- globalPid of no process: hardware and VM id only
  duration INTEGER NOT NULL,   -- ns
  startTime INTEGER NOT NULL,  -- ns on the session's timeline
  stopTime INTEGER NOT NULL    -- ns on the session's timeline
);
