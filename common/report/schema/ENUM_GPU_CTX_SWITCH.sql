CREATE TABLE ENUM_GPU_CTX_SWITCH (
  -- {docs as GPU_CONTEXT_SWITCH_EVENTS}
  -- Values of GPU_CONTEXT_SWITCH_EVENTS.tag. nsys writes this table only with these events, too.
  id INTEGER NOT NULL PRIMARY KEY,
  name TEXT,
  label TEXT
);
