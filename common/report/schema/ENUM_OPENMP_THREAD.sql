CREATE TABLE ENUM_OPENMP_THREAD (
  -- {docs as ENUM_OPENMP_DISPATCH}
  -- Values of OMPT that no table has.
  id INTEGER NOT NULL PRIMARY KEY,
  name TEXT,
  label TEXT
);
