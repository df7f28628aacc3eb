// memory_usage: allocations of GPU memory by process, device and kind. memory_usage_trace: the
// amount in use after each allocation and release.
#include <algorithm>
#include <map>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/memory_changes.hpp"
#include "exporters/analysis/events/memory_operations.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"

namespace prof::stats {

using events::MemoryChange;
using events::MemoryKey;
using tables::CellKind;

namespace {

struct Usage {
  std::int64_t allocations = 0;
  std::int64_t frees = 0;
  std::int64_t allocated = 0;  // bytes
  std::int64_t in_use = 0;
  std::int64_t peak = 0;
  std::int64_t peak_time = 0;  // ns

  void add(const MemoryChange& change) {
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
  const base::Status read = events::for_each_memory_change(
      reader, [&](const MemoryChange& change) { usages[change.key].add(change); });
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
  const base::Status read = events::for_each_memory_change(reader, [&](const MemoryChange& change) {
    const std::int64_t now = in_use[change.key] += change.bytes;
    table.rows.push_back({change.time, change.bytes, now, events::memory_kind_name(change.key.kind),
                          change.key.device, events::pid_of(change.key.global_pid),
                          std::string(change.name)});
  });
  if (!read) return tl::make_unexpected(read.error());
  return table;
}

}  // namespace prof::stats
