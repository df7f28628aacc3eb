// Allocations and releases of GPU memory, in the order of time.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string_view>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::events {

// What has memory in use: a process's use of a device, and a kind of memory.
struct MemoryKey {
  std::int64_t global_pid;
  std::int64_t device;
  std::int64_t kind;                                   // ENUM_CUDA_MEM_KIND
  auto operator<=>(const MemoryKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct MemoryChange {
  std::int64_t time;  // ns
  MemoryKey key;      // of a release that of the allocation
  bool is_release;
  std::int64_t bytes;        // change of the amount in use
  std::int64_t allocation;   // number of the allocation, from 0 on
  std::int64_t correlation;  // of the API call; 0: unknown
  std::string_view name;     // valid during the visit
};

// Visits all allocations and releases. For memory pools these are the allocations from the pool;
// the size of the pool itself is in another table. Releases of memory that was allocated before the
// recording are skipped. Memory that another process shares belongs to that process and is skipped,
// too.
base::Status for_each_memory_change(const report::ReportReader& reader,
                                    const std::function<void(const MemoryChange&)>& visit);

}  // namespace prof::events
