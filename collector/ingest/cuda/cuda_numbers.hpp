// Translates CUPTI's numbers into nsys's.
#pragma once

#include <cstdint>

namespace prof::ingest {

// Id of the machine in the TARGET_INFO_CUDA_… tables.
inline constexpr std::int64_t kHardware = 0;
inline constexpr std::int64_t kVirtualMachine = 1;

// The number for unknown memory is the last of ENUM_CUDA_MEM_KIND, but the first of
// CUpti_ActivityMemoryKind.
constexpr std::int32_t memory_kind(std::uint32_t cupti) {
  constexpr std::int32_t kUnknown = 7;
  return cupti == 0 || cupti > 7 ? kUnknown : static_cast<std::int32_t>(cupti) - 1;
}

}  // namespace prof::ingest
