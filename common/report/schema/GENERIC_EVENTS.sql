CREATE TABLE GENERIC_EVENTS (
  -- {row GenericEventRow}
  -- {docs samples of counters that are not the GPUs', events of `--ftrace`, and their values}
  -- Samples of counters outside of GPU_METRICS, and events of the kernel's tracepoints. Their values
  -- are in GENERIC_EVENT_DATA.
  genericEventId INTEGER NOT NULL PRIMARY KEY,  -- {- id}
  rawTimestamp INTEGER NOT NULL,  -- {- start} ns; the same as timestamp
  timestamp INTEGER NOT NULL,     -- {- =start} ns
  typeId INTEGER NOT NULL,        -- {- type_id} GENERIC_EVENT_TYPES.typeId
  globalTid INTEGER,              -- {- global_tid} thread of the event; of a counter: thread of prof that took the sample
  data TEXT  -- {- null} texts of an event of a tracepoint: a JSON object, by field
);
