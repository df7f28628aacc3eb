// Reads the samples of counters into one list for each counter.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/metrics/sampled_counters.hpp"

namespace prof::events {

struct CounterSample {
  std::int64_t
      start;  // ns, time of the previous sample: rates and shares are averages from start to end
  std::int64_t end;  // ns, when the sample was taken
  double value;

  double seconds() const { return static_cast<double>(end - start) / 1e9; }
};

struct CounterSeries {
  SampledCounter counter;
  std::vector<CounterSample> samples;  // at least one, in the order of time
};

using WantedCounter = std::function<bool(const SampledCounter& counter)>;

// Reads the wanted counters among the generic events, which do not include GPU metrics. The first
// sample of a group has no previous sample: its start is computed with the distance between the
// first two samples.
base::Result<std::vector<CounterSeries>> read_counter_series(
    const report::ReportReader& reader, const WantedCounter& wanted,
    SampledCounters::Span span = SampledCounters::Span::kViews);

}  // namespace prof::events
