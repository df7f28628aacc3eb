CREATE TABLE TARGET_INFO_NVTX_CUDA_CONTEXT (
  -- {docs as TARGET_INFO_NVTX_CUDA_DEVICE}
  -- Names that programs gave to contexts (nvtxNameCuContext).
  name TEXT NOT NULL,
  hwId INTEGER NOT NULL,
  vmId INTEGER NOT NULL,
  processId INTEGER NOT NULL,
  deviceId INTEGER NOT NULL,  -- CUDA ordinal in the process
  contextId INTEGER NOT NULL
);
