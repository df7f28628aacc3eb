CREATE TABLE ENUM_OPENGL_DEBUG_SOURCE (
  -- {docs values of columns of `KHR_DEBUG_EVENTS`; nsys writes them only with events of OpenGL, too}
  -- Values of source of KHR_DEBUG_EVENTS.
  id INTEGER NOT NULL PRIMARY KEY,
  name TEXT,
  label TEXT
);
