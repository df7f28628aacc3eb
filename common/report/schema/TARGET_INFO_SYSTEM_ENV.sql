CREATE TABLE TARGET_INFO_SYSTEM_ENV (
  -- The machine the target ran on. Never holds environment variables.
  globalVid INTEGER,             -- see docs/schema.md, Serialized ids
  devStateName TEXT NOT NULL,    -- 'Local (CLI)'
  name TEXT NOT NULL,            -- property
  nameEnum INTEGER NOT NULL,     -- nsys's number for the property
  value TEXT NOT NULL
);
