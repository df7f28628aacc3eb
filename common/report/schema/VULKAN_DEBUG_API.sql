CREATE TABLE VULKAN_DEBUG_API (
  -- {row VulkanLabelRow}
  -- {docs begins and ends of debug labels of Vulkan; with `-t vulkan-annotations`}
  -- Debug labels of Vulkan. The begin and the end have the same correlationId.
  start INTEGER NOT NULL,       -- {- start} ns
  end INTEGER NOT NULL,         -- {- end} ns
  eventClass INTEGER NOT NULL,  -- {- event_class:VulkanEventClass=VulkanEventClass::kLabel} ENUM_NSYS_EVENT_CLASS.id
  globalTid INTEGER,            -- {- global_tid} see docs/schema.md, Serialized ids
  correlationId INTEGER,        -- {- correlation} as in VULKAN_API; 0: the end of a label whose begin was not seen
  endCorrelationId INTEGER,     -- {- =correlation}
  nameId INTEGER NOT NULL,      -- {- name_id:int32} StringIds.id: function
  contextId INTEGER,            -- {- context} as in VULKAN_API
  color INTEGER,                -- {- color?} RGB
  textId INTEGER                -- {- text?} StringIds.id; NULL: the end of a label
);
