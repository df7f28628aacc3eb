#include "exporters/analysis/diff/kernel_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exporters/analysis/diff/spread.hpp"
#include "exporters/analysis/insight/occupancy/rule_texts.hpp"
#include "exporters/analysis/insight/profiles/kernel_profiles.hpp"
#include "exporters/analysis/insight/profiles/metric_rules.hpp"
#include "exporters/analysis/stats/gpu/kernel_groups.hpp"

namespace prof::diff {

using tables::Cell;
using tables::CellKind;

namespace {

// Launches with this name, grid and block.
using Kernel = std::array<std::string, 3>;

struct Metric {
  std::string unit;
  std::vector<double> values;  // of launches
};
using Metrics = std::map<std::pair<Kernel, std::string>, Metric>;
// Estimates in percent, by kernel and rule.
using Rules = std::map<std::pair<Kernel, std::string>, double>;

struct Profiled {
  Metrics metrics;
  Rules rules;
};

Kernel kernel_of(const insight::LaunchConfiguration& launch, const std::string& name) {
  return {name, events::dimensions_text(launch.grid), events::dimensions_text(launch.block)};
}

base::Status read_metrics(const report::ReportReader& reader, Metrics& metrics) {
  auto names = events::KernelNames::make(reader, {});
  if (!names) return tl::make_unexpected(names.error());
  const auto profiles = insight::read_kernel_profiles(reader, *names);
  if (!profiles) return tl::make_unexpected(profiles.error());
  for (const insight::ProfiledLaunch& launch : profiles->launches) {
    const Kernel kernel = kernel_of(launch.configuration, names->text(launch.configuration.kernel));
    for (const auto& [index, value] : launch.metrics) {
      const insight::MetricName& name = profiles->names[index];
      metrics.try_emplace({kernel, name.name}, Metric{name.unit, {}})
          .first->second.values.push_back(value);
    }
  }
  return {};
}

base::Status read_rules(const report::ReportReader& reader, Rules& rules) {
  const auto groups = stats::read_kernel_groups(reader, {});
  if (!groups) return tl::make_unexpected(groups.error());
  for (const stats::KernelGroup& group : groups->groups) {
    const Kernel kernel = kernel_of(group.launches.configuration, group.name);
    for (const insight::RuleResult& rule : insight::main_rules(group.kernel())) {
      double& estimate = rules[{kernel, insight::rule_name(rule.rule)}];
      estimate = std::max(estimate, 100 * rule.part);
    }
  }
  return {};
}

base::Result<Profiled> read_side(std::span<const Part> parts) {
  Profiled side;
  for (const Part& part : parts) {
    if (const base::Status read = read_metrics(*part.reader, side.metrics); !read)
      return tl::make_unexpected(read.error());
    if (const base::Status read = read_rules(*part.reader, side.rules); !read)
      return tl::make_unexpected(read.error());
  }
  return side;
}

bool is_time(std::string_view metric) {
  return metric == "gpu__time_duration.sum" || metric == "gpc__cycles_elapsed.max";
}

// Counts what is compared. Times of kernels are apart: among hundreds of other metrics a change of
// the time would have to be larger to be found.
std::array<std::size_t, 2> count_comparisons(const Metrics& before, const Metrics& after) {
  std::array<std::size_t, 2> numbers{};
  for (const auto& [key, metric] : before)
    if (after.contains(key)) ++numbers[is_time(key.second) ? 1 : 0];
  return numbers;
}

void add_row(tables::Table& table, const std::pair<Kernel, std::string>& key,
             const std::string& unit, std::optional<double> before, std::optional<double> after) {
  const auto cell = [](std::optional<double> value) { return value ? Cell{*value} : Cell{}; };
  const auto& [name, grid, block] = key.first;
  const bool both = before && after;
  table.rows.push_back({key.second, unit, cell(before), cell(after),
                        both ? Cell{*after - *before} : Cell{},
                        both && *before != 0 ? Cell{*after / *before} : Cell{}, grid, block, name});
}

// Adds rules that apply on one side only, to kernels with a metric that changed.
void add_rules(const Profiled& before, const Profiled& after, const std::set<Kernel>& changed,
               tables::Table& table) {
  constexpr double kMinEstimate = 2;  // percent
  const auto add = [&](const Profiled& from, const Profiled& other, bool is_before) {
    for (const auto& [key, estimate] : from.rules) {
      if (other.rules.contains(key) || estimate < kMinEstimate || !changed.contains(key.first))
        continue;
      add_row(table, {key.first, "rule " + key.second}, "%",
              is_before ? std::optional(estimate) : std::nullopt,
              is_before ? std::nullopt : std::optional(estimate));
    }
  };
  add(before, after, true);
  add(after, before, false);
}

// By how much a row's value changed, as a factor of at least 1.
double factor_of(const std::vector<Cell>& row) {
  constexpr std::size_t kRatio = 5;
  const auto* ratio = std::get_if<double>(&row[kRatio]);
  if (ratio == nullptr || *ratio <= 0) return INFINITY;
  return std::max(*ratio, 1 / *ratio);
}

}  // namespace

bool have_profiles(std::span<const Part> before, std::span<const Part> after) {
  const auto has = [](const Part& part) { return part.reader->has_table("PROF_KERNEL_METRICS"); };
  return std::ranges::any_of(before, has) && std::ranges::any_of(after, has);
}

base::Result<MetricChanges> metric_changes(std::span<const Part> before,
                                           std::span<const Part> after) {
  const auto first = read_side(before);
  if (!first) return tl::make_unexpected(first.error());
  const auto second = read_side(after);
  if (!second) return tl::make_unexpected(second.error());
  MetricChanges changes{{{{"Metric", CellKind::kText},
                          {"Unit", CellKind::kText},
                          {"Before", CellKind::kReal, 2},
                          {"After", CellKind::kReal, 2},
                          {"Difference", CellKind::kReal, 2},
                          {"Ratio", CellKind::kReal, 3},
                          {"GridXYZ", CellKind::kText},
                          {"BlockXYZ", CellKind::kText},
                          {"Name", CellKind::kText}},
                         {}}};
  tables::Table table{changes.table.columns, {}};
  std::set<Kernel> changed;
  const auto numbers = count_comparisons(first->metrics, second->metrics);
  for (const auto& [key, metric] : first->metrics) {
    const auto other = second->metrics.find(key);
    if (other == second->metrics.end()) continue;
    const Difference difference =
        difference_of(metric.values, other->second.values,
                      {numbers[is_time(key.second) ? 1 : 0], metric.unit == "%"});
    if (difference == Difference::kUnclear) ++changes.unclear;
    if (difference != Difference::kFound) continue;
    changed.insert(key.first);
    add_row(table, key, metric.unit, median_of(metric.values), median_of(other->second.values));
  }
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [](const auto& a, const auto& b) { return factor_of(a) > factor_of(b); });
  add_rules(*first, *second, changed, changes.table);
  changes.table.rows.insert(changes.table.rows.end(), table.rows.begin(), table.rows.end());
  return changes;
}

std::string metric_changes_note(const MetricChanges& changes) {
  std::string note = fmt::format("Metrics that differ by more than between launches: {}.",
                                 changes.table.rows.size());
  if (changes.unclear != 0)
    note += fmt::format(
        " Other metrics that differ, but not more than launches may: {}; more launches of each "
        "kernel would show it.",
        changes.unclear);
  return note;
}

}  // namespace prof::diff
