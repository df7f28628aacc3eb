// memory_usage: allocations of GPU memory by process, device and kind. memory_usage_trace: the
// amount in use after each allocation and release.
#include <map>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/memory/memory_changes.hpp"
#include "exporters/analysis/events/memory/memory_operations.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"
#include "exporters/analysis/stats/memory_amounts.hpp"

namespace prof::stats {

using events::MemoryChange;
using events::MemoryKey;
using tables::CellKind;

base::Result<tables::Table> memory_usage(const report::ReportReader& reader, const Arguments&) {
  std::map<MemoryKey, MemoryAmounts> usages;
  const base::Status read = events::for_each_memory_change(reader, [&](const MemoryChange& change) {
    usages[change.key].add(change.time, change.bytes, change.is_release);
  });
  if (!read) return tl::make_unexpected(read.error());
  tables::Table table{amount_columns(), {}};
  table.columns.insert(table.columns.end(), {{"PID", CellKind::kInteger},
                                             {"Device", CellKind::kInteger},
                                             {"Memory Kind", CellKind::kText}});
  for (const auto& [key, usage] : usages) {
    auto cells = amount_cells(usage);
    cells.insert(cells.end(),
                 {events::pid_of(key.global_pid), key.device, events::memory_kind_name(key.kind)});
    table.rows.push_back(std::move(cells));
  }
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
