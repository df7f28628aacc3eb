CREATE TABLE TARGET_INFO_NVTX_CUDA_DEVICE (
  -- {docs names that the program gave to devices, contexts and streams through NVTX}
  -- Names that programs gave to devices (nvtxNameCudaDevice, nvtxNameCuDevice).
  name TEXT NOT NULL,
  hwId INTEGER NOT NULL,
  vmId INTEGER NOT NULL,
  deviceId INTEGER NOT NULL  -- CUDA ordinal in the process
);
