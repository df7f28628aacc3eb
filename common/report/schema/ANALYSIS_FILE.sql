CREATE TABLE ANALYSIS_FILE (
  -- {docs as ProcessStreams}
  -- Files kept with the report.
  id INTEGER NOT NULL PRIMARY KEY,  -- {int32} dense from 0
  filename TEXT,                    -- {text} path it was read from
  contentId INTEGER,                -- {uint32} StringIds.id: the content
  globalPid INTEGER NOT NULL        -- {uint64} process it belongs to
);
