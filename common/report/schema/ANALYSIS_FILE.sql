CREATE TABLE ANALYSIS_FILE (
  -- Files kept with the report.
  id INTEGER NOT NULL PRIMARY KEY,  -- dense from 0
  filename TEXT,                    -- path it was read from
  contentId INTEGER,                -- StringIds.id: the content
  globalPid INTEGER NOT NULL        -- process it belongs to
);
