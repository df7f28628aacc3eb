CREATE TABLE ENUM_OPENMP_DISPATCH (
  -- {docs values of columns of the `OPENMP_` tables, and of OMPT; nsys writes them only with these events, too}
  -- Values of OMPT that no table has.
  id INTEGER NOT NULL PRIMARY KEY,
  name TEXT,
  label TEXT
);
