CREATE TABLE PROF_SHORT_CALLS (
  -- {docs how many OS-runtime calls were shorter than `--osrt-threshold`, and their time, by thread and function; prof's own}
  -- OS-runtime calls that were shorter than --osrt-threshold and have no rows in OSRT_API, by
  -- thread and function; prof's own.
  globalTid INTEGER NOT NULL,  -- see docs/schema.md, Serialized ids
  nameId INTEGER NOT NULL,     -- StringIds.id: function
  calls INTEGER NOT NULL,      -- how many
  duration INTEGER NOT NULL    -- of all of them, ns
);
