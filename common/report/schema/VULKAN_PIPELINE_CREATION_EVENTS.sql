CREATE TABLE VULKAN_PIPELINE_CREATION_EVENTS (
  -- {row VulkanPipelineRow}
  -- {docs how long the creation of each pipeline took, according to the driver}
  -- Creations of Vulkan pipelines, as the driver reports them.
  id INTEGER NOT NULL PRIMARY KEY,  -- {- id}
  duration INTEGER,                 -- {- duration} ns
  flags INTEGER,                    -- {- flags} bits of ENUM_VULKAN_PIPELINE_CREATION_FLAGS.id
  traceEventId INTEGER NOT NULL     -- {- call} VULKAN_API.id
);
