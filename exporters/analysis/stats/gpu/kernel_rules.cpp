// kernel_rules: what is wrong with kernels, and how much of the time is at stake.
#include <cmath>

#include "exporters/analysis/insight/occupancy/rule_texts.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/gpu/kernel_groups.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::stats {

using tables::CellKind;

base::Result<tables::Table> kernel_rules(const report::ReportReader& reader,
                                         const Arguments& arguments) {
  const auto groups = read_kernel_groups(reader, arguments);
  if (!groups) return tl::make_unexpected(groups.error());
  tables::Table table{{{"At Stake (%)", CellKind::kReal, 1},
                       {"At Stake (ns)", CellKind::kInteger},
                       {"Estimate (%)", CellKind::kReal, 2},
                       {"Rule", CellKind::kText},
                       {"Reason", CellKind::kText},
                       {"Total Time (ns)", CellKind::kInteger},
                       {"Instances", CellKind::kInteger}},
                      {}};
  add_launch_columns(table.columns);
  for (const KernelGroup& group : groups->groups) {
    const insight::KernelLaunches& launches = group.launches;
    for (const insight::RuleResult& rule : insight::main_rules(group.kernel())) {
      const std::int64_t at_stake = std::llround(rule.part * static_cast<double>(launches.total));
      std::vector<tables::Cell> cells{tables::percent(at_stake, groups->total),
                                      at_stake,
                                      100 * rule.part,
                                      insight::rule_name(rule.rule),
                                      rule.reason,
                                      launches.total,
                                      launches.instances};
      add_launch_cells(cells, group);
      table.rows.push_back(std::move(cells));
    }
  }
  tables::sort_descending(table, 1);
  return table;
}

}  // namespace prof::stats
