CREATE TABLE GENERIC_EVENT_DATA (
  -- Values of GENERIC_EVENTS, one row for each counter. One of the value columns is set.
  genericEventId INTEGER NOT NULL,  -- GENERIC_EVENTS.genericEventId
  fieldIdx INTEGER NOT NULL,        -- GENERIC_EVENT_TYPE_FIELDS.fieldIdx
  intVal INTEGER,
  uintVal INTEGER,
  floatVal REAL,
  doubleVal REAL
);
