CREATE TABLE META_DATA_EXPORT (
  -- What wrote this file, and in which schema.
  name TEXT NOT NULL,
  value TEXT
);
