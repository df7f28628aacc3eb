CREATE TABLE VULKAN_MEMORY_OPERATION (
  -- {row VulkanMemoryRow}
  -- {docs allocations, releases, mappings and bindings of Vulkan's memory}
  -- What calls of Vulkan do with memory of a device.
  id INTEGER NOT NULL PRIMARY KEY,  -- {- id}
  gpu INTEGER,                      -- {- gpu} number of the device in its process, from 0
  rangeStart INTEGER,               -- {- range_start?} of mappings: first byte
  rangeEnd INTEGER,                 -- {- range_end?} of mappings: the byte after the last one
  contextId INTEGER,                -- {- context} as in VULKAN_API, of the object of the call
  objectHandle INTEGER,             -- {- memory} handle of the memory
  memorySize INTEGER,               -- {- size?} bytes of allocations, and of releases if the allocation was recorded
  memoryOffset INTEGER,             -- {- offset?} of bindings: first byte in the memory
  bindTargetHandle INTEGER,         -- {- target?} of bindings: handle of the buffer or image
  traceEventId INTEGER NOT NULL     -- {- call} VULKAN_API.id
);
