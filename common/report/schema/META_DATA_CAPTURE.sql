CREATE TABLE META_DATA_CAPTURE (
  -- How the session was recorded.
  name TEXT NOT NULL,
  value TEXT
);
