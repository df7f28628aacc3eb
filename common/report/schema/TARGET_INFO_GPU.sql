CREATE TABLE TARGET_INFO_GPU (
  -- {docs GPUs that a traced process could use, each once; `id` and `cuDevice`: rank by PCI location}
  -- GPUs that a traced process could use; id is the rank by PCI location. Sizes in bytes, rates in Hz and bytes/s.
  vmId INTEGER NOT NULL,  -- {int64}
  id INTEGER NOT NULL,  -- {uint32}
  name TEXT,  -- {text}
  busLocation TEXT,  -- {text}
  isDiscrete INTEGER,  -- {bool}
  l2CacheSize INTEGER,  -- {uint32}
  totalMemory INTEGER,  -- {uint64}
  memoryBandwidth INTEGER,  -- {uint64}
  clockRate INTEGER,  -- {uint32}
  smCount INTEGER,  -- {uint32}
  pwGpuId INTEGER,  -- {uint32}
  uuid TEXT,  -- {text}
  luid INTEGER,  -- {uint64}
  chipName TEXT,  -- {text}
  cuDevice INTEGER,  -- {int32}
  ctxswDevPath TEXT,  -- {text}
  ctrlDevPath TEXT,  -- {text}
  revision INTEGER,  -- {uint32}
  nodeMask INTEGER,  -- {uint32}
  constantMemory INTEGER,  -- {uint32}
  maxIPC INTEGER,  -- {uint32}
  maxRegistersPerBlock INTEGER,  -- {uint32}
  maxShmemPerBlock INTEGER,  -- {uint32}
  maxShmemPerBlockOptin INTEGER,  -- {uint32}
  maxShmemPerSm INTEGER,  -- {uint32}
  maxRegistersPerSm INTEGER,  -- {uint32}
  threadsPerWarp INTEGER,  -- {uint32}
  asyncEngines INTEGER,  -- {uint32}
  maxWarpsPerSm INTEGER,  -- {uint32}
  maxBlocksPerSm INTEGER,  -- {uint32}
  maxThreadsPerBlock INTEGER,  -- {uint32}
  maxBlockDimX INTEGER,  -- {uint32}
  maxBlockDimY INTEGER,  -- {uint32}
  maxBlockDimZ INTEGER,  -- {uint32}
  maxGridDimX INTEGER,  -- {uint32}
  maxGridDimY INTEGER,  -- {uint32}
  maxGridDimZ INTEGER,  -- {uint32}
  computeMajor INTEGER,  -- {uint32}
  computeMinor INTEGER,  -- {uint32}
  smMajor INTEGER,  -- {uint32}
  smMinor INTEGER  -- {uint32}
);
