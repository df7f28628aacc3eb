CREATE TABLE ENUM_OPENMP_TASK_STATUS (
  -- {docs as ENUM_OPENMP_DISPATCH}
  -- Values of OMPT that no table has.
  id INTEGER NOT NULL PRIMARY KEY,
  name TEXT,
  label TEXT
);
