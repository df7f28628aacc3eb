CREATE TABLE PROF_SHMEM_CALLS (
  -- {row ShmemRow}
  -- {docs calls of OpenSHMEM, with `-t oshmem`; prof's own}
  -- Calls of OpenSHMEM.
  start INTEGER NOT NULL,  -- {- start} ns
  end INTEGER,             -- {- end} ns
  globalTid INTEGER,       -- {- global_tid} see docs/schema.md, Serialized ids
  textId INTEGER,          -- {- name_id:int32} StringIds.id: function
  size INTEGER,            -- {- bytes?} bytes that the calling PE passes, or gets from one PE; NULL: none
  peer INTEGER             -- {- peer:int32?} PE at the other end, or root; of a team its number there
);
