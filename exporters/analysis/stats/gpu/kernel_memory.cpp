// kernel_memory: what profiled kernels move between the levels of memory.
#include <algorithm>
#include <optional>

#include "exporters/analysis/insight/profiles/memory_chart.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/gpu/kernel_groups.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

tables::Cell real_or_empty(std::optional<double> value) {
  return value ? tables::Cell{*value} : tables::Cell{};
}

}  // namespace

base::Result<tables::Table> kernel_memory(const report::ReportReader& reader,
                                          const Arguments& arguments) {
  auto groups = read_kernel_groups(reader, arguments);
  if (!groups) return tl::make_unexpected(groups.error());
  std::stable_sort(groups->groups.begin(), groups->groups.end(), [](const auto& a, const auto& b) {
    return a.launches.total > b.launches.total;
  });
  tables::Table table{{{"Link", CellKind::kText},
                       {"What", CellKind::kText},
                       {"Requests", CellKind::kReal, 0},
                       {"Bytes", CellKind::kReal, 0},
                       {"Of Peak (%)", CellKind::kReal, 1},
                       {"Hit Rate (%)", CellKind::kReal, 1}},
                      {}};
  add_launch_columns(table.columns);
  for (const KernelGroup& group : groups->groups) {
    for (const insight::MemoryLink& each : insight::memory_chart_of(group.metrics)) {
      std::vector<tables::Cell> cells{each.link,
                                      each.what,
                                      real_or_empty(each.requests),
                                      real_or_empty(each.bytes),
                                      real_or_empty(each.peak_percent),
                                      real_or_empty(each.hit_percent)};
      add_launch_cells(cells, group);
      table.rows.push_back(std::move(cells));
    }
  }
  return table;
}

}  // namespace prof::stats
