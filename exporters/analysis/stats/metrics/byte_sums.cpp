#include "exporters/analysis/stats/metrics/byte_sums.hpp"

#include <algorithm>
#include <cmath>

namespace prof::stats {

using events::CounterSample;
using tables::CellKind;

void ByteSum::add(double more_bytes, std::int64_t during) {
  if (during <= 0 || !(more_bytes >= 0)) return;
  ++samples;
  bytes += more_bytes;
  time += during;
  maximum = std::max(maximum, more_bytes / static_cast<double>(during) * 1e9);
}

// Returns the bytes of a counter. The unit tells how prof recorded the counter, but nsys's counters
// have no units. A counter that never falls is a sum. Of the others, those without a unit are
// rates.
ByteSum sum_of_bytes(const events::CounterSeries& series) {
  const std::vector<CounterSample>& samples = series.samples;
  const std::string& unit = series.counter.unit;
  const bool is_sum = !unit.ends_with("/s") && std::is_sorted(samples.begin(), samples.end(),
                                                              [](const auto& a, const auto& b) {
                                                                return a.value < b.value;
                                                              });
  ByteSum sum;
  if (is_sum) {
    for (std::size_t i = 1; i < samples.size(); ++i)
      sum.add(samples[i].value - samples[i - 1].value, samples[i].end - samples[i - 1].end);
    return sum;
  }
  const bool is_difference = unit == "bytes";
  for (const CounterSample& each : samples)
    sum.add(is_difference ? each.value : each.value * each.seconds(), each.end - each.start);
  return sum;
}

std::vector<tables::ColumnSpec> byte_columns() {
  return {{"Total (bytes)", CellKind::kInteger},
          {"Avg (bytes/s)", CellKind::kReal, 1},
          {"Max (bytes/s)", CellKind::kReal, 1}};
}

std::vector<tables::Cell> byte_cells(const ByteSum& sum) {
  if (sum.time == 0) return std::vector<tables::Cell>(3);
  return {static_cast<std::int64_t>(std::llround(sum.bytes)),
          sum.bytes / static_cast<double>(sum.time) * 1e9, sum.maximum};
}

}  // namespace prof::stats
