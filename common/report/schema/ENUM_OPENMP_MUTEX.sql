CREATE TABLE ENUM_OPENMP_MUTEX (
  -- {docs as ENUM_OPENMP_DISPATCH}
  -- Values of kind of the tables of mutexes.
  id INTEGER NOT NULL PRIMARY KEY,
  name TEXT,
  label TEXT
);
