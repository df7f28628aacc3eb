CREATE TABLE PROF_OPENMP_CODE (
  -- {docs source lines of OpenMP constructs; prof's own}
  -- Where OpenMP constructs are in the program's code; prof's own.
  id INTEGER NOT NULL PRIMARY KEY,
  function INTEGER,              -- StringIds.id: function of the construct; NULL: unknown
  file INTEGER,                  -- StringIds.id: source file; NULL: no debug information
  line INTEGER,                  -- in that file; NULL: no debug information
  module INTEGER NOT NULL,       -- StringIds.id: the program or library
  fileOffset INTEGER             -- of the instruction in the module; NULL: the module cannot be read
);
