CREATE TABLE PROF_TORCH_MEMORY (
  -- {row TorchMemoryRow}
  -- {docs memory that PyTorch's allocators hand out, with `--pytorch=memory`; prof's own}
  -- Memory that PyTorch's allocators hand out and take back.
  start INTEGER NOT NULL,  -- {- start} ns
  globalTid INTEGER,       -- {- global_tid} see docs/schema.md, Serialized ids
  operation INTEGER,       -- {- operation:int32} 0 allocation, 1 release, 2 a request for which there was no memory
  address INTEGER,         -- {- address?} NULL: no memory
  bytes INTEGER,           -- {- bytes} as the allocator rounds them
  allocated INTEGER,       -- {- allocated} bytes of the device that the program has then
  reserved INTEGER,        -- {- reserved} bytes of the device that the allocator has then
  deviceType INTEGER,      -- {- device_type:int32} c10::DeviceType: 0 CPU, 1 CUDA, 6 HIP, 12 XPU
  deviceId INTEGER         -- {- device:int32?} number of the device; NULL: the only one
);
