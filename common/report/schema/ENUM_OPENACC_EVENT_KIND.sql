CREATE TABLE ENUM_OPENACC_EVENT_KIND (
  -- {docs as ENUM_OPENACC_DEVICE}
  -- Values of eventKind of the OpenACC tables.
  id INTEGER NOT NULL PRIMARY KEY,
  name TEXT,
  label TEXT
);
