// Computes bytes and rates of sampled counters.
#pragma once

#include <cstdint>
#include <vector>

#include "exporters/analysis/events/metrics/counter_series.hpp"
#include "exporters/analysis/tables/table.hpp"

namespace prof::stats {

struct ByteSum {
  std::int64_t samples = 0;
  double bytes = 0;
  std::int64_t time = 0;  // ns
  double maximum = 0;     // bytes per second

  void add(double more_bytes, std::int64_t during);
};

// Returns the bytes of a counter that was recorded as rates, differences or sums.
ByteSum sum_of_bytes(const events::CounterSeries& series);

// Returns columns for bytes, average and highest rate.
std::vector<tables::ColumnSpec> byte_columns();
std::vector<tables::Cell> byte_cells(const ByteSum& sum);

}  // namespace prof::stats
