// Copies and fills of GPU memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::events {

inline constexpr const char* kMemcpyTable = "CUPTI_ACTIVITY_KIND_MEMCPY";
inline constexpr const char* kMemsetTable = "CUPTI_ACTIVITY_KIND_MEMSET";

inline constexpr std::int64_t kMemset = -1;

struct MemoryOperation {
  std::int64_t kind;      // ENUM_CUDA_MEMCPY_OPER, or kMemset
  std::int64_t duration;  // ns
  std::int64_t bytes;
  std::int64_t device;
};

base::Status for_each_memory_operation(const report::ReportReader& reader,
                                       const std::function<void(const MemoryOperation&)>& visit);

std::string memory_operation_name(std::int64_t kind);  // "[CUDA memcpy Host-to-Device]"
const char* memory_kind_name(std::int64_t kind);       // "Pageable"; from ENUM_CUDA_MEM_KIND

}  // namespace prof::events
