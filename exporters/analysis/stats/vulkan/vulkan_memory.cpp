// vulkan_memory: allocations of Vulkan's memory by process, device and heap.
#include <algorithm>
#include <compare>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/report/table_scan.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/graphics/vulkan_tables.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/stats/memory_amounts.hpp"
#include "exporters/analysis/stats/vulkan/vulkan_statistics.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

constexpr std::int64_t kDeviceLocal = 1;  // ENUM_VULKAN_HEAP_FLAGS

struct VulkanHeap {
  std::int64_t index;
  bool is_device_local;
  auto operator<=>(const VulkanHeap&) const = default;  // NOLINT(modernize-use-nullptr)
};

// An allocation, or the release of one.
struct HeapChange {
  std::int64_t time = 0;  // ns
  std::int64_t global_pid = 0;
  std::int64_t device;
  std::int64_t memory;  // handle
  std::int64_t bytes;
  const VulkanHeap* heap;  // null: a release
};
using HeapChanges = std::unordered_map<std::int64_t, HeapChange>;  // by id of the call

using HeapsOfOperations = std::unordered_map<std::int64_t, VulkanHeap>;

base::Status read_heaps(const report::ReportReader& reader, HeapsOfOperations& heaps) {
  if (!reader.has_table(events::kVulkanMemoryTypeTable)) return {};
  return report::scan(reader,
                      {events::kVulkanMemoryTypeTable, {"memOpId", "heapIndex", "heapFlags"}},
                      [&](const report::Row& row) {
                        const bool is_local = (row.integer_or(2, 0) & kDeviceLocal) != 0;
                        heaps.insert({row.integer(0), {row.integer_or(1, 0), is_local}});
                      });
}

// Mappings and bindings have no size.
base::Status read_operations(const report::ReportReader& reader, const HeapsOfOperations& heaps,
                             HeapChanges& changes) {
  return report::scan(
      reader,
      {events::kVulkanMemoryTable, {"id", "traceEventId", "gpu", "objectHandle", "memorySize"}},
      [&](const report::Row& row) {
        if (row.is_null(4)) return;
        HeapChange change{.device = row.integer_or(2, 0),
                          .memory = row.integer_or(3, 0),
                          .bytes = row.integer(4),
                          .heap = nullptr};
        if (const auto heap = heaps.find(row.integer(0)); heap != heaps.end())
          change.heap = &heap->second;
        changes.insert({row.integer(1), change});
      });
}

// Memory is in use from the end of the call that allocates it to the start of the one that
// releases it.
base::Status read_heap_times(const report::ReportReader& reader, HeapChanges& changes) {
  return report::scan(reader, {events::kVulkanTable, {"id", "start", "end", "globalTid"}},
                      [&](const report::Row& row) {
                        const auto change = changes.find(row.integer(0));
                        if (change == changes.end()) return;
                        change->second.time = row.integer(change->second.heap == nullptr ? 1 : 2);
                        change->second.global_pid = events::global_pid_of(row.integer_or(3, 0));
                      });
}

struct VulkanHeapKey {
  std::int64_t global_pid;
  std::int64_t device;
  VulkanHeap heap;
  auto operator<=>(const VulkanHeapKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

std::map<VulkanHeapKey, MemoryAmounts> amounts_of(const HeapChanges& changes) {
  std::vector<const HeapChange*> sorted;
  sorted.reserve(changes.size());
  for (const auto& [call, change] : changes) sorted.push_back(&change);
  std::ranges::sort(sorted, {}, [](const HeapChange* each) {
    return std::pair(each->time, each->heap != nullptr);
  });
  std::map<VulkanHeapKey, MemoryAmounts> amounts;
  std::map<std::pair<std::int64_t, std::int64_t>, VulkanHeapKey> live;  // by process and handle
  for (const HeapChange* each : sorted) {
    const std::pair memory(each->global_pid, each->memory);
    if (each->heap != nullptr) {
      const VulkanHeapKey key{each->global_pid, each->device, *each->heap};
      live.insert_or_assign(memory, key);
      amounts[key].add(each->time, each->bytes, false);
    } else if (const auto node = live.extract(memory); !node.empty()) {
      amounts[node.mapped()].add(each->time, -each->bytes, true);
    }
  }
  return amounts;
}

}  // namespace

base::Result<tables::Table> vulkan_memory(const report::ReportReader& reader, const Arguments&) {
  HeapsOfOperations heaps;
  HeapChanges changes;
  for (const base::Status& read :
       {read_heaps(reader, heaps), read_operations(reader, heaps, changes),
        read_heap_times(reader, changes)})
    if (!read) return tl::make_unexpected(read.error());
  tables::Table table{amount_columns(), {}};
  table.columns.insert(table.columns.end(), {{"PID", CellKind::kInteger},
                                             {"Device", CellKind::kInteger},
                                             {"Heap", CellKind::kInteger},
                                             {"Heap Kind", CellKind::kText}});
  for (const auto& [key, amounts] : amounts_of(changes)) {
    auto cells = amount_cells(amounts);
    cells.insert(cells.end(), {events::pid_of(key.global_pid), key.device, key.heap.index,
                               std::string(key.heap.is_device_local ? "device" : "host")});
    table.rows.push_back(std::move(cells));
  }
  tables::sort_descending(table, 0);
  return table;
}

}  // namespace prof::stats
