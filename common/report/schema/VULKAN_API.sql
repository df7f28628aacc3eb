CREATE TABLE VULKAN_API (
  -- {row VulkanRow}
  -- {docs calls of Vulkan, its labels, and moments: the begin and the end of a process's trace, and its queues; with `-t vulkan`}
  -- Calls of Vulkan.
  id INTEGER NOT NULL PRIMARY KEY,  -- {- id}
  start INTEGER NOT NULL,           -- {- start} ns
  end INTEGER NOT NULL,             -- {- end} ns
  eventClass INTEGER NOT NULL,      -- {- event_class:VulkanEventClass=VulkanEventClass::kCall} ENUM_NSYS_EVENT_CLASS.id
  globalTid INTEGER,                -- {- global_tid} see docs/schema.md, Serialized ids
  correlationId INTEGER,            -- {- correlation} unique in its process; the end of a label has that of its begin
  endCorrelationId INTEGER,         -- {- end_correlation?} of submits and labels: correlationId
  nameId INTEGER NOT NULL,          -- {- name_id:int32} StringIds.id: function
  contextId INTEGER,                -- {- context?} number of the object that the call is for, from 1 in each process
  objectNameId INTEGER,             -- {- object_name:int32?} StringIds.id: the name that the program gave to the object
  interfaceAddress INTEGER          -- {- address?} handle of the object
);
