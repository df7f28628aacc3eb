// kernel_metrics: the metrics of profiled kernels, over all launches with the same configuration.
#include <algorithm>

#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/gpu/kernel_groups.hpp"

namespace prof::stats {

using tables::CellKind;

base::Result<tables::Table> kernel_metrics(const report::ReportReader& reader,
                                           const Arguments& arguments) {
  auto groups = read_kernel_groups(reader, arguments);
  if (!groups) return tl::make_unexpected(groups.error());
  std::stable_sort(groups->groups.begin(), groups->groups.end(), [](const auto& a, const auto& b) {
    return a.launches.total > b.launches.total;
  });
  tables::Table table{{{"Metric", CellKind::kText},
                       {"Unit", CellKind::kText},
                       {"Median", CellKind::kReal, 2},
                       {"Min", CellKind::kReal, 2},
                       {"Max", CellKind::kReal, 2},
                       {"Launches", CellKind::kInteger}},
                      {}};
  add_launch_columns(table.columns);
  for (const KernelGroup& group : groups->groups) {
    for (const auto& [name, value] : group.metrics.by_name()) {
      std::vector<tables::Cell> cells{name,      groups->units[name], value.median,
                                      value.low, value.high,          value.launches};
      add_launch_cells(cells, group);
      table.rows.push_back(std::move(cells));
    }
  }
  return table;
}

}  // namespace prof::stats
