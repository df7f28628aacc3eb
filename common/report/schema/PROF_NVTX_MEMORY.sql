CREATE TABLE PROF_NVTX_MEMORY (
  -- {docs heaps and regions of memory that programs describe with nvtxMem; prof's own}
  -- Heaps, and regions of memory in them, that programs describe with NVTX (nvtxMem*); prof's own.
  start INTEGER NOT NULL,      -- ns: registered, or got this size
  end INTEGER,                 -- ns: unregistered, or got another size; NULL: never
  globalTid INTEGER NOT NULL,  -- thread that registered it; see docs/schema.md, Serialized ids
  domainId INTEGER NOT NULL,
  heapId INTEGER NOT NULL,     -- of the process; 0: the whole process
  regionId INTEGER,            -- of the process; NULL: the row is a heap
  nameId INTEGER,              -- StringIds.id
  category INTEGER,            -- of the domain
  address INTEGER,             -- NULL: not linear memory
  size INTEGER,                -- bytes
  memoryType INTEGER,          -- NVTX_MEM_TYPE_*: 1 virtual addresses, 17 cudaArray_t, 18 CUarray
  heapUsage INTEGER            -- NVTX_MEM_HEAP_USAGE_TYPE_*: 1 sub-allocator, 2 layout
);
