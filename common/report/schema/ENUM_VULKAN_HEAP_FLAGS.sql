CREATE TABLE ENUM_VULKAN_HEAP_FLAGS (
  -- {docs as ENUM_VULKAN_PIPELINE_CREATION_FLAGS}
  -- Values of flags of Vulkan's heaps.
  id INTEGER NOT NULL PRIMARY KEY,
  name TEXT,
  label TEXT
);
