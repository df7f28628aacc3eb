CREATE TABLE TARGET_INFO_CUDA_DEVICE (
  -- {docs which GPU of `TARGET_INFO_GPU` an ordinal means in a process}
  -- Which GPU an ordinal means in a process.
  gpuId INTEGER,  -- {uint32}
  cudaId INTEGER NOT NULL,  -- {uint32}
  pid INTEGER NOT NULL  -- {uint32}
);
