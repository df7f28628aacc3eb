#include "exporters/stats/duration_summary.hpp"

#include <cmath>

namespace prof::stats {

namespace {

double median_of(std::vector<std::int64_t>& values) {
  const std::size_t middle = values.size() / 2;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(middle);
  std::nth_element(values.begin(), at, values.end());
  const auto upper = static_cast<double>(*at);
  if (values.size() % 2 == 1) return upper;
  return (static_cast<double>(*std::max_element(values.begin(), at)) + upper) / 2;
}

}  // namespace

std::int64_t sum(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (!__builtin_add_overflow(a, b, &result)) return result;
  return a < 0 ? INT64_MIN : INT64_MAX;
}

Durations summarise(std::vector<std::int64_t>& values) {
  Durations result;
  if (values.empty()) return result;
  result.count = static_cast<std::int64_t>(values.size());
  result.minimum = result.maximum = values.front();
  for (const std::int64_t value : values) {
    result.total = sum(result.total, value);
    result.minimum = std::min(result.minimum, value);
    result.maximum = std::max(result.maximum, value);
  }
  const auto count = static_cast<double>(result.count);
  result.average = static_cast<double>(result.total) / count;
  double squares = 0;
  for (const std::int64_t value : values) {
    const double difference = static_cast<double>(value) - result.average;
    squares += difference * difference;
  }
  result.deviation = result.count > 1 ? std::sqrt(squares / (count - 1)) : 0;
  result.median = median_of(values);
  return result;
}

std::vector<ColumnSpec> summary_columns(const char* count_header) {
  return {{"Time (%)", CellKind::kReal, 1},   {"Total Time (ns)", CellKind::kInteger},
          {count_header, CellKind::kInteger}, {"Avg (ns)", CellKind::kReal, 1},
          {"Med (ns)", CellKind::kReal, 1},   {"Min (ns)", CellKind::kInteger},
          {"Max (ns)", CellKind::kInteger},   {"StdDev (ns)", CellKind::kReal, 1}};
}

std::vector<Cell> summary_cells(const Durations& durations, double percent) {
  return {percent,          durations.total,   durations.count,   durations.average,
          durations.median, durations.minimum, durations.maximum, durations.deviation};
}

void sort_ties(Table& table, std::size_t equal) {
  for (auto first = table.rows.begin(); first != table.rows.end();) {
    const auto last = std::find_if(first, table.rows.end(),
                                   [&](const auto& row) { return row[equal] != (*first)[equal]; });
    std::stable_sort(first, last, [](const auto& a, const auto& b) { return a.back() < b.back(); });
    first = last;
  }
}

}  // namespace prof::stats
