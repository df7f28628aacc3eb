CREATE TABLE ENUM_VULKAN_PIPELINE_CREATION_FLAGS (
  -- {docs values of columns of the Vulkan tables; nsys writes them only with these events, too}
  -- Values of flags of the tables of Vulkan pipelines.
  id INTEGER NOT NULL PRIMARY KEY,
  name TEXT,
  label TEXT
);
