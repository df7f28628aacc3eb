#include "exporters/ranks/run_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "exporters/analysis/stats/value_groups.hpp"

namespace prof::ranks {

using tables::Cell;
using tables::CellKind;
using tables::ColumnSpec;

std::string text_of(const Unit& unit) {
  if (!unit.rank) return unit.report;
  const std::string of_job = unit.job.empty() ? "" : " of job " + unit.job;
  return fmt::format("rank {}{}", *unit.rank, of_job);
}

void RunSums::add(const Partial& partial) {
  for (const auto& [unit, sums] : partial)
    for (const auto& [name, sum] : sums) {
      if (sum.has_estimates) estimated_[name].push_back(text_of(unit));
      Groups& groups = statistics_[name][key_of(unit)];
      for (const auto& [labels, values] : sum.groups) {
        Group& group = groups[labels];
        group.values.add(values.table);
        group.totals.resize(std::max(group.totals.size(), values.totals.size()));
        for (std::size_t i = 0; i < values.totals.size(); ++i)
          group.totals[i] = ranks::sum(group.totals[i], values.totals[i]);
        Wide& total = group.total_of[unit];
        total = ranks::sum(total, values.table.total());
      }
    }
}

tables::Table RunSums::table(const Request& request) {
  const stats::SumLayout& layout = *request.sum->layout;
  tables::Table table = stats::table_of(layout, std::vector<stats::GroupSummary>(), more_columns());
  for (auto& [key, groups] : statistics_[request.name]) {
    std::vector<stats::GroupSummary> summaries;
    for (auto& [labels, group] : groups) {
      stats::GroupSummary summary{labels, group.values.table().summarise()};
      for (const Wide total : group.totals) summary.totals.push_back(narrow(total));
      summary.more = more_cells(key, group);
      summaries.push_back(std::move(summary));
    }
    for (auto& row : stats::table_of(layout, std::move(summaries), more_columns()).rows)
      table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<std::string> RunSums::estimated(const std::string& name) const {
  const auto found = estimated_.find(name);
  if (found == estimated_.end()) return {};
  std::vector<std::string> texts = found->second;
  std::sort(texts.begin(), texts.end());
  return texts;
}

RunSums::RowKey RunSums::key_of(const Unit& unit) const {
  if (by_ == By::kRun) return {};
  if (by_ == By::kNode) return {unit.node, {}};
  return {{}, unit};
}

std::vector<ColumnSpec> RunSums::more_columns() const {
  if (by_ == By::kRank) return {{"Rank", CellKind::kInteger}};
  std::vector<ColumnSpec> columns;
  if (by_ == By::kNode) columns.push_back({"Node", CellKind::kText});
  columns.push_back({"Ranks", CellKind::kInteger});
  columns.push_back({"Max Rank", CellKind::kInteger});
  columns.push_back({"Spread (%)", CellKind::kReal, 1});
  return columns;
}

// The spread is how far the totals of the ranks with such events are apart, as a share of their
// mean. Events of processes without a rank are in no figure of these.
std::vector<Cell> RunSums::more_cells(const RowKey& key, const Group& group) const {
  if (by_ == By::kRank) return {tables::optional_cell(key.second.rank)};
  std::vector<Cell> cells;
  if (by_ == By::kNode) cells.emplace_back(key.first);
  std::int64_t ranks = 0;
  std::optional<std::int64_t> longest;
  Wide least = 0, most = 0;
  double all = 0;
  for (const auto& [unit, total] : group.total_of) {
    if (!unit.rank) continue;
    if (!longest || total > most) longest = unit.rank;
    most = ranks == 0 ? total : std::max(most, total);
    least = ranks == 0 ? total : std::min(least, total);
    all += static_cast<double>(total);
    ++ranks;
  }
  cells.emplace_back(ranks);
  cells.push_back(tables::optional_cell(longest));
  const double mean = ranks == 0 ? 0 : all / static_cast<double>(ranks);
  cells.emplace_back(
      mean == 0 ? 0.0 : 100.0 * (static_cast<double>(most) - static_cast<double>(least)) / mean);
  return cells;
}

}  // namespace prof::ranks
