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

inline const char* cuda_overhead_name(std::uint32_t kind) {
  switch (kind) {  // CUpti_ActivityOverheadKind
    case 1:
      return "CUPTI Driver compiler";
    case 1 << 16:
      return "CUPTI Buffer flush";
    case 2 << 16:
      return "CUPTI Instrumentation";
    case 3 << 16:
      return "CUPTI Resource Management";
    case 4 << 16:
      return "CUPTI Runtime triggered module loading";
    case 5 << 16:
      return "CUPTI Lazy function loading";
    case 6 << 16:
      return "CUPTI Command buffer full";
    case 7 << 16:
      return "CUPTI Activity buffer request";
    case 8 << 16:
      return "CUPTI Unified memory initialization";
    default:
      return "Unknown";
  }
}

}  // namespace prof::ingest
