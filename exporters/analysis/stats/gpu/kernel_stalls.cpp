// kernel_stalls: what the warps of profiled kernels wait for between two instructions.
#include <algorithm>

#include "exporters/analysis/insight/profiles/warp_stalls.hpp"
#include "exporters/analysis/stalls/reasons.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/gpu/kernel_groups.hpp"

namespace prof::stats {

using tables::CellKind;

base::Result<tables::Table> kernel_stalls(const report::ReportReader& reader,
                                          const Arguments& arguments) {
  auto groups = read_kernel_groups(reader, arguments);
  if (!groups) return tl::make_unexpected(groups.error());
  std::stable_sort(groups->groups.begin(), groups->groups.end(), [](const auto& a, const auto& b) {
    return a.launches.total > b.launches.total;
  });
  tables::Table table{{{"Wait (%)", CellKind::kReal, 1},
                       {"Cycles", CellKind::kReal, 2},
                       {"Stall", CellKind::kText},
                       {"The Warp", CellKind::kText},
                       {"What Helps", CellKind::kText}},
                      {}};
  add_launch_columns(table.columns);
  for (const KernelGroup& group : groups->groups) {
    for (const insight::WarpStall& each : insight::warp_stalls(group.metrics)) {
      const stalls::Reason reason = stalls::reason_of(each.name);
      std::vector<tables::Cell> cells{100 * each.part, each.cycles, std::string(reason.name),
                                      reason.meaning, reason.remedy};
      add_launch_cells(cells, group);
      table.rows.push_back(std::move(cells));
    }
  }
  return table;
}

}  // namespace prof::stats
