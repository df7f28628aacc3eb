CREATE TABLE OSRT_API (
  -- Calls of OS-runtime functions that took at least the threshold.
  start INTEGER NOT NULL,        -- ns
  end INTEGER NOT NULL,          -- ns
  eventClass INTEGER NOT NULL,   -- ENUM_NSYS_EVENT_CLASS.id: 27
  globalTid INTEGER,             -- see docs/schema.md, Serialized ids
  nameId INTEGER NOT NULL,       -- StringIds.id: function
  returnValue INTEGER NOT NULL,  -- what the function returned; pointers as integers
  nestingLevel INTEGER,          -- 0 unless called within another traced call of the thread
  callchainId INTEGER NOT NULL   -- 0: none
);
