CREATE TABLE ENUM_OPENACC_DEVICE (
  -- {docs values of columns of the OpenACC tables; nsys writes them only with these events, too}
  -- Values of DeviceType of the OpenACC tables.
  id INTEGER NOT NULL PRIMARY KEY,
  name TEXT,
  label TEXT
);
