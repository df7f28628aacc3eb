// Arrays of a record that CUPTI allocates and the client frees: those of NVLinks, from CUPTI 13.2
// on. So each client gets copies.
#pragma once

#include <cupti.h>

#include <cstdint>

#include "injection/cuda/cupti_api.hpp"
#include "injection/cuda/cupti_v2.hpp"

namespace prof::cuda::clients {

inline bool has_arrays(const CUpti_Activity& record) {
  return record.kind == CUPTI_ACTIVITY_KIND_NVLINK && g_real.version >= v2::kSubscribers;
}

// Replaces the arrays in the copy of a record by copies. An array that cannot be allocated is null.
void copy_arrays(std::uint8_t* record);
// Frees the arrays of CUPTI's record, when all clients have their copies.
void free_arrays(const CUpti_Activity& record);

}  // namespace prof::cuda::clients
