// CUPTI's numbers in nsys's terms.
#pragma once

#include <cstdint>

namespace prof::ingest {

// ENUM_CUDA_MEM_KIND counts from 0 and has the unknown last; CUpti_ActivityMemoryKind has it first.
constexpr std::int32_t memory_kind(std::uint32_t cupti) {
  constexpr std::int32_t kUnknown = 7;
  return cupti == 0 || cupti > 7 ? kUnknown : static_cast<std::int32_t>(cupti) - 1;
}

}  // namespace prof::ingest
