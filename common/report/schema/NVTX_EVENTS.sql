CREATE TABLE NVTX_EVENTS (
  -- {row NvtxRow weighted?}
  -- {docs NVTX ranges, marks, domains, categories, thread names}
  -- NVTX ranges, marks and names. Exactly one of text and textId is set where there is a text.
  start INTEGER NOT NULL,      -- {int64 start} ns
  end INTEGER,                 -- {int64 end?} ns; NULL for marks and names; of a range that never ended that of the recording
  eventType INTEGER NOT NULL,  -- {uint32 event_type:NvtxEventType=NvtxEventType::kMark} ENUM_NSYS_EVENT_TYPE.id: 59 push/pop, 60 start/end, 34 mark, 33 category, 39 thread name, 75/76 domain
  rangeId INTEGER,             -- {uint64 range_id?} start/end ranges: what nvtxRangeStart returned
  category INTEGER,            -- {uint64 category:uint32?} id of a category, named by an eventType 33 row of the same domain
  color INTEGER,               -- {uint32 color?} ARGB
  text TEXT,                   -- {text text?} message given with the event
  globalTid INTEGER,           -- {uint64 global_tid} thread of the start; see docs/schema.md, Serialized ids
  endGlobalTid INTEGER,        -- {uint64 end_global_tid?} thread of the end, where it is another one
  textId INTEGER,              -- {uint32 text_id:int32?} StringIds.id of a registered string
  domainId INTEGER,            -- {uint64 domain_id:int32} 0 is the default domain; others are named by an eventType 75 row
  uint64Value INTEGER,         -- {uint64 integer?} at most one of the payload columns is set
  int64Value INTEGER,  -- {int64 =integer}
  doubleValue REAL,  -- {double real?}
  uint32Value INTEGER,  -- {uint32 =integer}
  int32Value INTEGER,  -- {int32 =integer}
  floatValue REAL,  -- {float =real}
  jsonTextId INTEGER,  -- {uint32 null}
  jsonText TEXT,               -- {text json?} fields of a payload with a schema, a JSON object
  binaryData TEXT,             -- {text binary:Blob?} its bytes, a blob; see docs/schema.md, NVTX payloads
  isOpen INTEGER               -- {- is_open:bool=false?} 1: a range that never ended; otherwise NULL
);
