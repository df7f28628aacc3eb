CREATE TABLE OPENGL_WORKLOAD (
  -- {row OpenGlWorkloadRow}
  -- {docs what GPUs did for consecutive calls of OpenGL, with `--opengl-gpu-workload=true`}
  -- Work of the GPU for consecutive calls of OpenGL.
  start INTEGER NOT NULL,        -- {- start} ns
  end INTEGER NOT NULL,          -- {- end} ns
  eventClass INTEGER NOT NULL,   -- {- const EventClass::kOpenGlWorkload} ENUM_NSYS_EVENT_CLASS.id
  globalTid INTEGER,             -- {- global_tid} see docs/schema.md, Serialized ids
  endGlobalTid INTEGER,          -- {- null} always NULL
  correlationId INTEGER,         -- {- correlation} of the first call in OPENGL_API
  endCorrelationId INTEGER,      -- {- last_correlation} of the last call
  nameId INTEGER NOT NULL,       -- {- name_id:int32} StringIds.id: function of the first call
  endNameId INTEGER,             -- {- last_name_id:int32} StringIds.id: function of the last call
  returnValue INTEGER NOT NULL,  -- {- const 0} always 0
  frameId INTEGER,               -- {- null} always NULL
  contextId INTEGER,             -- {- context} number of the context
  gpu INTEGER,                   -- {- const 0} always 0
  display INTEGER                -- {- null} always NULL
);
