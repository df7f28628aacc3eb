#include "exporters/analysis/diff/kernel_metrics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/median.hpp"
#include "exporters/analysis/stats/catalog.hpp"

namespace prof::diff {

using tables::Cell;
using tables::CellKind;

namespace {

// Launches with this name, grid and block.
using Kernel = std::array<std::string, 3>;

struct Metric {
  std::string unit;
  std::vector<double> medians;  // of the reports
  double low = 0;
  double high = 0;
  std::int64_t launches = 0;

  double median() const {
    std::vector<double> any_order = medians;
    return base::upper_median(any_order);
  }
};
using Metrics = std::map<std::pair<Kernel, std::string>, Metric>;
// Estimates in percent, by kernel and rule.
using Rules = std::map<std::pair<Kernel, std::string>, double>;

// A table of a statistic whose cells are found by heading.
class StatisticRows {
 public:
  static base::Result<StatisticRows> read(const report::ReportReader& reader, const char* name) {
    auto table = stats::run(*stats::find_statistic(name), reader, {});
    if (!table) return tl::make_unexpected(table.error());
    return StatisticRows(std::move(*table));
  }
  const std::vector<std::vector<Cell>>& rows() const { return table_.rows; }
  std::string text(const std::vector<Cell>& row, const char* header) const {
    return std::string(std::get<tables::Text>(row[column(header)]).view());
  }
  double real(const std::vector<Cell>& row, const char* header) const {
    return std::get<double>(row[column(header)]);
  }
  std::int64_t integer(const std::vector<Cell>& row, const char* header) const {
    return std::get<std::int64_t>(row[column(header)]);
  }
  Kernel kernel(const std::vector<Cell>& row) const {
    return {text(row, "Name"), text(row, "GridXYZ"), text(row, "BlockXYZ")};
  }

 private:
  explicit StatisticRows(tables::Table table) : table_(std::move(table)) {}
  std::size_t column(const char* header) const {
    const auto at = std::ranges::find(table_.columns, header, &tables::ColumnSpec::header);
    return static_cast<std::size_t>(at - table_.columns.begin());
  }

  tables::Table table_;
};

base::Status read_metrics(const report::ReportReader& reader, Metrics& metrics) {
  const auto table = StatisticRows::read(reader, "kernel_metrics");
  if (!table) return tl::make_unexpected(table.error());
  for (const auto& row : table->rows()) {
    const double low = table->real(row, "Min");
    const double high = table->real(row, "Max");
    const auto known = metrics
                           .try_emplace({table->kernel(row), table->text(row, "Metric")},
                                        Metric{table->text(row, "Unit"), {}, low, high, 0})
                           .first;
    known->second.medians.push_back(table->real(row, "Median"));
    known->second.launches += table->integer(row, "Launches");
    known->second.low = std::min(known->second.low, low);
    known->second.high = std::max(known->second.high, high);
  }
  return {};
}

base::Status read_rules(const report::ReportReader& reader, Rules& rules) {
  const auto table = StatisticRows::read(reader, "kernel_rules");
  if (!table) return tl::make_unexpected(table.error());
  for (const auto& row : table->rows()) {
    double& estimate = rules[{table->kernel(row), table->text(row, "Rule")}];
    estimate = std::max(estimate, table->real(row, "Estimate (%)"));
  }
  return {};
}

struct Profiled {
  Metrics metrics;
  Rules rules;
};

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

// Counters of the same work differ a little from launch to launch. One launch does not show by how
// much.
bool differ(const Metric& before, const Metric& after) {
  constexpr double kMinPart = 0.03;
  constexpr double kMinPartOfOneLaunch = 0.1;
  constexpr double kMinPoints = 1;
  if (before.low <= after.high && after.low <= before.high) return false;
  const double change = std::abs(after.median() - before.median());
  const double largest = std::max(std::abs(before.median()), std::abs(after.median()));
  const double spread = std::max(before.high - before.low, after.high - after.low);
  const bool shows_spread = before.launches > 1 && after.launches > 1;
  return change > spread && change >= (shows_spread ? kMinPart : kMinPartOfOneLaunch) * largest &&
         (before.unit != "%" || change >= kMinPoints);
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

// Rules that apply on one side only, to kernels of both sides.
void add_rules(const Profiled& before, const Profiled& after, tables::Table& table) {
  constexpr double kMinEstimate = 2;  // percent
  const auto has_kernel = [](const Profiled& side, const Kernel& kernel) {
    const auto at = side.metrics.lower_bound({kernel, ""});
    return at != side.metrics.end() && at->first.first == kernel;
  };
  const auto add = [&](const Profiled& from, const Profiled& other, bool is_before) {
    for (const auto& [key, estimate] : from.rules) {
      if (other.rules.contains(key) || estimate < kMinEstimate || !has_kernel(from, key.first) ||
          !has_kernel(other, key.first))
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

base::Result<tables::Table> metric_changes(std::span<const Part> before,
                                           std::span<const Part> after) {
  const auto first = read_side(before);
  if (!first) return tl::make_unexpected(first.error());
  const auto second = read_side(after);
  if (!second) return tl::make_unexpected(second.error());
  tables::Table table{{{"Metric", CellKind::kText},
                       {"Unit", CellKind::kText},
                       {"Before", CellKind::kReal, 2},
                       {"After", CellKind::kReal, 2},
                       {"Difference", CellKind::kReal, 2},
                       {"Ratio", CellKind::kReal, 3},
                       {"GridXYZ", CellKind::kText},
                       {"BlockXYZ", CellKind::kText},
                       {"Name", CellKind::kText}},
                      {}};
  for (const auto& [key, metric] : first->metrics) {
    const auto other = second->metrics.find(key);
    if (other != second->metrics.end() && differ(metric, other->second))
      add_row(table, key, metric.unit, metric.median(), other->second.median());
  }
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [](const auto& a, const auto& b) { return factor_of(a) > factor_of(b); });
  tables::Table result{table.columns, {}};
  add_rules(*first, *second, result);
  result.rows.insert(result.rows.end(), table.rows.begin(), table.rows.end());
  return result;
}

}  // namespace prof::diff
