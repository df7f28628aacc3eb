CREATE TABLE VULKAN_WORKLOAD (
  -- {row VulkanWorkRow}
  -- {docs work of Vulkan on GPUs, with `--vulkan-gpu-workload`: command buffers and labels in them, or whole submits}
  -- What GPUs did for Vulkan.
  start INTEGER NOT NULL,       -- {- start} ns
  end INTEGER NOT NULL,         -- {- end} ns
  eventClass INTEGER NOT NULL,  -- {- event_class:VulkanEventClass=VulkanEventClass::kWorkload} ENUM_NSYS_EVENT_CLASS.id; 93: a whole submit
  globalTid INTEGER,            -- {- global_tid} thread that submitted it; see docs/schema.md, Serialized ids
  correlationId INTEGER,        -- {- correlation} VULKAN_API.correlationId of the submit
  endCorrelationId INTEGER,     -- {- =correlation}
  nameId INTEGER NOT NULL,      -- {- name_id:int32} StringIds.id: function that submitted it, or began the label
  gpu INTEGER,                  -- {- gpu} number of the device in its process, from 0
  contextId INTEGER,            -- {- context} number of the command buffer or queue, as in VULKAN_API
  color INTEGER,                -- {- color?} RGB of the label
  textId INTEGER                -- {- text?} StringIds.id of the label
);
