CREATE TABLE TARGET_INFO_CUDA_DEVICE (
  -- Which GPU an ordinal means in a process.
  gpuId INTEGER,
  cudaId INTEGER NOT NULL,
  pid INTEGER NOT NULL
);
