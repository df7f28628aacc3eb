// Synchronization objects that the program describes with NVTX (nvtxDomainSyncUser*).
#pragma once

#include "common/wire/nvtx_records.hpp"
#include "injection/nvtx/abi.hpp"
#include "injection/nvtx/domains.hpp"

namespace prof::nvtx {

// Null: the domain is not recorded. A handle contains the object's number and domain.
SyncHandle create_sync(Domain domain, const SyncAttributes* attributes);
void record_sync(SyncHandle handle, wire::NvtxSync what);

}  // namespace prof::nvtx
