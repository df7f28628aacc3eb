CREATE TABLE SYSCALL (
  -- System calls, as the kernel saw them; with -t syscall.
  start INTEGER NOT NULL,                                            -- ns
  end INTEGER NOT NULL,                                              -- ns
  eventClass INTEGER NOT NULL REFERENCES ENUM_NSYS_EVENT_CLASS(id),  -- 107
  globalTid INTEGER,                                                 -- see docs/schema.md, Serialized ids
  nameId INTEGER NOT NULL REFERENCES StringIds(id),                  -- StringIds.id: system call
  callchainId INTEGER                                                -- NULL: none taken
);
