// The samples of counters, one list for each counter.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/metrics/sampled_counters.hpp"

namespace prof::events {

struct CounterSample {
  std::int64_t start;  // ns, of the sample before: what rates and shares are over
  std::int64_t end;    // when it was taken
  double value;

  double seconds() const { return static_cast<double>(end - start) / 1e9; }
};

struct CounterSeries {
  SampledCounter counter;
  std::vector<CounterSample> samples;  // one or more, in the order of time
};

using WantedCounter = std::function<bool(const SampledCounter& counter)>;

// Of generic events, so without GPU metrics. The first sample of a device has none before it: it is
// taken to be as far from it as the second one is from the first.
base::Result<std::vector<CounterSeries>> read_counter_series(
    const report::ReportReader& reader, const WantedCounter& wanted,
    SampledCounters::Span span = SampledCounters::Span::kViews);

}  // namespace prof::events
