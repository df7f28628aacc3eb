// Sets of GPU metrics: which counters are sampled together, and how they are called.
//
// Built-in sets are the files in sets/. A user's set has the same form (docs/gpu-metrics.md):
//
//   name: Memory
//   chips: GH100 GA100            (or *: any)
//   DRAM Read [Throughput %] = dram__read_throughput.avg.pct_of_peak_sustained_elapsed
//   L2 [GB/s] = lts__t_bytes.sum.per_second * 1e-9 optional
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"

namespace prof::metrics {

struct GpuMetric {
  std::string name{};        // name in the report, with the unit in brackets
  std::string counter{};     // CUPTI's name
  double factor = 1;         // of CUPTI's values
  bool is_optional = false;  // left out where the GPU does not have it

  // The unit of the values in the report.
  std::string unit() const;
  // Returns the counter without the suffixes of what is computed from it: "sm__cycles_active".
  std::string_view base() const;
};

struct MetricSet {
  std::string id{};  // name of a built-in set
  std::string title{};
  std::vector<std::string> chips{};
  std::vector<GpuMetric> metrics{};

  bool is_for(std::string_view chip) const;
};

// `source`: name of the file, for messages.
base::Result<MetricSet> parse_metric_set(std::string_view text, const std::string& source);

// Returns the sets in the order in which they are searched.
const std::vector<MetricSet>& built_in_sets();

// Returns the set that an option names: a name, or "file:" and a path.
base::Result<MetricSet> find_metric_set(const std::string& word);

// Returns the first built-in set for the chip. One set suits any chip.
const MetricSet& default_set(std::string_view chip);

// Returns the text of --gpu-metrics-set=help.
std::string describe_sets();

}  // namespace prof::metrics
