// kernel_rules: what is wrong with launch configurations, and how much of the time is at stake.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>

#include "exporters/analysis/events/kernels.hpp"
#include "exporters/analysis/insight/occupancy/launch_rules.hpp"
#include "exporters/analysis/insight/occupancy/rule_texts.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/gpu/kernel_launches.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

std::vector<tables::ColumnSpec> rule_columns() {
  return {{"At Stake (%)", CellKind::kReal, 1}, {"At Stake (ns)", CellKind::kInteger},
          {"Estimate (%)", CellKind::kReal, 2}, {"Rule", CellKind::kText},
          {"Reason", CellKind::kText},          {"Total Time (ns)", CellKind::kInteger},
          {"Instances", CellKind::kInteger},    {"GridXYZ", CellKind::kText},
          {"BlockXYZ", CellKind::kText},        {"PID", CellKind::kInteger},
          {"Device", CellKind::kInteger},       {"Name", CellKind::kText}};
}

}  // namespace

base::Result<tables::Table> kernel_rules(const report::ReportReader& reader,
                                         const Arguments& arguments) {
  auto names = events::KernelNames::make(reader, arguments.kernels);
  if (!names) return tl::make_unexpected(names.error());
  const auto launches = read_kernel_launches(reader, *names);
  if (!launches) return tl::make_unexpected(launches.error());
  const std::int64_t total = total_time(*launches);
  tables::Table table{rule_columns(), {}};
  for (const KernelLaunches& each : *launches) {
    for (const insight::LaunchEstimate& rule : insight::launch_rules(each.shape, each.gpu)) {
      const std::int64_t at_stake = std::llround(rule.part * static_cast<double>(each.total));
      table.rows.push_back(
          {tables::percent(at_stake, total), at_stake, 100 * rule.part,
           insight::rule_name(rule.rule), insight::reason_text(rule.rule, each.shape, each.gpu),
           each.total, each.instances, events::dimensions_text(each.grid),
           events::dimensions_text(each.block), each.pid, each.device, names->text(each.kernel)});
    }
  }
  tables::sort_descending(table, 1);
  return table;
}

}  // namespace prof::stats
