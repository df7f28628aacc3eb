CREATE TABLE MPI_OTHER_EVENTS (
  -- {row MpiOtherRow}
  -- {docs other MPI calls of which nsys has rows: windows, files, initialization}
  -- MPI calls without further details.
  start INTEGER NOT NULL,  -- {- start} ns
  end INTEGER,             -- {- end} ns
  globalTid INTEGER,       -- {- global_tid} see docs/schema.md, Serialized ids
  textId INTEGER           -- {- name_id:int32} StringIds.id: function
);
