CREATE TABLE META_DATA_CAPTURE (
  -- {docs options of the session, under nsys's names, and the exit status (`PROCESS_0:EXIT_STATUS`); no environment variables}
  -- How the session was recorded.
  name TEXT NOT NULL,  -- {text}
  value TEXT  -- {text}
);
