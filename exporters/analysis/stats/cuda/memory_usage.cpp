// memory_usage: allocations of GPU memory by process, device and kind. memory_usage_trace: the
// amount in use after each allocation and release.
#include <fmt/format.h>

#include <functional>
#include <map>
#include <optional>
#include <unordered_map>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/memory_operations.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

constexpr std::int64_t kAllocation = 0;  // ENUM_CUDA_DEV_MEM_EVENT_OPER

struct MemoryKey {
  std::int64_t global_pid;
  std::int64_t device;
  std::int64_t kind;                                   // ENUM_CUDA_MEM_KIND
  auto operator<=>(const MemoryKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct Change {
  std::int64_t time;
  MemoryKey key;
  bool is_release;
  std::int64_t bytes;  // change of the amount in use
  std::string_view name;
};

// Live allocations by process and address.
class LiveMemory {
 public:
  struct Allocation {
    MemoryKey key;
    std::int64_t bytes;
  };

  void allocate(std::int64_t address, const Allocation& allocation) {
    live_[allocation.key.global_pid][address] = allocation;
  }
  // Removes and returns the allocation at the address, if there is one.
  std::optional<Allocation> release(std::int64_t global_pid, std::int64_t address) {
    const auto node = live_[global_pid].extract(address);
    if (node.empty()) return std::nullopt;
    return node.mapped();
  }

 private:
  std::unordered_map<std::int64_t, std::unordered_map<std::int64_t, Allocation>> live_;
};

// Visits all allocations and releases. For memory pools these are the allocations from the pool;
// the size of the pool itself is in another table. Releases of memory that was allocated before the
// recording are skipped. Memory that another process shares belongs to that process and is skipped,
// too.
base::Status for_each_change(const report::ReportReader& reader,
                             const std::function<void(const Change&)>& visit) {
  const bool has_imports =
      reader.has_column(events::kMemoryUsageTable, "importedMemoryPoolAddress");
  LiveMemory live;
  return events::for_each_row(
      reader,
      fmt::format("SELECT start, globalPid, deviceId, memKind, memoryOperationType, address, "
                  "bytes, name FROM {} {} ORDER BY start, rowid",
                  events::kMemoryUsageTable,
                  has_imports ? "WHERE COALESCE(importedMemoryPoolAddress, 0) = 0" : ""),
      [&](const report::Statement& row) {
        const MemoryKey key{row.integer(1), row.integer(2), row.integer(3)};
        const std::int64_t address = row.integer(5);
        // If an address is allocated again, it was freed in between, even if the release was not
        // recorded.
        if (const auto freed = live.release(key.global_pid, address))
          visit({row.integer(0), freed->key, true, -freed->bytes, row.text(7)});
        if (row.integer(4) != kAllocation) return;
        live.allocate(address, {key, row.integer(6)});
        visit({row.integer(0), key, false, row.integer(6), row.text(7)});
      });
}

struct Usage {
  std::int64_t allocations = 0;
  std::int64_t frees = 0;
  std::int64_t allocated = 0;  // bytes
  std::int64_t in_use = 0;
  std::int64_t peak = 0;
  std::int64_t peak_time = 0;  // ns

  void add(const Change& change) {
    ++(change.is_release ? frees : allocations);
    allocated += std::max<std::int64_t>(change.bytes, 0);
    in_use += change.bytes;
    if (in_use <= peak) return;
    peak = in_use;
    peak_time = change.time;
  }
};

}  // namespace

base::Result<tables::Table> memory_usage(const report::ReportReader& reader, const Arguments&) {
  std::map<MemoryKey, Usage> usages;
  const base::Status read =
      for_each_change(reader, [&](const Change& change) { usages[change.key].add(change); });
  if (!read) return tl::make_unexpected(read.error());
  tables::Table table{{{"Peak (bytes)", CellKind::kInteger},
                       {"Peak Time (ns)", CellKind::kInteger},
                       {"Allocations", CellKind::kInteger},
                       {"Frees", CellKind::kInteger},
                       {"Allocated (bytes)", CellKind::kInteger},
                       {"Never Freed (bytes)", CellKind::kInteger},
                       {"PID", CellKind::kInteger},
                       {"Device", CellKind::kInteger},
                       {"Memory Kind", CellKind::kText}},
                      {}};
  for (const auto& [key, usage] : usages)
    table.rows.push_back({usage.peak, usage.peak_time, usage.allocations, usage.frees,
                          usage.allocated, usage.in_use, events::pid_of(key.global_pid), key.device,
                          events::memory_kind_name(key.kind)});
  tables::sort_descending(table, 0);
  return table;
}

base::Result<tables::Table> memory_usage_trace(const report::ReportReader& reader,
                                               const Arguments&) {
  tables::Table table{{{"Start (ns)", CellKind::kInteger},
                       {"Change (bytes)", CellKind::kInteger},
                       {"In Use (bytes)", CellKind::kInteger},
                       {"Memory Kind", CellKind::kText},
                       {"Device", CellKind::kInteger},
                       {"PID", CellKind::kInteger},
                       {"Name", CellKind::kText}},
                      {}};
  std::map<MemoryKey, std::int64_t> in_use;
  const base::Status read = for_each_change(reader, [&](const Change& change) {
    const std::int64_t now = in_use[change.key] += change.bytes;
    table.rows.push_back({change.time, change.bytes, now, events::memory_kind_name(change.key.kind),
                          change.key.device, events::pid_of(change.key.global_pid),
                          std::string(change.name)});
  });
  if (!read) return tl::make_unexpected(read.error());
  return table;
}

}  // namespace prof::stats
