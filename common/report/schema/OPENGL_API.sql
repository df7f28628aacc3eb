CREATE TABLE OPENGL_API (
  -- {row OpenGlCallRow}
  -- {docs calls of OpenGL, EGL and GLX, with `-t opengl`}
  -- Calls of OpenGL, EGL and GLX.
  start INTEGER NOT NULL,        -- {- start} ns
  end INTEGER NOT NULL,          -- {- end} ns
  eventClass INTEGER NOT NULL,   -- {- const EventClass::kOpenGl} ENUM_NSYS_EVENT_CLASS.id
  globalTid INTEGER,             -- {- global_tid} see docs/schema.md, Serialized ids
  endGlobalTid INTEGER,          -- {- null} always NULL
  correlationId INTEGER,         -- {- correlation} joins calls and OPENGL_WORKLOAD; 0: none
  endCorrelationId INTEGER,      -- {- null} always NULL
  nameId INTEGER NOT NULL,       -- {- name_id:int32} StringIds.id: function
  endNameId INTEGER,             -- {- null} always NULL
  returnValue INTEGER NOT NULL,  -- {- const 0} always 0
  frameId INTEGER,               -- {- null} always NULL
  contextId INTEGER,             -- {- context?} number of the context, of calls with a correlationId
  gpu INTEGER,                   -- {- const 0} always 0
  display INTEGER                -- {- null} always NULL
);
