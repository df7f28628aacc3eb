// kernel_profile_sum: why profiled kernels are slow: one row for each kernel, with a verdict, the
// main rule and what to do next.
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "exporters/analysis/events/sums.hpp"
#include "exporters/analysis/insight/occupancy/rule_texts.hpp"
#include "exporters/analysis/insight/profiles/verdict.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/gpu/kernel_groups.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

// An average over launches, by their time.
class TimeAverage {
 public:
  void add(std::optional<double> value, std::int64_t time) {
    if (!value) return;
    sum_ += *value * static_cast<double>(time);
    time_ += static_cast<double>(time);
  }
  tables::Cell cell() const { return time_ > 0 ? tables::Cell{sum_ / time_} : tables::Cell{}; }

 private:
  double sum_ = 0;
  double time_ = 0;
};

// The launches of a kernel, with all configurations.
struct KernelSum {
  std::int64_t total = 0;  // ns
  std::int64_t launches = 0;
  TimeAverage compute, memory, achieved, allowed;
  std::optional<insight::RuleResult> rule;  // with the most time at stake
  std::int64_t at_stake = 0;                // ns
  std::string verdict;                      // of the configuration with the most time
  std::int64_t of_verdict = -1;

  void add(const KernelGroup& group) {
    const std::int64_t time = group.launches.total;
    const insight::KernelVerdict found = insight::verdict_of(group.kernel());
    total = events::sum(total, time);
    launches += group.launches.instances;
    compute.add(found.compute, time);
    memory.add(found.memory, time);
    achieved.add(group.metrics.find(insight::active("sm__warps_active")), time);
    const insight::Occupancy occupancy =
        insight::occupancy_of(group.launches.shape, group.launches.gpu);
    if (occupancy.blocks_per_multiprocessor > 0) allowed.add(occupancy.percent, time);
    if (time > of_verdict) {
      verdict = found.text;
      of_verdict = time;
    }
    const auto rules = insight::main_rules(group.kernel());
    if (rules.empty()) return;
    const std::int64_t stake = std::llround(rules[0].part * static_cast<double>(time));
    // A part of one unit's work is not compared with a part of the whole time.
    if (rule && (rule->is_local == rules[0].is_local ? stake <= at_stake : rules[0].is_local))
      return;
    rule = rules[0];
    at_stake = stake;
  }
};

void add_rule(std::vector<tables::Cell>& cells, const KernelSum& sum) {
  if (!sum.rule) {
    cells.resize(cells.size() + 5);
    return;
  }
  cells.insert(cells.end(), {insight::rule_name(sum.rule->rule), 100 * sum.rule->part, sum.at_stake,
                             sum.rule->reason, insight::next_step_text(sum.rule->rule)});
}

}  // namespace

base::Result<tables::Table> kernel_profile_sum(const report::ReportReader& reader,
                                               const Arguments& arguments) {
  const auto groups = read_kernel_groups(reader, arguments);
  if (!groups) return tl::make_unexpected(groups.error());
  std::map<std::string, KernelSum> sums;
  for (const KernelGroup& each : groups->groups)
    if (each.is_profiled()) sums[each.name].add(each);
  tables::Table table{{{"Time (%)", CellKind::kReal, 1},
                       {"Total Time (ns)", CellKind::kInteger},
                       {"Launches", CellKind::kInteger},
                       {"Compute (%)", CellKind::kReal, 1},
                       {"Memory (%)", CellKind::kReal, 1},
                       {"Occupancy (%)", CellKind::kReal, 1},
                       {"Allowed (%)", CellKind::kReal, 1},
                       {"Verdict", CellKind::kText},
                       {"Rule", CellKind::kText},
                       {"Estimate (%)", CellKind::kReal, 2},
                       {"At Stake (ns)", CellKind::kInteger},
                       {"Reason", CellKind::kText},
                       {"Next Step", CellKind::kText},
                       {"Name", CellKind::kText}},
                      {}};
  for (const auto& [name, sum] : sums) {
    std::vector<tables::Cell> cells{tables::percent(sum.total, groups->total),
                                    sum.total,
                                    sum.launches,
                                    sum.compute.cell(),
                                    sum.memory.cell(),
                                    sum.achieved.cell(),
                                    sum.allowed.cell(),
                                    sum.verdict};
    add_rule(cells, sum);
    cells.emplace_back(name);
    table.rows.push_back(std::move(cells));
  }
  tables::sort_descending(table, 1);
  return table;
}

}  // namespace prof::stats
