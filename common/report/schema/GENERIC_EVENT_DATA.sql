CREATE TABLE GENERIC_EVENT_DATA (
  -- {row GenericValueRow nullable}
  -- {docs as GENERIC_EVENTS}
  -- Values of GENERIC_EVENTS, one row for each counter. One of the value columns is set.
  genericEventId INTEGER NOT NULL,  -- {- event} GENERIC_EVENTS.genericEventId
  fieldIdx INTEGER NOT NULL,        -- {- field:int32} GENERIC_EVENT_TYPE_FIELDS.fieldIdx
  intVal INTEGER,  -- {- integer}
  uintVal INTEGER,  -- {- =integer}
  floatVal REAL,  -- {- real}
  doubleVal REAL  -- {- =real}
);
