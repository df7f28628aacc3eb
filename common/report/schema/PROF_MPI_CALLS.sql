CREATE TABLE PROF_MPI_CALLS (
  -- {row MpiOwnRow}
  -- {docs MPI calls of which nsys has no rows: probes, communicators, cancelled requests; prof's own}
  -- MPI calls that nsys does not record.
  start INTEGER NOT NULL,  -- {- start} ns
  end INTEGER,             -- {- end} ns
  globalTid INTEGER,       -- {- global_tid} see docs/schema.md, Serialized ids
  textId INTEGER           -- {- name_id:int32} StringIds.id: function
);
