CREATE TABLE OSRT_API (
  -- {row OsrtRow weighted}
  -- {docs OS-runtime calls of at least `--osrt-threshold` ns}
  -- Calls of OS-runtime functions that took at least the threshold.
  start INTEGER NOT NULL,        -- {int64 start} ns
  end INTEGER NOT NULL,          -- {int64 end} ns
  eventClass INTEGER NOT NULL,   -- {uint32 const EventClass::kOsRuntime} ENUM_NSYS_EVENT_CLASS.id: 27
  globalTid INTEGER,             -- {uint64 global_tid} see docs/schema.md, Serialized ids
  nameId INTEGER NOT NULL,       -- {uint64 name_id:int32} StringIds.id: function
  returnValue INTEGER NOT NULL,  -- {uint32 result:int64} what the function returned; pointers as integers
  nestingLevel INTEGER,          -- {uint32 nesting_level:int32} 0 unless called within another traced call of the thread
  callchainId INTEGER NOT NULL   -- {int64 callchain} 0: none
);
