// torch_memory: what PyTorch's allocators had handed out and reserved at their peaks.
#include <algorithm>
#include <map>
#include <string>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/memory/torch_memory.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::stats {

using events::TorchAllocator;
using events::TorchMemoryEvent;
using events::TorchOperation;
using tables::CellKind;

namespace {

// Bytes, but for the counts and the time.
struct TorchMemory {
  std::int64_t peak = 0;  // of what is allocated
  std::int64_t peak_time = 0;
  std::int64_t reserved_at_peak = 0;
  std::int64_t peak_reserved = 0;
  std::int64_t allocations = 0;
  std::int64_t releases = 0;
  std::int64_t largest = 0;
  std::int64_t at_end = 0;
  std::int64_t failures = 0;
  std::int64_t largest_failure = 0;
  std::int64_t unused_at_failure = 0;  // reserved, not allocated, at the largest failure

  void add(const TorchMemoryEvent& event) {
    peak_reserved = std::max(peak_reserved, event.reserved);
    if (event.operation == TorchOperation::kFailure) return fail(event);
    ++(event.operation == TorchOperation::kAllocation ? allocations : releases);
    if (event.operation == TorchOperation::kAllocation) largest = std::max(largest, event.bytes);
    at_end = event.allocated;
    if (event.allocated <= peak) return;
    peak = event.allocated;
    peak_time = event.time;
    reserved_at_peak = event.reserved;
  }

 private:
  void fail(const TorchMemoryEvent& event) {
    ++failures;
    if (event.bytes <= largest_failure) return;
    largest_failure = event.bytes;
    unused_at_failure = event.reserved - event.allocated;
  }
};

std::vector<tables::ColumnSpec> torch_memory_columns() {
  std::vector<tables::ColumnSpec> columns;
  for (const char* header : {"Peak (bytes)", "Peak Time (ns)", "Reserved at Peak (bytes)"})
    columns.push_back({header, CellKind::kInteger});
  columns.push_back({"Unused at Peak (%)", CellKind::kReal, 1});
  for (const char* header :
       {"Peak Reserved (bytes)", "Allocations", "Frees", "Largest (bytes)", "At End (bytes)",
        "Failed", "Largest Failed (bytes)", "Unused at Failure (bytes)", "PID"})
    columns.push_back({header, CellKind::kInteger});
  columns.push_back({"Device", CellKind::kText});
  return columns;
}

std::string device_text(const TorchAllocator& allocator) {
  std::string text = events::torch_device_name(allocator.device_type);
  if (allocator.device >= 0) text += ":" + std::to_string(allocator.device);
  return text;
}

}  // namespace

base::Result<tables::Table> torch_memory(const report::ReportReader& reader, const Arguments&) {
  std::map<TorchAllocator, TorchMemory> allocators;
  const base::Status read = events::for_each_torch_event(
      reader, [&](const TorchMemoryEvent& event) { allocators[event.allocator].add(event); });
  if (!read) return tl::make_unexpected(read.error());
  tables::Table table{torch_memory_columns(), {}};
  for (const auto& [allocator, memory] : allocators)
    table.rows.push_back(
        {memory.peak, memory.peak_time, memory.reserved_at_peak,
         tables::percent(memory.reserved_at_peak - memory.peak, memory.reserved_at_peak),
         memory.peak_reserved, memory.allocations, memory.releases, memory.largest, memory.at_end,
         memory.failures, memory.largest_failure, memory.unused_at_failure,
         events::pid_of(allocator.global_pid), device_text(allocator)});
  tables::sort_descending(table, 0);
  return table;
}

}  // namespace prof::stats
