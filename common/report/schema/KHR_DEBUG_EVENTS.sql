CREATE TABLE KHR_DEBUG_EVENTS (
  -- {row OpenGlGroupRow}
  -- {docs debug groups and markers of OpenGL on the CPU and on the GPU, with `-t opengl-annotations`}
  -- Debug groups and markers of OpenGL.
  eventClass INTEGER NOT NULL,  -- {- kind:int32} ENUM_NSYS_EVENT_TYPE.id: 62 group, 63 group on the GPU, 52 marker
  start INTEGER NOT NULL,       -- {- start} ns
  end INTEGER,                  -- {- end?} ns; NULL: a marker, or a group that did not end
  textId INTEGER,               -- {- text:int32} StringIds.id
  globalTid INTEGER,            -- {- global_tid} see docs/schema.md, Serialized ids
  source INTEGER,               -- {- source:int32?} ENUM_OPENGL_DEBUG_SOURCE.id
  khrdType INTEGER,             -- {- type:int32?} ENUM_OPENGL_DEBUG_TYPE.id, of markers
  id INTEGER,                   -- {- id?} which the program gave
  severity INTEGER,             -- {- severity:int32?} ENUM_OPENGL_DEBUG_SEVERITY.id, of markers
  correlationId INTEGER,        -- {- correlation} joins a group on the CPU with that on the GPU
  context INTEGER               -- {- context} number of the context
);
