// Heaps and regions of memory that the program describes with NVTX (nvtxMem*).
#pragma once

#include "common/wire/nvtx_records.hpp"
#include "injection/nvtx/domains.hpp"
#include "injection/nvtx/extension_abi.hpp"

namespace prof::nvtx {

// Returns the handle of a heap; null if the domain is not recorded.
MemoryHandle register_heap(Domain domain, const HeapDescription* heap);
// Records that a heap was ended or reset: `what` is kHeapEnd or kHeapReset.
void record_heap(Domain domain, MemoryHandle heap, wire::NvtxMemory what);

void register_regions(Domain domain, const RegionsRegisterBatch* batch);
void resize_regions(Domain domain, const RegionsResizeBatch* batch);
void unregister_regions(Domain domain, const RegionsUnregisterBatch* batch);
void name_regions(Domain domain, const RegionsNameBatch* batch);

}  // namespace prof::nvtx
