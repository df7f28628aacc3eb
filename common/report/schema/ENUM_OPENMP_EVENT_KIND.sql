CREATE TABLE ENUM_OPENMP_EVENT_KIND (
  -- {docs as ENUM_OPENMP_DISPATCH}
  -- Values of eventKind.
  id INTEGER NOT NULL PRIMARY KEY,
  name TEXT,
  label TEXT
);
