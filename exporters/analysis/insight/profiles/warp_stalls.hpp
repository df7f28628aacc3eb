// What the warps of a kernel wait for, as the GPU counted it.
#pragma once

#include <string_view>
#include <vector>

#include "exporters/analysis/insight/profiles/metric_values.hpp"

namespace prof::insight {

struct WarpStall {
  std::string_view name;  // of the reason: "long_scoreboard"; part of the metric's name
  double cycles;          // between two instructions of a warp
  double part;            // of all cycles between two instructions: 0 to 1
};

// Returns the reasons that were measured, with `selected`, the longest first. The names are valid
// as long as `metrics`.
std::vector<WarpStall> warp_stalls(const MetricValues& metrics);

}  // namespace prof::insight
