#include "exporters/analysis/stats/duration_summary.hpp"

#include <array>
#include <cmath>
#include <utility>

namespace prof::stats {

using tables::CellKind;

namespace {

// Returns the median of `of` values. It is among the first `count` values; `less` of the other
// values are smaller than all of these.
double median_among(std::vector<std::int64_t>& values, std::size_t count, std::size_t less,
                    std::size_t of) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(of / 2 - less);
  std::nth_element(values.begin(), at, values.begin() + static_cast<std::ptrdiff_t>(count));
  const auto upper = static_cast<double>(*at);
  if (of % 2 == 1) return upper;
  return (static_cast<double>(*std::max_element(values.begin(), at)) + upper) / 2;
}

struct Near {
  std::size_t count = 0;
  std::size_t less = 0;  // number of values that are smaller than all of these
};

// Moves the values close to the median to the front, estimated from a sample of the values.
Near move_near_to_front(std::vector<std::int64_t>& values) {
  constexpr std::size_t kSample = 256;
  constexpr std::size_t kMargin = 26;  // the median is outside once in 1,000 times
  std::array<std::int64_t, kSample> sample{};
  for (std::size_t i = 0; i < kSample; ++i) sample[i] = values[i * (values.size() / kSample)];
  std::sort(sample.begin(), sample.end());
  const std::int64_t low = sample[kSample / 2 - kMargin];
  const std::int64_t high = sample[kSample / 2 + kMargin];
  Near near;
  // There are no branches here, because they would be unpredictable.
  for (std::int64_t& value : values) {
    const std::int64_t current = value;
    value = std::exchange(values[near.count], current);
    near.less += static_cast<std::size_t>(current < low);
    near.count +=
        static_cast<std::size_t>(current >= low) & static_cast<std::size_t>(current <= high);
  }
  return near;
}

// Returns the exact median. Searching only among the values near it takes a third of the time.
double median_of(std::vector<std::int64_t>& values) {
  constexpr std::size_t kMinForSampling = 1000;
  const std::size_t count = values.size();
  if (count >= kMinForSampling) {
    const Near near = move_near_to_front(values);
    const bool has_middle = near.less <= (count - 1) / 2 && count / 2 < near.less + near.count;
    if (has_middle) return median_among(values, near.count, near.less, count);
  }
  return median_among(values, count, 0, count);
}

}  // namespace

Durations summarise(std::vector<std::int64_t>& values) {
  Durations result;
  if (values.empty()) return result;
  result.count = static_cast<std::int64_t>(values.size());
  result.minimum = result.maximum = values.front();
  for (const std::int64_t value : values) {
    result.total = events::sum(result.total, value);
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

// The error assumes that for each recorded event the w - 1 others are as long as it. So the
// variance of the total is the sum of the variance of one duration times w (w - 1).
WeightedSummary summarise_weighted(std::vector<WeightedDuration>& values) {
  WeightedSummary summary{};
  Durations& result = summary.durations;
  if (values.empty()) return summary;
  std::ranges::sort(values, {}, &WeightedDuration::duration);
  double total = 0, pairs = 0;
  for (const auto& [duration, weight] : values) {
    result.count = events::sum(result.count, weight);
    total += static_cast<double>(duration) * static_cast<double>(weight);
    pairs += static_cast<double>(weight) * static_cast<double>(weight - 1);
  }
  constexpr double kMaximum = 9e18;
  result.total = static_cast<std::int64_t>(std::llround(std::min(total, kMaximum)));
  result.minimum = values.front().duration;
  result.maximum = values.back().duration;
  const auto count = static_cast<double>(result.count);
  result.average = total / count;
  double squares = 0, below = 0;
  bool has_median = false;
  for (const auto& [duration, weight] : values) {
    const double difference = static_cast<double>(duration) - result.average;
    squares += difference * difference * static_cast<double>(weight);
    below += static_cast<double>(weight);
    if (!has_median && below >= count / 2) {
      result.median = static_cast<double>(duration);
      has_median = true;
    }
  }
  result.deviation = result.count > 1 ? std::sqrt(squares / (count - 1)) : 0;
  summary.error = total > 0 ? 100 * result.deviation * std::sqrt(pairs) / total : 0;
  return summary;
}

double quantile(const std::vector<std::int64_t>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const auto lower = static_cast<double>(sorted[below]);
  const auto upper = static_cast<double>(sorted[std::min(below + 1, sorted.size() - 1)]);
  return lower + (upper - lower) * (place - static_cast<double>(below));
}

std::vector<tables::ColumnSpec> summary_columns(const char* count_header) {
  return {{"Time (%)", CellKind::kReal, 1},   {"Total Time (ns)", CellKind::kInteger},
          {count_header, CellKind::kInteger}, {"Avg (ns)", CellKind::kReal, 1},
          {"Med (ns)", CellKind::kReal, 1},   {"Min (ns)", CellKind::kInteger},
          {"Max (ns)", CellKind::kInteger},   {"StdDev (ns)", CellKind::kReal, 1}};
}

std::vector<tables::Cell> summary_cells(const Durations& durations, double percent) {
  return {percent,          durations.total,   durations.count,   durations.average,
          durations.median, durations.minimum, durations.maximum, durations.deviation};
}

void sort_ties(tables::Table& table, std::size_t equal) {
  for (auto first = table.rows.begin(); first != table.rows.end();) {
    const auto last = std::find_if(first, table.rows.end(),
                                   [&](const auto& row) { return row[equal] != (*first)[equal]; });
    std::stable_sort(first, last, [](const auto& a, const auto& b) { return a.back() < b.back(); });
    first = last;
  }
}

}  // namespace prof::stats
