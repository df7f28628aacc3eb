#include "exporters/ranks/run_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "exporters/analysis/stats/value_groups.hpp"

namespace prof::ranks {

using tables::Cell;
using tables::CellKind;
using tables::ColumnSpec;

namespace {

// "Med (ns)" becomes "Med (approx) (ns)".
void mark_medians(tables::Table& table) {
  constexpr std::string_view kMedian = "Med (";
  for (ColumnSpec& column : table.columns) {
    const std::size_t at = column.header.find(kMedian);
    if (at != std::string::npos) column.header.insert(at + kMedian.size() - 1, "(approx) ");
  }
}

}  // namespace

std::string text_of(const Unit& unit) {
  if (!unit.rank) return unit.report;
  const std::string of_job = unit.job.empty() ? "" : " of job " + unit.job;
  return fmt::format("rank {}{}", *unit.rank, of_job);
}

void RunSums::add(const Partial& partial) {
  for (const auto& [unit, sums] : partial) {
    const auto [number, is_new] =
        number_of_.try_emplace(unit, static_cast<std::uint32_t>(units_.size()));
    if (is_new) units_.push_back(&number->first);
    for (const auto& [name, sum] : sums) {
      if (sum.has_estimates) estimated_[name].push_back(text_of(unit));
      statistics_[name][key_of(unit)].add(number->second, sum);
    }
  }
}

std::vector<Request> RunSums::inexact(const std::vector<Request>& requests) {
  std::vector<Request> found;
  for (const Request& request : requests) {
    bool is_inexact = false;
    for (auto& [key, groups] : statistics_[request.name]) is_inexact |= groups.has_inexact();
    if (is_inexact) found.push_back(request);
  }
  return found;
}

Partial RunSums::wanted_of(Partial partial) const {
  for (auto& [unit, sums] : partial)
    for (auto& [name, sum] : sums)
      if (const GroupSums* groups = find(name, unit)) groups->keep_wanted(sum);
  return partial;
}

void RunSums::add_wanted(const Partial& partial) {
  for (const auto& [unit, sums] : partial)
    for (const auto& [name, sum] : sums) {
      const auto rows = statistics_.find(name);
      if (rows == statistics_.end()) continue;
      const auto groups = rows->second.find(key_of(unit));
      if (groups != rows->second.end()) groups->second.add_wanted(sum);
    }
}

tables::Table RunSums::table(const Request& request) {
  const stats::SumLayout& layout = *request.sum->layout;
  tables::Table table = stats::table_of(layout, std::vector<stats::GroupSummary>(), more_columns());
  bool is_inexact = false;
  for (auto& [key, groups] : statistics_[request.name]) {
    is_inexact |= groups.has_inexact();
    std::vector<stats::GroupSummary> summaries;
    for (GroupSums::Row& row : groups.rows()) {
      row.summary.more = more_cells(key, row.total_of);
      summaries.push_back(std::move(row.summary));
    }
    for (auto& row : stats::table_of(layout, std::move(summaries), more_columns()).rows)
      table.rows.push_back(std::move(row));
  }
  if (is_inexact) mark_medians(table);
  return table;
}

const GroupSums* RunSums::find(const std::string& name, const Unit& unit) const {
  const auto rows = statistics_.find(name);
  if (rows == statistics_.end()) return nullptr;
  const auto groups = rows->second.find(key_of(unit));
  return groups == rows->second.end() ? nullptr : &groups->second;
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
std::vector<Cell> RunSums::more_cells(const RowKey& key, const GroupSums::Totals& totals) const {
  if (by_ == By::kRank) return {tables::optional_cell(key.second.rank)};
  std::vector<Cell> cells;
  if (by_ == By::kNode) cells.emplace_back(key.first);
  std::int64_t ranks = 0;
  const Unit* longest = nullptr;
  Wide least = 0, most = 0, all = 0;
  for (const auto& [number, total] : totals) {
    const Unit* unit = units_[number];
    if (!unit->rank) continue;
    if (longest == nullptr || total > most || (total == most && *unit < *longest)) longest = unit;
    most = ranks == 0 ? total : std::max(most, total);
    least = ranks == 0 ? total : std::min(least, total);
    all = sum(all, total);
    ++ranks;
  }
  cells.emplace_back(ranks);
  cells.push_back(tables::optional_cell(longest == nullptr ? std::nullopt : longest->rank));
  const double mean = ranks == 0 ? 0 : static_cast<double>(all) / static_cast<double>(ranks);
  cells.emplace_back(
      mean == 0 ? 0.0 : 100.0 * (static_cast<double>(most) - static_cast<double>(least)) / mean);
  return cells;
}

}  // namespace prof::ranks
