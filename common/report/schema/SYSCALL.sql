CREATE TABLE SYSCALL (
  -- {row SystemCallRow}
  -- {docs system calls, with `-t syscall`}
  -- System calls, as the kernel saw them; with -t syscall.
  start INTEGER NOT NULL,                                            -- {- start} ns
  end INTEGER NOT NULL,                                              -- {- end} ns
  eventClass INTEGER NOT NULL REFERENCES ENUM_NSYS_EVENT_CLASS(id),  -- {- const EventClass::kSystemCall} 107
  globalTid INTEGER,                                                 -- {- global_tid} see docs/schema.md, Serialized ids
  nameId INTEGER NOT NULL REFERENCES StringIds(id),                  -- {- name_id:int32} StringIds.id: system call
  callchainId INTEGER                                                -- {- null} NULL: none taken
);
