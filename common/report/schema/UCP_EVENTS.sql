CREATE TABLE UCP_EVENTS (
  -- {row UcpRow}
  -- {docs calls of UCX that are not transfers, with `-t ucx`: workers, endpoints, memory, flushes}
  -- Calls of UCX's protocol layer (UCP) that transfer no data.
  start INTEGER NOT NULL,  -- {- start} ns
  end INTEGER,             -- {- end} ns
  globalTid INTEGER,       -- {- global_tid} see docs/schema.md, Serialized ids
  textId INTEGER           -- {- name_id:int32} StringIds.id: function
);
