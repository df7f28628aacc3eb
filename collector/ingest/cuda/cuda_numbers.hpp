// Translates CUPTI's numbers into nsys's.
#pragma once

#include <cstdint>

namespace prof::ingest {

// Ids of the machine in TARGET_INFO_CUDA_… tables.
inline constexpr std::int64_t kHardware = 0;
inline constexpr std::int64_t kVirtualMachine = 1;

// Unknown memory is the last number of ENUM_CUDA_MEM_KIND and the first of
// CUpti_ActivityMemoryKind.
constexpr std::int32_t memory_kind(std::uint32_t cupti) {
  constexpr std::int32_t kUnknown = 7;
  return cupti == 0 || cupti > 7 ? kUnknown : static_cast<std::int32_t>(cupti) - 1;
}

}  // namespace prof::ingest
