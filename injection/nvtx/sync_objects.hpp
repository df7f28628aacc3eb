// Synchronization objects that the program describes with NVTX (nvtxDomainSyncUser*).
#pragma once

#include "common/wire/nvtx_records.hpp"
#include "injection/nvtx/abi.hpp"
#include "injection/nvtx/domains.hpp"

namespace prof::nvtx {

// Returns a handle, which contains the object's number and domain; null if the domain is not
// recorded.
SyncHandle create_sync(Domain domain, const SyncAttributes* attributes);
void record_sync(SyncHandle handle, wire::NvtxSync what);

}  // namespace prof::nvtx
