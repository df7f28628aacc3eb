CREATE TABLE VULKAN_PIPELINE_STAGE_EVENTS (
  -- {row VulkanStageRow}
  -- {docs the same of each stage of a pipeline}
  -- Creations of stages of Vulkan pipelines, as the driver reports them.
  id INTEGER NOT NULL PRIMARY KEY,  -- {- id}
  duration INTEGER,                 -- {- duration} ns
  flags INTEGER,                    -- {- flags} bits of ENUM_VULKAN_PIPELINE_CREATION_FLAGS.id
  creationEventId INTEGER NOT NULL  -- {- pipeline} VULKAN_PIPELINE_CREATION_EVENTS.id
);
