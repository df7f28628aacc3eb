CREATE TABLE GENERIC_EVENT_TYPE_FIELDS (
  -- {docs as GENERIC_EVENT_SOURCES}
  -- Counters of each group, and fields of each tracepoint. Those without a number are texts.
  typeId INTEGER NOT NULL,       -- GENERIC_EVENT_TYPES.typeId
  fieldIdx INTEGER NOT NULL,     -- number in the group; of GPU metrics: metricId
  fieldNameId INTEGER NOT NULL,  -- StringIds.id
  offset INTEGER NOT NULL,       -- in a sample, bytes
  size INTEGER NOT NULL,         -- bytes
  type INTEGER NOT NULL,         -- ENUM_NSYS_GENERIC_EVENT_FIELD_TYPE.id
  hyperTypeName TEXT,
  hyperFormat TEXT,
  hyperComment TEXT,
  ftracePrefix TEXT,
  ftraceSuffix TEXT,
  etwFlags INTEGER,
  etwCountFieldIndex INTEGER,
  etwLengthFieldIndex INTEGER,
  etwType INTEGER,
  etwMapInfoFlags INTEGER,
  etwOrderedFieldIndex INTEGER,
  unit TEXT                      -- of the values: Hz, %, bytes/s, …; prof's own column
);
