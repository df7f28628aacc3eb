CREATE TABLE CUPTI_ACTIVITY_KIND_OPENACC_OTHER (
  -- {row OpenAccOtherRow : OpenAccRow}
  -- {docs OpenACC: compute constructs, data regions, updates, waits, and the begin and end of devices}
  -- Constructs, data regions, updates, waits, and the begin and end of devices.
  start INTEGER NOT NULL,        -- {- .start} ns
  end INTEGER NOT NULL,          -- {- .end} ns
  nameId INTEGER NOT NULL,       -- {- .name_id} StringIds.id: what it is
  globalTid INTEGER,             -- {- .global_tid} see docs/schema.md, Serialized ids
  eventKind INTEGER NOT NULL,    -- {- .kind} ENUM_OPENACC_EVENT_KIND.id
  DeviceType INTEGER NOT NULL,   -- {- .device_type} ENUM_OPENACC_DEVICE.id
  lineNo INTEGER NOT NULL,       -- {- .line} of the construct; 0: not known
  cuDeviceId INTEGER NOT NULL,   -- {- .device} number of the device
  cuContextId INTEGER NOT NULL,  -- {- const 0} always 0
  cuStreamId INTEGER NOT NULL,   -- {- const 0} always 0
  srcFile INTEGER,               -- {- .file} StringIds.id: of the construct; the id of an empty text: not known
  funcName INTEGER,              -- {- .function} StringIds.id: of the construct, as srcFile
  correlationId INTEGER          -- {- const 0} always 0
);
