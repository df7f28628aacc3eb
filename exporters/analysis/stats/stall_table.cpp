#include "exporters/analysis/stats/stall_table.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "exporters/analysis/events/sums.hpp"
#include "exporters/analysis/stalls/reasons.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::stats {

using tables::Cell;
using tables::CellKind;
using tables::ColumnSpec;

namespace {

struct SampleTotals {
  std::int64_t all = 0;
  std::map<std::string, std::int64_t> of_kernel;  // by name, the last label
};

SampleTotals totals_of(const std::vector<GroupSummary>& groups) {
  SampleTotals totals;
  for (const GroupSummary& group : groups) {
    totals.all = events::sum(totals.all, group.values.total);
    std::int64_t& kernel = totals.of_kernel[group.labels.back()];
    kernel = events::sum(kernel, group.values.total);
  }
  return totals;
}

std::vector<ColumnSpec> stall_columns(SumShape shape) {
  if (shape == SumShape::kStalls)
    return {{"Samples (%)", CellKind::kReal, 1},
            {"Samples", CellKind::kInteger},
            {"Kernel (%)", CellKind::kReal, 1},
            {"Not Issued (%)", CellKind::kReal, 1},
            {"Time (ns)", CellKind::kInteger}};
  if (shape == SumShape::kStallLines)
    return {{"Samples (%)", CellKind::kReal, 1},
            {"Samples", CellKind::kInteger},
            {"Kernel (%)", CellKind::kReal, 1},
            {"Main Stall", CellKind::kText},
            {"Main Stall (%)", CellKind::kReal, 1}};
  return {{"Self (%)", CellKind::kReal, 1},  {"Self Samples", CellKind::kInteger},
          {"Total (%)", CellKind::kReal, 1}, {"Total Samples", CellKind::kInteger},
          {"Main Stall", CellKind::kText},   {"Main Stall (%)", CellKind::kReal, 1}};
}

// Appends the most frequent reason other than `selected`. `counts` are in the order of
// known_reasons().
void add_main_reason(std::vector<Cell>& cells, std::span<const std::int64_t> counts,
                     std::int64_t samples) {
  const auto known = stalls::known_reasons();
  std::size_t main = known.size() + 1;
  std::int64_t most = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] <= most || (i < known.size() && known[i].name == "selected")) continue;
    main = i;
    most = counts[i];
  }
  if (most == 0) return cells.resize(cells.size() + 2);
  cells.emplace_back(main < known.size() ? std::string(known[main].name) : "other");
  cells.emplace_back(tables::percent(most, samples));
}

std::vector<Cell> stall_cells(SumShape shape, const GroupSummary& group,
                              const SampleTotals& totals) {
  const std::int64_t samples = group.values.total;
  const std::span<const std::int64_t> counts(group.totals);
  std::vector<Cell> cells{tables::percent(samples, totals.all), samples};
  if (shape == SumShape::kStallFunctions) {
    cells.insert(cells.end(), {tables::percent(counts[0], totals.all), counts[0]});
    add_main_reason(cells, counts.subspan(1), samples);
    return cells;
  }
  cells.emplace_back(tables::percent(samples, totals.of_kernel.at(group.labels.back())));
  if (shape == SumShape::kStallLines)
    add_main_reason(cells, counts, samples);
  else
    cells.insert(cells.end(), {tables::percent(counts[0], samples), counts[1]});
  return cells;
}

}  // namespace

tables::Table stall_table(const SumLayout& layout, std::vector<GroupSummary> groups,
                          const std::vector<ColumnSpec>& more) {
  tables::Table table{stall_columns(layout.shape), {}};
  table.columns.insert(table.columns.end(), more.begin(), more.end());
  for (const char* header : layout.labels)
    if (header != nullptr) table.columns.push_back({header, CellKind::kText});
  const SampleTotals totals = totals_of(groups);
  std::stable_sort(groups.begin(), groups.end(), [&](const auto& a, const auto& b) {
    const std::int64_t of_a = totals.of_kernel.at(a.labels.back());
    const std::int64_t of_b = totals.of_kernel.at(b.labels.back());
    if (layout.shape == SumShape::kStalls && a.labels.back() != b.labels.back())
      return of_a != of_b ? of_a > of_b : a.labels.back() < b.labels.back();
    if (a.values.total != b.values.total) return a.values.total > b.values.total;
    return a.labels < b.labels;
  });
  for (const GroupSummary& group : groups) {
    std::vector<Cell> row = stall_cells(layout.shape, group, totals);
    row.insert(row.end(), group.more.begin(), group.more.end());
    for (const std::string& label : group.labels) row.emplace_back(label);
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace prof::stats
