CREATE TABLE META_DATA_EXPORT (
  -- {docs schema version and what wrote the file}
  -- What wrote this file, and in which schema.
  name TEXT NOT NULL,  -- {text}
  value TEXT  -- {text}
);
