CREATE TABLE VULKAN_MEMORY_TYPES (
  -- {row VulkanMemoryTypeRow}
  -- {docs heap and properties of each allocation}
  -- The kind of memory that an allocation of Vulkan takes.
  id INTEGER NOT NULL PRIMARY KEY,  -- {- id}
  heapIndex INTEGER,                -- {- heap} number of the heap in its device, from 0
  heapFlags INTEGER,                -- {- heap_flags} bits of ENUM_VULKAN_HEAP_FLAGS.id
  memoryProperty INTEGER,           -- {- properties} bits of ENUM_VULKAN_MEMORY_PROPERTY_FLAGS.id
  heapType INTEGER,                 -- {- null} always NULL: nsys's values are not published
  memOpId INTEGER NOT NULL          -- {- operation} VULKAN_MEMORY_OPERATION.id
);
