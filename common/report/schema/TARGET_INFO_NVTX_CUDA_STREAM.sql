CREATE TABLE TARGET_INFO_NVTX_CUDA_STREAM (
  -- {docs as TARGET_INFO_NVTX_CUDA_DEVICE}
  -- Names that programs gave to streams (nvtxNameCudaStream, nvtxNameCuStream).
  name TEXT NOT NULL,
  hwId INTEGER NOT NULL,
  vmId INTEGER NOT NULL,
  processId INTEGER NOT NULL,
  deviceId INTEGER NOT NULL,  -- CUDA ordinal in the process
  contextId INTEGER NOT NULL,  -- as in TARGET_INFO_CUDA_STREAM
  streamId INTEGER NOT NULL
);
